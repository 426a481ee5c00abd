import { DOCUMENT_BLOCKS } from "../../workers/contract/bounds.ts";
import type { Block, Document, Inline } from "../../workers/contract/document.ts";
import { embedOf } from "../../workers/contract/embeds.ts";
import { audioMark, imageMark, type Uploads } from "./marks.ts";

/**
 * Converts the light markup of a post's form to a document and back. `parseMarkup(printMarkup(document))` returns the same
 * document in normal form. Never throws. Takes linear time: no regular expression here can backtrack. Runs on the server
 * and in the editor, so it imports as little as possible.
 *
 *     # 見出し            ## 小見出し        - 箇条書き        1. 番号付き        > 引用
 *     **太字**            [文字](https://…)  漢字《かんじ》    ｜お好み《ルビ》   https://…
 *     ---（区切り線）     ===（ここから先は限定公開）          [画像:r9t4w]       [音声:m1np3]
 *
 * A blank line ends a paragraph, and a line break is a line break. A line that begins with two spaces continues a list
 * item. `\` escapes the mark after it, or the whole line if it comes first.
 */

const NONE: Uploads = { image_ids: [], media_ids: [] };

/** The limits of the contract: `DocumentInline` per block, and items per list. */
const MAX_INLINES = 2000;
const MAX_ITEMS = 500;
const MAX_URL_LENGTH = 2000;

/** Returns the lines that refer to an upload which is not among `uploads`. */
export function missingUploads(text: string, uploads: Uploads): string[] {
  return linesOf(text).filter((line) => UPLOAD.test(line) && !uploadOf(line, uploads));
}

/** Parses a text. Every text is valid. */
export function parseMarkup(text: string, uploads: Uploads = NONE): Document {
  const blocks: Block[] = [];
  let blanks = 0;
  let open: OpenBlock | null = null;
  const closeBlock = () => {
    if (open) blocks.push(...blocksOf(open));
    open = null;
  };
  for (const line of linesOf(text)) {
    if (isBlank(line)) {
      closeBlock();
      blanks++;
      continue;
    }
    // One blank line ends a paragraph. Keep further blank lines as empty paragraphs.
    if (blocks.length > 0) for (let extra = 1; extra < blanks; extra++) blocks.push({ type: "paragraph", content: [] });
    blanks = 0;
    if (open && continueBlock(open, line)) continue;
    const mark = markOf(line, uploads);
    if (mark?.type === "whole") {
      closeBlock();
      blocks.push(...mark.blocks);
    } else if (mark) {
      closeBlock();
      open = mark;
    } else if (open?.type === "paragraph") {
      open.lines.push(unescapeLine(line));
    } else {
      closeBlock();
      open = { type: "paragraph", lines: [unescapeLine(line)] };
    }
  }
  closeBlock();
  if (blocks.length > DOCUMENT_BLOCKS) return blocks.filter((block) => !isEmpty(block));
  return blocks.slice(
    blocks.findIndex((block) => !isEmpty(block)),
    blocks.findLastIndex((block) => !isEmpty(block)) + 1,
  );
}

/** An empty paragraph, which stands for a blank line. */
const isEmpty = (block: Block) => block.type === "paragraph" && block.content.length === 0;

type OpenBlock =
  | { type: "paragraph" | "quote"; lines: string[] }
  | { type: "list"; is_ordered: boolean; items: string[][] };

/** Splits a text into lines, and removes characters that our texts must not contain. */
function linesOf(text: string): string[] {
  return text
    .replace(/\r\n?|[\u000b\u000c\u0085\u2028\u2029]/g, "\n")
    .replace(/\t/g, "　")
    .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g, "")
    .split("\n");
}

const isBlank = (line: string) => line.trim() === "";

const UPLOAD = /^\[(画像|音声)[:：]([0-9a-z]{4,26})\][ 　]*$/;

function uploadOf(line: string, { image_ids, media_ids }: Uploads): Block | null {
  const [, kind, code = ""] = UPLOAD.exec(line) ?? [];
  if (!kind) return null;
  const found = (kind === "画像" ? image_ids : media_ids).filter((id) => id.endsWith(code));
  // A full id is always accepted here. The API checks whether the upload is the writer's own.
  const id = found.length === 1 ? found[0] : /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(code) ? code : undefined;
  if (!id) return null;
  return kind === "画像" ? { type: "image", image_id: id } : { type: "audio", media_id: id };
}

/** Returns the block that a line starts or is, or null for plain text. */
function markOf(line: string, uploads: Uploads): OpenBlock | { type: "whole"; blocks: Block[] } | null {
  const readMarkLine = (...blocks: Block[]) => ({ type: "whole", blocks }) as const;
  switch (line[0]) {
    case "#": {
      const [, marks = "", said = ""] = /^(#{1,3})[ 　](.*)$/.exec(line) ?? [];
      if (isBlank(said)) return null;
      const level = marks.length === 1 ? 2 : 3;
      return readMarkLine(
        ...partsOf(inlinesOf([said]), MAX_INLINES).map((content) => ({ type: "heading", level, content }) as const),
      );
    }
    case "-": {
      if (/^-{3,}[ 　]*$/.test(line)) return readMarkLine({ type: "rule" });
      return /^-[ 　]/.test(line) ? { type: "list", is_ordered: false, items: [[line.slice(2)]] } : null;
    }
    case "=":
      return /^={3,}[ 　]*$/.test(line) ? readMarkLine({ type: "paywall" }) : null;
    case ">":
      return { type: "quote", lines: [unquoteLine(line)] };
    // A numbered list must start with 1, because `2026. 11. 20` is a date.
    case "1":
      return /^1\.[ 　]/.test(line) ? { type: "list", is_ordered: true, items: [[line.slice(3)]] } : null;
    case "[": {
      const block = uploadOf(line, uploads);
      return block && readMarkLine(block);
    }
    case "h": {
      const embed = /^https?:\/\/\S+\s*$/.test(line) ? embedOf(line) : null;
      return embed && readMarkLine({ type: "embed", url: embed.url });
    }
    default:
      return null;
  }
}

const unquoteLine = (line: string) => line.replace(/^>[ 　]?/, "");

/** Adds a line to the open block if it continues it. Returns whether it did. */
function continueBlock(open: OpenBlock, line: string): boolean {
  if (open.type === "quote") {
    if (line[0] !== ">") return false;
    open.lines.push(unquoteLine(line));
    return true;
  }
  if (open.type !== "list") return false;
  if (line.startsWith("  ")) {
    open.items.at(-1)?.push(unescapeLine(line.slice(2)));
    return true;
  }
  const marker = open.is_ordered ? numberMark(line, open.items.length + 1) : /^-[ 　]/.exec(line)?.[0];
  if (!marker) return false;
  open.items.push([line.slice(marker.length)]);
  return true;
}

/** Returns the list mark if its number is the next one, or 1, because some writers number every item 1. */
function numberMark(line: string, next: number): string | undefined {
  const [mark, number] = /^(\d{1,3})\.[ 　]/.exec(line) ?? [];
  return number === "1" || number === String(next) ? mark : undefined;
}

function blocksOf(open: OpenBlock): Block[] {
  if (open.type === "list") {
    const { is_ordered } = open;
    const items = open.items.flatMap((lines) => partsOf(inlinesOf(lines), MAX_INLINES));
    return partsOf(items, MAX_ITEMS).map((part) => ({ type: "list", is_ordered, items: part }));
  }
  const { type } = open;
  return partsOf(inlinesOf(open.lines), MAX_INLINES).map((content) => ({ type, content }));
}

/** Splits a list into parts of at most `most` items. Returns one empty part for an empty list. */
function partsOf<T>(all: T[], most: number): T[][] {
  if (all.length <= most) return [all];
  return Array.from({ length: Math.ceil(all.length / most) }, (_, part) => all.slice(part * most, (part + 1) * most));
}

/** Whether a line of text would be parsed as something else, so that it needs a backslash. */
function needsEscape(line: string): boolean {
  return isBlank(line) || UPLOAD.test(line) || markOf(line, NONE) !== null;
}

const escapeLine = (line: string) =>
  needsEscape(line) || (line[0] === "\\" && needsEscape(line.slice(1))) ? `\\${line}` : line;

/** Removes the backslash that makes a line plain text. Keeps it if the line is plain text anyway. */
const unescapeLine = (line: string) => (line[0] === "\\" && needsEscape(line.slice(1)) ? line.slice(1) : line);

// Inline markup

/** A token of a line. Bold marks are resolved when the whole line has been read. */
type Token = { type: "text"; text: string } | { type: "bold" } | { type: "done"; inlines: Inline[] };

function inlinesOf(lines: readonly string[]): Inline[] {
  return lines.flatMap((line, index) => [
    ...(index > 0 ? [{ type: "break" } as const] : []),
    ...(line === "" ? [] : mergeTexts(inlinesOfTokens(tokensOf(line)))),
  ]);
}

/** Converts tokens. Bold marks come in pairs; an unpaired one is text. */
function inlinesOfTokens(tokens: readonly Token[], href?: string): Inline[] {
  const marks = tokens.filter(({ type }) => type === "bold").length;
  const paired = marks - (marks % 2);
  let seen = 0;
  const textOf = (text: string, bold: boolean): Inline => ({
    type: "text",
    text,
    ...(bold && { bold }),
    ...(href !== undefined && { href }),
  });
  return tokens.flatMap((token): Inline[] => {
    const is_bold = seen % 2 === 1 && seen < paired;
    if (token.type === "text") return [textOf(token.text, is_bold)];
    if (token.type === "bold") {
      seen++;
      return seen > paired ? [textOf("**", false)] : [];
    }
    return token.inlines.map((inline) => (inline.type === "text" && is_bold ? { ...inline, bold: true } : inline));
  });
}

/** Merges adjacent texts with the same format. */
function mergeTexts(inlines: readonly Inline[]): Inline[] {
  const result: Inline[] = [];
  for (const inline of inlines) {
    const last = result.at(-1);
    if (inline.type === "text" && inline.text === "") continue;
    if (inline.type === "text" && last?.type === "text" && last.bold === inline.bold && last.href === inline.href) {
      result[result.length - 1] = { ...last, text: last.text + inline.text };
    } else result.push(inline);
  }
  return result;
}

const ESCAPED = new Set(["\\", "*", "[", "]", "|", "｜", "《", "》"]);

const isEscape = (line: string, at: number) =>
  line[at] === "\\" && (ESCAPED.has(line[at + 1] ?? "") || line.startsWith("://", at + 1));

function tokensOf(line: string, is_link = false): Token[] {
  const tokens: Token[] = [];
  const closing = !is_link && line.includes("](http") ? closingBrackets(line) : null;
  let pieces: string[] = [];
  let from = 0;
  let at = 0;
  /** Ends the current text at `end`, adds `token`, and continues at `next`. */
  const endText = (end: number, next: number, token?: Token) => {
    pieces.push(line.slice(from, end));
    from = at = next;
    if (!token) return;
    const text = pieces.join("");
    if (text) tokens.push({ type: "text", text });
    tokens.push(token);
    pieces = [];
  };
  while (at < line.length) {
    const letter = line[at];
    if (isEscape(line, at)) {
      endText(at, at + 1);
      at++;
    } else if (letter === "*") {
      const end = endOfRun(line, at, "*");
      if (end - at === 2) endText(at, end, { type: "bold" });
      else at = end;
    } else if (is_link) {
      at++;
    } else if (letter === "[") {
      const link = closing && linkAt(line, at, closing);
      if (link) endText(at, link.end, { type: "done", inlines: link.inlines });
      else at++;
    } else if (letter === "｜" || letter === "|") {
      const ruby = rubyAt(line, at);
      if (ruby) endText(at, ruby.end, { type: "done", inlines: [ruby.inline] });
      else at++;
    } else if (letter === "《") {
      const base = startOfKanji(line, at, from);
      const end = base < at ? endOfReading(line, at) : -1;
      if (end > 0) {
        const inline: Inline = { type: "ruby", text: line.slice(base, at), reading: line.slice(at + 1, end - 1) };
        endText(base, end, { type: "done", inlines: [inline] });
      } else at++;
    } else if (letter === "h") {
      const url = urlAt(line, at);
      if (url?.href)
        endText(at, url.end, { type: "done", inlines: [{ type: "text", text: url.href, href: url.href }] });
      else at = url?.end ?? at + 1;
    } else at++;
  }
  const text = pieces.join("") + line.slice(from);
  if (text) tokens.push({ type: "text", text });
  return tokens;
}

function endOfRun(line: string, at: number, letter: string): number {
  let end = at;
  while (line[end] === letter) end++;
  return end;
}

/** Maps each opening bracket to its closing bracket, by position, if there is no whitespace between the brackets. */
function closingBrackets(line: string): Map<number, number> {
  const pairs = new Map<number, number>();
  let open: number[] = [];
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string;
    if (letter === "(") open.push(at);
    else if (letter === ")") {
      const opening = open.pop();
      if (opening !== undefined) pairs.set(opening, at);
    } else if (/\s/.test(letter)) open = [];
  }
  return pairs;
}

/** Reads a link: `[文字](https://…)` */
function linkAt(line: string, at: number, closing: Map<number, number>) {
  let end = at + 1;
  while (end < line.length && line[end] !== "]" && line[end] !== "[") end += isEscape(line, end) ? 2 : 1;
  if (line[end] !== "]" || line[end + 1] !== "(" || end === at + 1) return null;
  const close = closing.get(end + 1);
  if (close === undefined) return null;
  const href = line.slice(end + 2, close);
  if (!isLink(href)) return null;
  return { end: close + 1, inlines: inlinesOfTokens(tokensOf(line.slice(at + 1, end), true), href) };
}

const isLink = (href: string) => /^https?:\/\/[^\s/]/.test(href) && href.length <= MAX_URL_LENGTH && URL.canParse(href);

const RUBY_MARKS = new Set(["｜", "|", "《", "》", "\\"]);

/** Reads ruby: `｜お好み《ルビ》` */
function rubyAt(line: string, at: number): { end: number; inline: Inline } | null {
  let angle = at + 1;
  while (angle < line.length && !RUBY_MARKS.has(line[angle] as string)) angle++;
  if (line[angle] !== "《" || angle === at + 1) return null;
  const end = endOfReading(line, angle);
  if (end < 0) return null;
  return { end, inline: { type: "ruby", text: line.slice(at + 1, angle), reading: line.slice(angle + 1, end - 1) } };
}

/** Returns the position after the reading's closing bracket, or -1 if there is none. */
function endOfReading(line: string, angle: number): number {
  let end = angle + 1;
  while (end < line.length && !RUBY_MARKS.has(line[end] as string)) end++;
  return line[end] === "》" && end > angle + 1 ? end + 1 : -1;
}

const KANJI = /^[\p{Script=Han}〆ヶ]$/u;

function startOfKanji(line: string, end: number, from: number): number {
  let at = end;
  while (at > from) {
    const is_pair = at - 2 >= from && /[\udc00-\udfff]/.test(line[at - 1] as string);
    const start = is_pair ? at - 2 : at - 1;
    if (!KANJI.test(line.slice(start, at))) break;
    at = start;
  }
  return at;
}

/**
 * Matches the characters of a URL. It excludes `*`, so that bold text can end, and Japanese letters, so that a sentence
 * can continue.
 */
const URL_LETTERS = /[\w\-.~:/?#[\]@!$&'()+,;=%]*/y;

/** Reads a bare URL at this position. Returns its end, and `href` null if it cannot be a link. */
function urlAt(line: string, at: number): { end: number; href: string | null } | null {
  if (!line.startsWith("http://", at) && !line.startsWith("https://", at)) return null;
  if (at > 0 && /\w/.test(line[at - 1] as string)) return null;
  URL_LETTERS.lastIndex = at;
  const run = URL_LETTERS.exec(line)?.[0] ?? "";
  let open = 0;
  for (const letter of run) open += letter === "(" ? 1 : letter === ")" ? -1 : 0;
  // Trailing punctuation, and a bracket around the URL, are no part of the URL.
  let length = run.length;
  while (/[.,:;!?'[\]]/.test(run[length - 1] as string) || (run[length - 1] === ")" && open < 0)) {
    if (run[length - 1] === ")") open++;
    length--;
  }
  const href = run.slice(0, length);
  return isLink(href) ? { end: at + length, href } : { end: at + run.length, href: null };
}

/** Finds all bare URLs in a text. */
export function urlsIn(text: string): { start: number; end: number; href: string }[] {
  const found: { start: number; end: number; href: string }[] = [];
  let at = text.indexOf("http");
  while (at >= 0) {
    const url = urlAt(text, at);
    if (url?.href) found.push({ start: at, end: url.end, href: url.href });
    at = text.indexOf("http", url?.end ?? at + 1);
  }
  return found;
}

// Printing

/** Prints a document as markup. `uploads` are those it may refer to by short codes. */
export function printMarkup(blocks: readonly Block[], uploads: Uploads = NONE): string {
  const printed = blocks.map((block) => printBlock(block, uploads));
  // An empty block prints a blank line between others.
  const first = printed.findIndex(Boolean);
  const last = printed.findLastIndex(Boolean);
  return first < 0
    ? ""
    : printed
        .slice(first, last + 1)
        .map((text, index) => (index === 0 ? text : text === "" ? "\n" : `\n\n${text}`))
        .join("");
}

function printBlock(block: Block, uploads: Uploads): string {
  switch (block.type) {
    case "paragraph":
      return block.content.length === 0 ? "" : printLines(block.content).map(escapeLine).join("\n");
    case "heading": {
      const said = printLines(block.content).join(" ");
      return isBlank(said) ? "" : `${block.level === 2 ? "#" : "##"} ${said}`;
    }
    case "list":
      return block.items
        .map((item, index) => {
          const [first = "", ...others] = printLines(item);
          const mark = block.is_ordered ? `${index + 1}. ` : "- ";
          return [mark + first, ...others.map((line) => `  ${escapeLine(line)}`)].join("\n");
        })
        .join("\n");
    case "quote":
      return printLines(block.content)
        .map((line) => (line === "" ? ">" : `> ${line}`))
        .join("\n");
    case "rule":
      return "---";
    case "paywall":
      return "===";
    case "image":
      return imageMark(block.image_id, uploads);
    case "audio":
      return audioMark(block.media_id, uploads);
    case "embed":
      return block.url;
  }
}

/** Prints the content of a block as lines. */
function printLines(content: readonly Inline[]): string[] {
  const lines: Inline[][] = [[]];
  for (const inline of content) {
    if (inline.type === "break") lines.push([]);
    else lines.at(-1)?.push(inline);
  }
  return lines.map((line) => printLine(mergeTexts(line.map(withoutLineEnds))));
}

const withoutLineEnds = (inline: Inline): Inline =>
  inline.type === "text" && /[\n\t]/.test(inline.text)
    ? { ...inline, text: inline.text.replace(/[\n\t]/g, " ") }
    : inline;

function printLine(inlines: readonly Inline[]): string {
  const has_angles = inlines.some(
    (inline) => inline.type === "ruby" || (inline.type === "text" && /《/.test(inline.text)),
  );
  let out = "";
  let link: string | undefined;
  const endLink = () => {
    if (link !== undefined) out += `](${addressOf(link)})`;
    link = undefined;
  };
  inlines.forEach((inline, index) => {
    if (inline.type === "break") return;
    if (inline.type === "ruby") {
      endLink();
      out += printRuby(inline, out);
      return;
    }
    const { text, bold = false, href } = inline;
    if (href !== link) endLink();
    if (href !== undefined && link === undefined) {
      if (!bold && text === href && standsAlone(href, out, inlines, index)) {
        out += href;
        return;
      }
      out += "[";
      link = href;
    }
    const escaped = href === undefined ? escapeText(text, out, has_angles) : escapeLinkText(text);
    out += bold ? `**${escaped}**` : escaped;
  });
  endLink();
  return out;
}

/** Whether a link can be printed as a bare URL and be parsed as the same link. */
function standsAlone(href: string, before: string, inlines: readonly Inline[], index: number): boolean {
  if (/\w$/.test(before) || (inlines.length === 1 && embedOf(href))) return false;
  const [next, other] = inlines.slice(index + 1);
  if (next?.type === "text" && next.href !== undefined) return false;
  const text = next?.type === "text" ? next.text : "";
  // The text after the URL must contain a character that ends the URL.
  if (other && /^[!-~]+$/.test(text)) return false;
  return urlAt(href + (next?.type === "text" && next.bold ? "" : text), 0)?.href === href;
}

function printRuby({ text, reading }: Extract<Inline, { type: "ruby" }>, before: string): string {
  if (!text || !reading || [...text, ...reading].some((letter) => RUBY_MARKS.has(letter))) {
    return escapeText(reading ? `${text}（${reading}）` : text, before, true);
  }
  const is_kanji = startOfKanji(text, text.length, 0) === 0 && startOfKanji(before, before.length, 0) === before.length;
  return is_kanji ? `${text}《${reading}》` : `｜${text}《${reading}》`;
}

/** Escapes everything that would be parsed as a mark, and leaves the rest unchanged. */
function escapeText(text: string, before: string, has_angles: boolean): string {
  return escapeCommon(text)
    .replace(/\](?=\()/g, "\\]")
    .replace(/(?<=https?):\/\//g, "\\://")
    .replace(has_angles ? /[|｜]/g : /(?!)/g, "\\$&")
    .replace(/《/g, (angle, at: number, all: string) => {
      const ahead = at > 0 ? all.slice(Math.max(0, at - 2), at) : before.slice(-2);
      return startOfKanji(ahead, ahead.length, 0) < ahead.length ? `\\${angle}` : angle;
    });
}

const escapeLinkText = (text: string) => escapeCommon(text).replace(/[[\]]/g, "\\$&");

function escapeCommon(text: string): string {
  return text.replace(/[\\*]/g, (mark, at: number) => {
    const [previous, next] = [text[at - 1], text[at + 1]];
    const is_plain =
      mark === "*"
        ? previous !== undefined && next !== undefined && previous !== "*" && next !== "*"
        : next !== undefined && !ESCAPED.has(next) && !text.startsWith("://", at + 1);
    return is_plain ? mark : `\\${mark}`;
  });
}

/** Escapes a URL for use inside round brackets. */
function addressOf(href: string): string {
  const pairs = closingBrackets(`(${href})`);
  const is_balanced = pairs.get(0) === href.length + 1;
  return is_balanced
    ? href
    : href.replace(/[()\s]/g, (letter) => encodeURIComponent(letter).replace("(", "%28").replace(")", "%29"));
}
