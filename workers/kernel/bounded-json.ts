/** The deepest body of ours, a post's document, has seven. */
const MAX_DEPTH = 32;
/** A document of nothing but line breaks, the shortest inline there is, fills the bytes of a body with fewer. */
const MAX_VALUES = 65_000;

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/**
 * Parses JSON that a stranger wrote. Schemas visit every value and report every fault, so the number of values bounds what
 * a body costs; its depth bounds the stack of whoever walks or writes it again.
 *
 * @throws SyntaxError for what is no JSON, and for JSON nested deeper or holding more values than any call of ours needs.
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
