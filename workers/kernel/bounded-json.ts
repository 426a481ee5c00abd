/** The deepest valid body, a post's document, has seven levels. */
const MAX_DEPTH = 32;
/** A valid body has fewer values than this. The one with the most is a document made only of line breaks. */
const MAX_VALUES = 65_000;

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/**
 * Parses JSON from an untrusted caller. Schemas visit every value and report every fault, so the number of values
 * bounds the cost of a body. The depth bounds the stack of code that walks the value or serializes it.
 *
 * @throws SyntaxError for invalid JSON, and for JSON that is nested deeper or holds more values than any of our calls
 * needs.
 */
export function parseBoundedJson(text: string): unknown {
  let depth = 0;
  let values = 1;
  let is_in_string = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (is_in_string) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) is_in_string = false;
    } else if (code === QUOTE) is_in_string = true;
    else if (code === COMMA) values++;
    else if (OPENING.has(code)) {
      depth++;
      values++;
    } else if (CLOSING.has(code)) depth--;
    if (depth > MAX_DEPTH || values > MAX_VALUES) throw new SyntaxError("JSON beyond any call of ours");
  }
  return JSON.parse(text);
}
