import type { Block, Inline } from "./document.ts";

/** A document as plain text: for leads, feeds, search and bounds. Imports nothing that runs, so that a browser may load it. */
export function plainText(blocks: readonly Block[]): string {
  return blocks.map(textOfBlock).filter(Boolean).join("\n\n");
}

/** What comes before the paywall line; null where there is none. */
export function freePart(blocks: readonly Block[]): Block[] | null {
  const at = blocks.findIndex(({ type }) => type === "paywall");
  return at < 0 ? null : blocks.slice(0, at);
}

function textOfBlock(block: Block): string {
  switch (block.type) {
    case "paragraph":
    case "heading":
    case "quote":
      return textOf(block.content);
    case "list":
      return block.items.map((item) => `・${textOf(item)}`).join("\n");
    default:
      return "";
  }
}

function textOf(content: readonly Inline[]): string {
  return content.map((inline) => (inline.type === "break" ? "\n" : inline.text)).join("");
}
