import type { Block, Document, Inline } from "../../contract/document.ts";
import { plainText } from "../../contract/document-text.ts";
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
      const items = block.items.map((item) => `<li style="margin:0 0 6px">${inlinesHtml(item)}</li>`).join("");
      return `<${tag} class="words" style="${PARAGRAPH};padding:0 0 0 24px;color:#1d272b">${items}</${tag}>`;
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

/** Characters of a block that is too long alone. Each takes at most 6 bytes of HTML (`&#nnnn;` of markup, or UTF-8). */
const OPENING = 10_000;

const encoder = new TextEncoder();

/** Returns the first blocks, as many as fit into `max_bytes` of HTML, and whether any block is left out. */
export function cutDocument(
  document: Document,
  pictures: Pictures,
  max_bytes: number,
): { blocks: Block[]; is_cut: boolean } {
  const blocks: Block[] = [];
  let bytes = 0;
  for (const block of document) {
    bytes += encoder.encode(blockHtml(block, pictures)).length + 1;
    if (bytes > max_bytes) return { blocks: blocks.length > 0 ? blocks : [openingOf(block)], is_cut: true };
    blocks.push(block);
  }
  return { blocks, is_cut: false };
}

function openingOf(block: Block): Block {
  const text = `${plainText([block]).slice(0, OPENING).toWellFormed()}…`;
  return { type: "paragraph", content: [{ type: "text", text }] };
}
