import { Parser } from "htmlparser2";
import type { Block, Document, Inline } from "../../../contract/document.ts";
import { embedOf } from "../../../contract/embeds.ts";
import { toNormalForm } from "../../../contract/normal-form.ts";

/**
 * Converts the HTML of a stranger to a document of ours. Keeps paragraphs, headings, lists, quotations, lines, bold, links,
 * ruby and known embeds; of anything else it keeps the text. No tag and no attribute but an address comes through, and no
 * address is ever fetched: docs/decisions/0048.
 */

/** Elements whose content is no text of the post. */
const UNSEEN = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "head",
  "title",
  "svg",
  "math",
  "select",
  "textarea",
]);
/** A map, because an element may have any name, such as `constructor`. */
const HEADINGS = new Map<string, 2 | 3>([
  ["h1", 2],
  ["h2", 2],
  ["h3", 3],
  ["h4", 3],
  ["h5", 3],
  ["h6", 3],
]);
const BLOCKS = new Set([
  ...[
    "p",
    "div",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "aside",
    "figure",
    "figcaption",
    "details",
    "summary",
  ],
  ...["table", "tbody", "thead", "tr", "dl", "dt", "dd", "address", "form", "fieldset", "pre", "center"],
]);
const FRAMES = new Set(["iframe", "embed", "video", "audio", "source"]);
/** The bounds of the contract: inline elements of a block, and items of a list. */
const MAX_INLINES = 2000;
const MAX_ITEMS = 500;
const MAX_URL_LENGTH = 2000;
/** The blanks that HTML shows as one, and the one that editors write to keep two. The blank that indents Japanese stays. */
const BLANKS = /[ \t\n\f\r\u00a0]+/g;
/** Deeper nesting than a writer makes. The parser keeps the name of each open element. */
const MAX_DEPTH = 500;

/** Thrown for HTML that no writer makes. */
export class HtmlFault extends Error {
  override name = "HtmlFault";
}

interface Options {
  /** Whether a line break is one, and a blank line ends a paragraph, as in posts of WordPress. */
  has_plain_lines: boolean;
}

/** Returns the document, and how many pictures became links. Throws {@link HtmlFault}. */
export function documentOfHtml(html: string, { has_plain_lines }: Options): { document: Document; pictures: number } {
  const builder = new Builder(has_plain_lines);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => builder.open(name, attributes),
      onclosetag: (name) => builder.close(name),
      ontext: (text) => builder.addText(text),
      oncomment: (comment) => builder.addComment(comment),
    },
    { decodeEntities: true },
  );
  parser.write(html);
  parser.end();
  return builder.finish();
}

class Builder {
  readonly #blocks: Block[] = [];
  #inlines: Inline[] = [];
  #pictures = 0;
  #depth = 0;
  #unseen = 0;
  #bold = 0;
  #quotes = 0;
  #preformatted = 0;
  #heading: 2 | 3 | null = null;
  readonly #links: (string | undefined)[] = [];
  /** The outermost open list. The items of lists inside it become items of it. */
  #list: { is_ordered: boolean; items: Inline[][]; depth: number } | null = null;
  #ruby: { text: string; reading: string; is_reading: boolean } | null = null;
  #has_line = false;
  /** Whether the last text ends with a blank, so that the next needs none. */
  #ends_blank = false;
  readonly #has_plain_lines: boolean;

  constructor(has_plain_lines: boolean) {
    this.#has_plain_lines = has_plain_lines;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (++this.#depth > MAX_DEPTH) throw new HtmlFault("nested too deep");
    if (UNSEEN.has(name)) this.#unseen++;
    if (this.#unseen > 0) return;
    if (name === "br") this.#addBreak();
    else if (name === "b" || name === "strong") this.#bold++;
    else if (name === "a") this.#links.push(toLink(attributes.href));
    else if (name === "ruby") this.#ruby = { text: "", reading: "", is_reading: false };
    else if (name === "rt" && this.#ruby) this.#ruby.is_reading = true;
    else if (name === "rp") this.#unseen++;
    else if (name === "img") this.#addPicture(attributes);
    else if (FRAMES.has(name)) this.#addFrame(attributes);
    else if (name === "hr") this.#addBlock({ type: "rule" });
    else if (HEADINGS.has(name)) {
      this.#endBlock();
      this.#heading = HEADINGS.get(name) ?? null;
    } else if (name === "blockquote") {
      this.#endBlock();
      this.#quotes++;
    } else if (name === "ul" || name === "ol") {
      this.#endBlock();
      if (this.#list) this.#list.depth++;
      else this.#list = { is_ordered: name === "ol", items: [], depth: 1 };
    } else if (name === "li" || BLOCKS.has(name)) {
      this.#endBlock();
      if (name === "pre") this.#preformatted++;
    }
  }

  close(name: string): void {
    this.#depth--;
    if (UNSEEN.has(name) || name === "rp") this.#unseen = Math.max(0, this.#unseen - 1);
    if (this.#unseen > 0) return;
    if (name === "b" || name === "strong") this.#bold = Math.max(0, this.#bold - 1);
    else if (name === "a") this.#links.pop();
    else if (name === "rt" && this.#ruby) this.#ruby.is_reading = false;
    else if (name === "ruby") this.#endRuby();
    else if (name === "td" || name === "th") this.addText("　");
    else if (HEADINGS.has(name)) {
      this.#endBlock();
      this.#heading = null;
    } else if (name === "blockquote") {
      this.#endBlock();
      this.#quotes = Math.max(0, this.#quotes - 1);
    } else if (name === "ul" || name === "ol") this.#endList();
    else if (name === "li" || BLOCKS.has(name)) {
      this.#endBlock();
      if (name === "pre") this.#preformatted = Math.max(0, this.#preformatted - 1);
    }
  }

  addText(text: string): void {
    if (this.#unseen > 0) return;
    if (this.#ruby) {
      const said = cleanText(text).replace(BLANKS, "");
      if (this.#ruby.is_reading) this.#ruby.reading += said;
      else this.#ruby.text += said;
      return;
    }
    if (this.#preformatted > 0) {
      this.#addLines(text);
      return;
    }
    if (!this.#has_plain_lines) {
      this.#addRun(text.replace(BLANKS, " "));
      return;
    }
    for (const [index, paragraph] of text
      .replace(/\r\n?/g, "\n")
      .split(/\n[ \t]*\n[ \t\n]*/)
      .entries()) {
      if (index > 0) this.#endBlock();
      this.#addLines(paragraph);
    }
  }

  /** Ghost marks so where the part for members begins. */
  addComment(comment: string): void {
    if (this.#has_line || comment.trim() !== "members-only") return;
    this.#has_line = true;
    this.#addBlock({ type: "paywall" });
  }

  finish(): { document: Document; pictures: number } {
    this.#endRuby();
    while (this.#list) this.#endList();
    this.#endBlock();
    return { document: this.#blocks, pictures: this.#pictures };
  }

  #addLines(text: string): void {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0 && this.#inlines.length > 0) this.#addBreak();
      this.#addRun(line.replace(BLANKS, " "));
    }
  }

  #addRun(given: string): void {
    const cleaned = cleanText(given);
    const last = this.#inlines.at(-1);
    // Looks at the last piece: looking at the end of a text that grows would copy all of it each time.
    const begins_line = last === undefined || last.type === "break" || (last.type === "text" && this.#ends_blank);
    const text = begins_line ? cleaned.replace(/^ +/, "") : cleaned;
    if (text === "") return;
    this.#ends_blank = text.endsWith(" ");
    const href = this.#links.at(-1);
    const is_bold = this.#bold > 0;
    if (last?.type === "text" && (last.bold === true) === is_bold && last.href === href) last.text += text;
    else this.#add({ type: "text", text, ...(is_bold && { bold: true }), ...(href !== undefined && { href }) });
  }

  #addBreak(): void {
    if (this.#ruby) return;
    this.#add({ type: "break" });
  }

  #endRuby(): void {
    const ruby = this.#ruby;
    this.#ruby = null;
    if (!ruby) return;
    if (ruby.text !== "" && ruby.reading !== "") this.#add({ type: "ruby", text: ruby.text, reading: ruby.reading });
    else this.#addRun(ruby.text || ruby.reading);
  }

  #add(inline: Inline): void {
    if (this.#inlines.length >= MAX_INLINES) this.#endBlock();
    this.#inlines.push(inline);
  }

  #addPicture({ src = "", alt = "" }: Record<string, string>): void {
    this.#pictures++;
    const path = src.slice(0, MAX_URL_LENGTH).split(/[?#]/)[0] ?? "";
    const file = path.split("/").findLast(Boolean) ?? "";
    // A run of text has no line breaks.
    const [name = "名前なし"] = [alt, file]
      .map((words) => cleanText(words.replace(BLANKS, " ")).trim())
      .filter(Boolean);
    this.#addLink(`画像：${name}`, src);
  }

  #addFrame({ src = "" }: Record<string, string>): void {
    if (src === "") return;
    const embed = embedOf(src);
    if (embed) this.#addBlock({ type: "embed", url: embed.url });
    else this.#addLink("埋め込まれていたもの", src);
  }

  #addLink(text: string, address: string): void {
    const href = toLink(address);
    this.#addBlock({ type: "paragraph", content: [{ type: "text", text, ...(href !== undefined && { href }) }] });
  }

  #addBlock(block: Block): void {
    this.#endBlock();
    // Only texts can be items.
    const list = this.#list;
    if (list && list.items.length > 0) {
      this.#blocks.push({ type: "list", is_ordered: list.is_ordered, items: list.items });
      list.items = [];
    }
    this.#blocks.push(block);
  }

  #endBlock(): void {
    const content = trimEnds(this.#inlines);
    this.#inlines = [];
    if (content.length === 0) return;
    const list = this.#list;
    if (list) {
      list.items.push(content);
      if (list.items.length === MAX_ITEMS) {
        this.#blocks.push({ type: "list", is_ordered: list.is_ordered, items: list.items });
        list.items = [];
      }
    } else if (this.#heading) this.#blocks.push({ type: "heading", level: this.#heading, content });
    else if (this.#quotes > 0) this.#blocks.push({ type: "quote", content });
    else this.#blocks.push(embedOfLine(content) ?? { type: "paragraph", content });
  }

  #endList(): void {
    this.#endBlock();
    const list = this.#list;
    if (!list || --list.depth > 0) return;
    this.#list = null;
    if (list.items.length > 0) this.#blocks.push({ type: "list", is_ordered: list.is_ordered, items: list.items });
  }
}

/** Removes line breaks and blanks at the ends of a block. */
function trimEnds(inlines: Inline[]): Inline[] {
  const isBlank = (inline: Inline | undefined) =>
    inline?.type === "break" || (inline?.type === "text" && inline.text.trim() === "");
  let [from, to] = [0, inlines.length];
  while (from < to && isBlank(inlines[from])) from++;
  while (to > from && isBlank(inlines[to - 1])) to--;
  const content = inlines.slice(from, to);
  const last = content.at(-1);
  if (last?.type === "text") content[content.length - 1] = { ...last, text: last.text.trimEnd() };
  return content;
}

/** WordPress shows a line with nothing but an address of a film as the film. */
function embedOfLine(content: readonly Inline[]): Block | null {
  const [only] = content;
  if (content.length !== 1 || only?.type !== "text" || !/^https?:\/\/\S+$/.test(only.text)) return null;
  const embed = embedOf(only.text);
  return embed && { type: "embed", url: embed.url };
}

/** Returns an address that a reader may follow; undefined for any other, whose text stays. */
function toLink(address: string | undefined): string | undefined {
  const trimmed = (address ?? "").trim();
  return /^https?:\/\/[^\s/]/i.test(trimmed) && trimmed.length <= MAX_URL_LENGTH && URL.canParse(trimmed)
    ? trimmed
    : undefined;
}

const cleanText = (text: string) =>
  toNormalForm(text)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, "")
    .toWellFormed();
