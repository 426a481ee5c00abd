import type { Block, Document, Inline } from "../../contract/document.ts";
import { plainText } from "../../contract/document-text.ts";
import { escapeHtml, FONT, PARAGRAPH } from "./styles.ts";

/** Documents as a mail shows them: tags and styles that Gmail, Apple Mail and Outlook know. */

const HEADINGS = { 2: "font-size:20px;margin:32px 0 12px", 3: "font-size:17px;margin:24px 0 8px" };

/** Returns a document as HTML. Whatever was typed becomes text. */
export const documentHtml = (blocks: Document): string => blocks.map(blockHtml).join("\n");

/** Returns a document as text, with the addresses of its links. */
export const documentText = (blocks: Document): string => plainText(blocks.map(withAddresses));

function blockHtml(block: Block): string {
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
    default:
      // The contract of newsletters refuses all other blocks.
      return "";
  }
}

const inlinesHtml = (content: readonly Inline[]): string => content.map(inlineHtml).join("");

function inlineHtml(inline: Inline): string {
  if (inline.type === "break") return "<br>";
  // Few mail programs know ruby.
  if (inline.type === "ruby") return `${escapeHtml(inline.text)}（${escapeHtml(inline.reading)}）`;
  const text = inline.bold ? `<strong>${escapeHtml(inline.text)}</strong>` : escapeHtml(inline.text);
  return inline.href ? `<a class="link" href="${escapeHtml(inline.href)}" style="color:#1f7092">${text}</a>` : text;
}

function withAddresses(block: Block): Block {
  if (block.type === "list") return { ...block, items: block.items.map(inlinesWithAddresses) };
  return "content" in block ? { ...block, content: inlinesWithAddresses(block.content) } : block;
}

function inlinesWithAddresses(content: readonly Inline[]): Inline[] {
  return content.map((inline) => {
    if (inline.type === "ruby") return { type: "text", text: `${inline.text}（${inline.reading}）` };
    if (inline.type !== "text" || !inline.href || inline.href === inline.text) return inline;
    return { type: "text", text: `${inline.text}（${inline.href}）` };
  });
}

/** Characters of a block that is too long alone. Each takes at most 6 bytes of HTML (`&#nnnn;` of markup, or UTF-8). */
const OPENING = 10_000;

const encoder = new TextEncoder();

/** Returns the first blocks, as many as fit into `max_bytes` of HTML, and whether any block is left out. */
export function cutDocument(document: Document, max_bytes: number): { blocks: Block[]; is_cut: boolean } {
  const blocks: Block[] = [];
  let bytes = 0;
  for (const block of document) {
    bytes += encoder.encode(blockHtml(block)).length + 1;
    if (bytes > max_bytes) return { blocks: blocks.length > 0 ? blocks : [openingOf(block)], is_cut: true };
    blocks.push(block);
  }
  return { blocks, is_cut: false };
}

function openingOf(block: Block): Block {
  const text = `${plainText([block]).slice(0, OPENING).toWellFormed()}…`;
  return { type: "paragraph", content: [{ type: "text", text }] };
}
