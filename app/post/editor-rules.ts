import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from "prosemirror-inputrules";
import { Fragment, type Mark, type Node, Slice } from "prosemirror-model";
import { type EditorState, NodeSelection, Plugin, TextSelection, type Transaction } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import type { Block } from "../../workers/contract/document.ts";
import { embedOf } from "../../workers/contract/embeds.ts";
import { insertBlockAtCaret } from "./editor-blocks.ts";
import { nodeOf, type PostSchema } from "./editor-schema.ts";
import type { Uploads } from "./marks.ts";
import { parseMarkup, urlsIn } from "./markup.ts";

/* The marks of the text area (markup-help.tsx) also work when typed or pasted into the editor. Backspace right after
   a conversion restores the typed characters. */

/** A character after which a URL is complete. */
const URL_END = /[\s　、。，．！？）」』】]$/;
/** Punctuation that may stand between a URL and the character that completes it. */
const PUNCTUATION = /^[.,:;!?'")\]]*$/;

export function rulesOf(schema: PostSchema, uploads: () => Uploads): Plugin[] {
  const { nodes, marks } = schema;
  const rubyRule = (pattern: RegExp) =>
    new InputRule(pattern, (state, match, start, end) => {
      const [, text = "", reading = ""] = match;
      return state.tr.replaceWith(start, end, nodes.ruby.create({ text, reading }));
    });
  /** Returns an input rule that replaces a line by a block and puts the caret below the block. */
  const lineRule = (pattern: RegExp, blockOf: (line: string) => Node | null) =>
    new InputRule(pattern, (state, [line], start, end) => {
      const $start = state.doc.resolve(start);
      const block = $start.depth === 1 && $start.parent.type === nodes.paragraph ? blockOf(line) : null;
      return block && insertBlockAtCaret(state.tr.delete(start, end), block);
    });
  const uploadBlockOf = (line: string) => {
    const [block] = parseMarkup(line, uploads());
    return block?.type === "image" || block?.type === "audio" ? nodeOf(schema, [block]).child(0) : null;
  };
  const bold = new InputRule(/(?<![*\\])\*\*([^*]+)\*\*$/, (state, [, said = ""], start, end) => {
    const { tr } = state;
    tr.delete(start + 2 + said.length, end).delete(start, start + 2);
    return tr.addMark(start, start + said.length, marks.bold.create()).removeStoredMark(marks.bold);
  });
  const link = new InputRule(/\[([^[\]\ufffc]+)\]\((https?:\/\/[^\s()]+)\)$/, (state, match, start, end) => {
    const [, said = "", href = ""] = match;
    const typed = URL.canParse(href) ? [marks.link.create({ href })] : null;
    return typed && state.tr.replaceWith(start, end, schema.text(said, typed)).removeStoredMark(marks.link);
  });
  const address = new InputRule(URL_END, (state, [typed], start, end) => {
    const tr = linkAddressBefore(state, start, schema);
    return tr?.insertText(typed, start, end) ?? null;
  });
  const rules = [
    rubyRule(/[｜|]([^｜|《》\\]{1,100})《([^｜|《》\\]{1,100})》$/),
    rubyRule(/([\p{Script=Han}〆ヶ]{1,50})《([^｜|《》\\]{1,100})》$/u),
    bold,
    link,
    address,
    textblockTypeInputRule(/^#[ 　]$/, nodes.heading, { level: 2 }),
    textblockTypeInputRule(/^##[ 　]$/, nodes.heading, { level: 3 }),
    textblockTypeInputRule(/^>[ 　]$/, nodes.quote),
    wrappingInputRule(/^-[ 　]$/, nodes.bullet_list),
    wrappingInputRule(/^1\.[ 　]$/, nodes.ordered_list),
    lineRule(/^---$/, () => nodes.rule.create()),
    lineRule(/^===$/, () => nodes.paywall.create()),
    lineRule(/^\[(?:画像|音声)[:：][0-9a-z]{4,26}\]$/, uploadBlockOf),
  ];
  return [addressesPlugin(schema), inputRules({ rules })];
}

/** Links the URL that ends before this position. Returns null if no URL ends here, or if it is already linked. */
function linkAddressBefore({ doc, tr }: EditorState, pos: number, { marks }: PostSchema): Transaction | null {
  const $pos = doc.resolve(pos);
  if (!$pos.parent.isTextblock) return null;
  const before = $pos.parent.textBetween(0, $pos.parentOffset, undefined, "\ufffc");
  const url = urlsIn(before).at(-1);
  if (!url || !PUNCTUATION.test(before.slice(url.end))) return null;
  const [from, to] = [$pos.start() + url.start, $pos.start() + url.end];
  if (doc.rangeHasMark(from, to, marks.link)) return null;
  return tr.addMark(from, to, marks.link.create({ href: url.href })).removeStoredMark(marks.link);
}

/** Links URLs on Enter, on blur and on paste. Also keeps typing from replacing a selected block. */
function addressesPlugin(schema: PostSchema): Plugin {
  const { nodes } = schema;
  const linkAtCaret = (view: EditorView) => {
    const { selection } = view.state;
    if (view.isDestroyed || !(selection instanceof TextSelection) || !selection.$cursor) return;
    const tr = linkAddressBefore(view.state, selection.from, schema);
    if (tr) view.dispatch(tr);
  };
  return new Plugin({
    props: {
      handleKeyDown(view, event) {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return false;
        const { $from, empty } = view.state.selection;
        const line = $from.parent.type === nodes.paragraph && $from.depth === 1 ? $from.parent : null;
        const is_end = empty && line !== null && $from.parentOffset === line.content.size;
        const embed = is_end ? embedOfLine(line) : null;
        if (embed) {
          const [start, end] = [$from.start(), $from.end()];
          view.dispatch(insertBlockAtCaret(view.state.tr.delete(start, end), nodes.embed.create({ url: embed.url })));
          return true;
        }
        linkAtCaret(view);
        return false;
      },
      /** If a block is selected, inserts typed text below it instead of replacing it. */
      handleTextInput(view, _from, _to, text) {
        const { selection, tr } = view.state;
        if (!(selection instanceof NodeSelection) || !selection.node.isBlock) return false;
        tr.insert(selection.to, nodes.paragraph.create(null, schema.text(text)));
        const caret = TextSelection.create(tr.doc, selection.to + 1 + text.length);
        view.dispatch(tr.setSelection(caret).scrollIntoView());
        return true;
      },
      transformPasted: (slice) => new Slice(linkUrls(slice.content, schema), slice.openStart, slice.openEnd),
      handleDOMEvents: {
        blur: (view) => {
          linkAtCaret(view);
          return false;
        },
      },
    },
    /** Adds an empty line below a last block, so that there is always a line to write on. */
    appendTransaction(_transactions, _before, { doc, tr }) {
      return doc.lastChild?.isAtom ? tr.insert(doc.content.size, nodes.paragraph.create()) : null;
    },
  });
}

/** The video or audio of a line that consists of only its URL. */
const embedOfLine = (line: Node) => (/^https?:\/\/\S+$/.test(line.textContent) ? embedOf(line.textContent) : null);

/** Returns pasted content with its URLs as links. */
function linkUrls(content: Fragment, schema: PostSchema): Fragment {
  const nodes: Node[] = [];
  content.forEach((node) => {
    if (!node.isText) nodes.push(node.copy(linkUrls(node.content, schema)));
    else if (schema.marks.link.isInSet(node.marks)) nodes.push(node);
    else nodes.push(...linkUrlsInText(node, schema));
  });
  return Fragment.fromArray(nodes);
}

function linkUrlsInText(node: Node, schema: PostSchema): Node[] {
  const text = node.text ?? "";
  const pieces: Node[] = [];
  const add = (from: number, to: number, marks: readonly Mark[]) => {
    if (to > from) pieces.push(schema.text(text.slice(from, to), marks));
  };
  let at = 0;
  for (const { start, end, href } of urlsIn(text)) {
    add(at, start, node.marks);
    add(start, end, schema.marks.link.create({ href }).addToSet(node.marks));
    at = end;
  }
  add(at, text.length, node.marks);
  return pieces;
}

/** Parses pasted text. Inside a sentence a URL becomes a link, even if it could be embedded. */
export function blocksOfText(text: string, is_in_sentence: boolean, uploads: Uploads): readonly Block[] {
  const blocks = parseMarkup(text, uploads);
  const [first, ...others] = blocks;
  if (!is_in_sentence || first?.type !== "embed" || others.length > 0) return blocks;
  const href = text.trim();
  return [{ type: "paragraph", content: [{ type: "text", text: href, href }] }];
}
