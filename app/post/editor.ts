import { baseKeymap, chainCommands, exitCode, setBlockType, toggleMark } from "prosemirror-commands";
import { history, redo, undo } from "prosemirror-history";
import {
  InputRule,
  inputRules,
  textblockTypeInputRule,
  undoInputRule,
  wrappingInputRule,
} from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import { Fragment, type Node, Slice } from "prosemirror-model";
import { liftListItem, splitListItem, wrapInList } from "prosemirror-schema-list";
import { type Command, EditorState, NodeSelection, type Plugin, type Transaction } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import { documentOf, nodeOf, type PostSchema, schemaOf } from "./editor-schema.ts";
import { toolbar } from "./editor-toolbar.ts";
import { parseMarkup, printMarkup } from "./markup.ts";
import { cleanPasted } from "./pasted.ts";
import { idsOf } from "./values.ts";

/** An editor over a text area. Everything it does ends as markup in the area, which is what the form sends. */
export interface Editor {
  show(): void;
  hide(): void;
  close(): void;
}

/** The text area need not know each letter; whoever sends the form asks first. */
const WRITE_MS = 300;

export function openEditor(options: {
  /** Where the tools go. */
  host: HTMLElement;
  area: HTMLTextAreaElement;
  images: readonly Image[];
  media: readonly MediaFile[];
  label: string;
}): Editor {
  const { host, area, images, media, label } = options;
  const { form } = area;
  const schema = schemaOf({ images, media });
  // What is in the form now: pictures come and go while it is open.
  const uploads = () => ({
    image_ids: idsOf((form?.elements.namedItem("images") as HTMLInputElement | null)?.value),
    media_ids: media.map(({ media_id }) => media_id),
  });
  const place = document.createElement("div");
  place.className = "control body-rich prose";
  place.hidden = true;
  area.parentNode?.insertBefore(place, area.nextSibling);
  let view: EditorView | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let is_written = true;

  const write = () => {
    clearTimeout(timer);
    if (is_written || !view) return;
    is_written = true;
    area.value = printMarkup(documentOf(view.state.doc), uploads());
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const tools = toolbar(schema, () => view);
  host.appendChild(tools.element);

  const stateOf = (): EditorState =>
    EditorState.create({ doc: nodeOf(schema, parseMarkup(area.value, uploads())), plugins: pluginsOf(schema) });
  const dispatch = (transaction: Transaction) => {
    if (!view) return;
    view.updateState(view.state.apply(transaction));
    tools.update(view.state);
    if (!transaction.docChanged) return;
    is_written = false;
    clearTimeout(timer);
    timer = setTimeout(write, WRITE_MS);
  };
  const open = () => {
    const named = { "aria-label": label, "aria-multiline": "true", role: "textbox" };
    const described = area.getAttribute("aria-describedby");
    return new EditorView(place, {
      state: stateOf(),
      dispatchTransaction: dispatch,
      attributes: {
        ...named,
        ...(described && { "aria-describedby": described }),
        ...(area.hasAttribute("aria-invalid") && { "aria-invalid": "true" }),
      },
      transformPastedHTML: cleanPasted,
      clipboardTextParser: (text) => sliceOf(nodeOf(schema, parseMarkup(text, uploads()))),
      clipboardTextSerializer: (slice) =>
        printMarkup(documentOf(schema.nodes.doc.create(null, slice.content)), uploads()),
    });
  };
  const insert = (event: Event) => {
    if (!view || place.hidden) return;
    event.preventDefault();
    const [block] = parseMarkup((event as CustomEvent<string>).detail, uploads());
    if (!block) return;
    view.dispatch(view.state.tr.replaceSelectionWith(nodeOf(schema, [block]).child(0)).scrollIntoView());
    view.focus();
  };
  const reread = () => view?.updateState(stateOf());
  const send = (event: FormDataEvent) => {
    write();
    if (!is_written || view) event.formData.set(area.name, area.value);
  };
  form?.addEventListener("insert-mark", insert, true);
  form?.addEventListener("write-down", write);
  form?.addEventListener("formdata", send);
  area.addEventListener("set", reread);

  return {
    show() {
      place.hidden = false;
      area.hidden = true;
      tools.element.hidden = false;
      view ??= open();
      reread();
      tools.update(view.state);
    },
    hide() {
      write();
      place.hidden = true;
      area.hidden = false;
      tools.element.hidden = true;
    },
    close() {
      write();
      form?.removeEventListener("insert-mark", insert, true);
      form?.removeEventListener("write-down", write);
      form?.removeEventListener("formdata", send);
      area.removeEventListener("set", reread);
      view?.destroy();
      view = null;
      place.remove();
      tools.element.remove();
      area.hidden = false;
    },
  };
}

/** What was pasted as text: a line goes into the line it is pasted in, more stand by themselves. */
function sliceOf(doc: Node): Slice {
  const [first, last] = [doc.firstChild, doc.lastChild];
  const is_open = (node: Node | null) => (node?.type.name === "paragraph" ? 1 : 0);
  return new Slice(Fragment.from(doc.content), is_open(first), is_open(last));
}

function pluginsOf(schema: PostSchema): Plugin[] {
  const { nodes, marks } = schema;
  const lineEnd: Command = (state, dispatch) => {
    if (!state.selection.$from.parent.inlineContent || state.selection.$from.parent.type === nodes.heading)
      return false;
    dispatch?.(state.tr.replaceSelectionWith(nodes.break.create()).scrollIntoView());
    return true;
  };
  /** A quotation goes on with Enter, until a line of it is left empty. */
  const inQuote: Command = (state, dispatch) => {
    const { $from, empty } = state.selection;
    if ($from.parent.type !== nodes.quote || !empty) return false;
    const is_end = $from.parentOffset === $from.parent.content.size && $from.nodeBefore?.type === nodes.break;
    if (!is_end) return lineEnd(state, dispatch);
    const behind = $from.after();
    dispatch?.(
      state.tr
        .delete($from.pos - 1, $from.pos)
        .insert(behind - 1, nodes.paragraph.create())
        .setSelection(NodeSelection.near(state.tr.doc.resolve($from.pos - 1)) as NodeSelection),
    );
    return true;
  };
  const plainAtStart: Command = (state, dispatch) => {
    const { $from, empty } = state.selection;
    const is_start = empty && $from.parentOffset === 0 && [nodes.heading, nodes.quote].includes($from.parent.type);
    return is_start && setBlockType(nodes.paragraph)(state, dispatch);
  };
  const headings = Object.fromEntries(
    [2, 3].map((level) => [`Mod-Alt-${level}`, setBlockType(nodes.heading, { level })] as const),
  );
  return [
    inputRules({ rules: rulesOf(schema) }),
    keymap({
      "Mod-b": toggleMark(marks.bold),
      "Mod-z": undo,
      "Mod-y": redo,
      "Shift-Mod-z": redo,
      "Mod-Alt-0": setBlockType(nodes.paragraph),
      ...headings,
      "Shift-Enter": chainCommands(exitCode, lineEnd),
      Enter: chainCommands(inQuote, splitListItem(nodes.list_item), liftListItem(nodes.list_item)),
      Backspace: chainCommands(undoInputRule, plainAtStart),
      "Mod-Shift-7": wrapInList(nodes.ordered_list),
      "Mod-Shift-8": wrapInList(nodes.bullet_list),
      // Tab leaves the editor, as it leaves any field.
    }),
    keymap(baseKeymap),
    history(),
  ];
}

/** Marks that people type anyway become what they mean. Undone by Backspace. */
function rulesOf({ nodes }: PostSchema): InputRule[] {
  const ruby = (pattern: RegExp) =>
    new InputRule(pattern, (state, match, start, end) => {
      const [, text = "", reading = ""] = match;
      return state.tr.replaceWith(start, end, nodes.ruby.create({ text, reading }));
    });
  const whole = (pattern: RegExp, node: () => Node) =>
    new InputRule(pattern, (state, _, start) => {
      const $start = state.doc.resolve(start);
      return state.tr
        .replaceRangeWith($start.before(), $start.after(), node())
        .insert($start.after(), nodes.paragraph.create());
    });
  return [
    ruby(/[｜|]([^｜|《》\\]{1,100})《([^｜|《》\\]{1,100})》$/),
    ruby(/([\p{Script=Han}〆ヶ]{1,50})《([^｜|《》\\]{1,100})》$/u),
    textblockTypeInputRule(/^#[ 　]$/, nodes.heading, { level: 2 }),
    textblockTypeInputRule(/^##[ 　]$/, nodes.heading, { level: 3 }),
    textblockTypeInputRule(/^>[ 　]$/, nodes.quote),
    wrappingInputRule(/^-[ 　]$/, nodes.bullet_list),
    wrappingInputRule(/^1\.[ 　]$/, nodes.ordered_list),
    whole(/^---$/, () => nodes.rule.create()),
    whole(/^===$/, () => nodes.paywall.create()),
  ];
}
