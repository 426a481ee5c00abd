import type { Block, Inline } from "./document.ts";

/**
 * Returns a document as plain text, for leads, feeds, search and length checks. This file imports only types, so that a
 * browser can load it without zod.
 */
export function plainText(blocks: readonly Block[]): string {
  return blocks.map(textOfBlock).filter(Boolean).join("\n\n");
}

/** Returns the blocks before the paywall line; null when the document has none. */
export function freePart(blocks: readonly Block[]): Block[] | null {
  const at = blocks.findIndex(({ type }) => type === "paywall");
  return at < 0 ? null : blocks.slice(0, at);
}

/**
 * Returns the addresses of all links in a document, in order. Neighbouring runs with the same address count as one
 * link.
 */
export function linksIn(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    const contents = block.type === "list" ? block.items : "content" in block ? [block.content] : [];
    return contents.flatMap((content) =>
      content.flatMap((inline, index) => {
        const href = hrefOf(inline);
        return href === undefined || href === hrefOf(content[index - 1]) ? [] : [href];
      }),
    );
  });
}

const hrefOf = (inline: Inline | undefined) => (inline?.type === "text" ? inline.href : undefined);

function textOfBlock(block: Block): string {
  switch (block.type) {
    case "paragraph":
    case "heading":
    case "quote":
      return textOf(block.content);
    case "list":
      return block.items
        .map((item, index) => `${block.is_ordered ? `${index + 1}. ` : "・"}${textOf(item)}`)
        .join("\n");
    default:
      return "";
  }
}

function textOf(content: readonly Inline[]): string {
  return content.map((inline) => (inline.type === "break" ? "\n" : inline.text)).join("");
}
