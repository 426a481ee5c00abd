import type { Block, Document, Inline } from "../../contract/document.ts";
import { plainText } from "../../contract/document-text.ts";
import { segmentsOf } from "../../contract/graphemes.ts";
import type { Pictures } from "./parts.ts";
import { escapeHtml, FONT, PARAGRAPH } from "./styles.ts";

/** Documents as a mail shows them: tags and styles that Gmail, Apple Mail and Outlook know. */

const HEADINGS = { 2: "font-size:20px;margin:32px 0 12px", 3: "font-size:17px;margin:24px 0 8px" };

/** The width of the card in which a document stands: 600 without its padding (render.ts). */
const CARD_WIDTH = 552;

/** Returns a document as HTML. Whatever was typed becomes text. */
export const documentHtml = (blocks: Document, pictures: Pictures): string =>
  blocks.map((block) => blockHtml(block, pictures)).join("\n");

/** Returns a document as text, with the addresses of its links and pictures. */
export const documentText = (blocks: Document, pictures: Pictures): string =>
  plainText(blocks.map((block) => withAddresses(block, pictures)));

function blockHtml(block: Block, pictures: Pictures): string {
  switch (block.type) {
    case "paragraph":
      return `<p class="words" style="${PARAGRAPH};color:#1d272b">${inlinesHtml(block.content)}</p>`;
    case "heading": {
      const tag = `h${block.level}`;
      return `<${tag} class="words" style="${FONT};font-weight:bold;line-height:1.5;overflow-wrap:anywhere;${HEADINGS[block.level]};color:#1d272b">${inlinesHtml(block.content)}</${tag}>`;
    }
    case "list": {
      const tag = block.is_ordered ? "ol" : "ul";
      return `<${tag} class="words" style="${PARAGRAPH};padding:0 0 0 24px;color:#1d272b">${block.items.map(itemHtml).join("")}</${tag}>`;
    }
    case "quote":
      return `<blockquote class="quiet rule" style="${PARAGRAPH};padding:4px 0 4px 16px;border-left:3px solid #dfe5e8;color:#55646b">${inlinesHtml(block.content)}</blockquote>`;
    case "rule":
      return `<hr class="rule" style="border:0;border-top:1px solid #dfe5e8;margin:28px 0">`;
    case "image":
      return imageHtml(findPicture(block.image_id, pictures));
    default:
      // The contract of newsletters refuses all other blocks.
      return "";
  }
}

/** Returns the picture of a block. A picture that was deleted is not among them. */
const findPicture = (image_id: string, pictures: Pictures) => pictures.find((picture) => picture.image_id === image_id);

/**
 * Returns a picture as HTML. Outlook shows it in the size of the attributes and ignores the margins of pictures, so a
 * paragraph has the margin. All others fit it to the width of the screen. The paragraph's style is also that of the
 * description, which mailboxes show in place of pictures that they block.
 */
function imageHtml(picture: Pictures[number] | undefined): string {
  if (!picture) return "";
  const width = Math.min(picture.width, CARD_WIDTH);
  const height = Math.max(1, Math.round((picture.height * width) / picture.width));
  const { url, alt } = picture;
  return `<p class="words" style="${PARAGRAPH};color:#1d272b"><img src="${escapeHtml(url)}" width="${width}" height="${height}" alt="${escapeHtml(alt)}" style="display:block;max-width:100%;height:auto;border-radius:8px"></p>`;
}

const itemHtml = (item: readonly Inline[]): string => `<li style="margin:0 0 6px">${inlinesHtml(item)}</li>`;

const inlinesHtml = (content: readonly Inline[]): string => content.map(inlineHtml).join("");

function inlineHtml(inline: Inline): string {
  if (inline.type === "break") return "<br>";
  // Few mail programs know ruby.
  if (inline.type === "ruby") return `${escapeHtml(inline.text)}（${escapeHtml(inline.reading)}）`;
  const text = inline.bold ? `<strong>${escapeHtml(inline.text)}</strong>` : escapeHtml(inline.text);
  return inline.href ? `<a class="link" href="${escapeHtml(inline.href)}" style="color:#1f7092">${text}</a>` : text;
}

function withAddresses(block: Block, pictures: Pictures): Block {
  if (block.type === "image") return imageWithAddress(block, pictures);
  if (block.type === "list") return { ...block, items: block.items.map(inlinesWithAddresses) };
  return "content" in block ? { ...block, content: inlinesWithAddresses(block.content) } : block;
}

function imageWithAddress(block: Extract<Block, { type: "image" }>, pictures: Pictures): Block {
  const picture = findPicture(block.image_id, pictures);
  if (!picture) return block;
  const { url, alt } = picture;
  return { type: "paragraph", content: [{ type: "text", text: `${alt ? `［画像：${alt}］` : "［画像］"}\n${url}` }] };
}

/** Mail programs take all that follows an address without a blank as its end, also Japanese words and brackets. */
function inlinesWithAddresses(content: readonly Inline[]): Inline[] {
  return content.map((inline, index) => {
    if (inline.type === "ruby") return { type: "text", text: `${inline.text}（${inline.reading}）` };
    if (inline.type !== "text" || !inline.href) return inline;
    if (inline.href !== inline.text) return { type: "text", text: `${inline.text}（ ${inline.href} ）` };
    const next = content[index + 1];
    const is_followed = next !== undefined && next.type !== "break" && !/^\s/.test(next.text);
    return is_followed ? { ...inline, text: `${inline.text} ` } : inline;
  });
}

const ELLIPSIS: Inline = { type: "text", text: "…" };

const encoder = new TextEncoder();
const bytesOf = (html: string): number => encoder.encode(html).length;

/** Takes whole parts while their HTML fits into `max_bytes`. Returns them, the first part that does not fit, and the room left. */
function takeWhole<Part>(parts: Iterable<Part>, htmlOf: (part: Part) => string, max_bytes: number) {
  const whole: Part[] = [];
  let room = max_bytes;
  for (const part of parts) {
    const bytes = bytesOf(htmlOf(part));
    if (bytes > room) return { whole, next: part, room };
    whole.push(part);
    room -= bytes;
  }
  return { whole, next: undefined, room };
}

/**
 * Returns the first blocks, as many as fit into `max_bytes` of HTML, and whether anything is left out. Cuts the next block
 * when it leaves more than half of the room empty: then it is a text without paragraphs.
 */
export function cutDocument(
  document: Document,
  pictures: Pictures,
  max_bytes: number,
): { blocks: Block[]; is_cut: boolean } {
  const { whole, next, room } = takeWhole(document, (block) => `${blockHtml(block, pictures)}\n`, max_bytes);
  if (next === undefined) return { blocks: whole, is_cut: false };
  return { blocks: room > max_bytes / 2 ? [...whole, openingOf(next, room)] : whole, is_cut: true };
}

/** Returns the beginning of a block, with its links and line breaks, and 「…」 behind it. */
function openingOf(block: Block, max_bytes: number): Block {
  if (block.type === "list") {
    const roomBeside = max_bytes - bytesOf(blockHtml({ ...block, items: [[ELLIPSIS]] }, []));
    const { whole, next = [], room } = takeWhole(block.items, itemHtml, roomBeside);
    return { ...block, items: [...whole, cutInlines(next, room)] };
  }
  if (!("content" in block)) return block;
  return {
    ...block,
    content: cutInlines(block.content, max_bytes - bytesOf(blockHtml({ ...block, content: [ELLIPSIS] }, []))),
  };
}

/** Returns the first inlines, the last one cut between characters as a reader sees them. 「…」 comes on top of `max_bytes`. */
function cutInlines(content: readonly Inline[], max_bytes: number): Inline[] {
  const { whole, next, room } = takeWhole(content, inlineHtml, max_bytes);
  if (next?.type !== "text") return [...whole, ELLIPSIS];
  const roomInside = room - bytesOf(inlineHtml({ ...next, text: "" }));
  const characters = takeWhole(segmentsOf(next.text), ({ segment }) => escapeHtml(segment), roomInside).whole;
  const text = characters.map(({ segment }) => segment).join("");
  return [...whole, ...(text === "" ? [] : [{ ...next, text }]), ELLIPSIS];
}
