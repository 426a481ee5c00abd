import type { Node } from "prosemirror-model";
import { Selection, type Transaction } from "prosemirror-state";

/**
 * Inserts a block and returns the position below it. Splits a paragraph, list or quotation at the position; replaces an
 * empty paragraph. Deletes no text.
 */
export function insertBlock(tr: Transaction, block: Node, at: number): { below: number; has_rest: boolean } {
  const $at = tr.doc.resolve(at);
  if ($at.depth === 1 && $at.parent.isTextblock && $at.parent.content.size === 0) {
    tr.replaceWith($at.before(), $at.after(), block);
    return { below: $at.before() + block.nodeSize, has_rest: false };
  }
  let pos = at;
  let depth = $at.depth;
  // Move the position out of every block that starts or ends here. Splitting a block at its edge would leave an empty
  // block.
  for (; depth > 0; depth--) {
    if (pos === $at.end(depth)) pos = $at.after(depth);
    else if (pos === $at.start(depth)) pos = $at.before(depth);
    else break;
  }
  const is_split = depth > 0;
  if (is_split) {
    tr.split(pos, depth);
    pos += depth;
  }
  tr.insert(pos, block);
  return { below: pos + block.nodeSize, has_rest: is_split || pos < at };
}

/** Inserts a block at the caret and moves the caret to a line below it, where the writer continues. */
export function insertBlockAtCaret(tr: Transaction, block: Node, at = tr.selection.to): Transaction {
  const { below, has_rest } = insertBlock(tr, block, at);
  const next = tr.doc.nodeAt(below);
  const is_line = next?.type.name === "paragraph" && next.content.size === 0;
  const { paragraph } = tr.doc.type.schema.nodes;
  if (!has_rest && !is_line && paragraph) tr.insert(below, paragraph.create());
  return tr.setSelection(Selection.near(tr.doc.resolve(below), 1)).scrollIntoView();
}
