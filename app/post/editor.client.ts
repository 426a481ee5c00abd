import { baseKeymap, chainCommands, exitCode, setBlockType, toggleMark } from "prosemirror-commands";
import { history, redo, undo } from "prosemirror-history";
import { undoInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import { Fragment, type Node, Slice } from "prosemirror-model";
import { liftListItem, splitListItem, wrapInList } from "prosemirror-schema-list";
import { type Command, EditorState, type Plugin, Selection, type Transaction } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import type { Uploaded } from "../browser/upload.ts";
import { insertBlock, insertBlockAtCaret } from "./editor-blocks.ts";
import { blocksOfText, rulesOf } from "./editor-rules.ts";
import { documentOf, nodeOf, type PostSchema, schemaOf } from "./editor-schema.ts";
import { createToolbar } from "./editor-toolbar.ts";
import { audioMark, imageMark } from "./marks.ts";
import { parseMarkup, printMarkup } from "./markup.ts";
import { cleanPasted } from "./pasted.ts";
import { idsOf } from "./values.ts";

/** An editor that covers a text area. It writes every change as markup into the text area, which the form sends. */
export interface Editor {
  show(): void;
  hide(): void;
  close(): void;
}

/** The delay before the editor writes a change. Code that sends the form triggers the write first. */
const WRITE_MS = 300;

export function openEditor(options: {
  /** The element into which the toolbar is rendered. */
  host: HTMLElement;
  area: HTMLTextAreaElement;
  images: readonly Image[];
  media: readonly MediaFile[];
  label: string;
  /** Whether uploads are inserted into the text. Otherwise they are shown beside it. */
  places_uploads: boolean;
  /** Whether the text may have a paywall line. */
  has_paywall: boolean;
}): Editor {
  const { host, area, images, media, label, places_uploads, has_paywall } = options;
  const { form } = area;
  // The form's uploads. The list grows while the page is open.
  const known = { images: [...images], media: [...media] };
  const schema = schemaOf(known);
  const { nodes } = schema;
  // Read the ids from the form, because pictures are added and removed while it is open.
  const idsIn = (name: string) => idsOf((form?.elements.namedItem(name) as HTMLInputElement | null)?.value);
  const readUploads = () => ({ image_ids: idsIn("images"), media_ids: idsIn("audios") });
  const place = document.createElement("div");
  place.className = "control body-rich prose";
  place.hidden = true;
  area.parentNode?.insertBefore(place, area.nextSibling);
  let view: EditorView | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let is_written = true;
  /** The positions where files were chosen, pasted or dropped, until they are uploaded. */
  const places = new Map<File, number>();

  const writeMarkup = () => {
    clearTimeout(timer);
    if (is_written || !view) return;
    is_written = true;
    area.value = printMarkup(documentOf(view.state.doc), readUploads());
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const tools = createToolbar(schema, () => view, has_paywall);
  host.appendChild(tools.element);

  /** Creates the editor's state with the caret at the end, where a writer who has not clicked yet continues. */
  const stateOf = (): EditorState => {
    const doc = nodeOf(schema, parseMarkup(area.value, readUploads()));
    return EditorState.create({
      doc,
      selection: Selection.atEnd(doc),
      plugins: [...rulesOf(schema, readUploads), ...keysOf(schema)],
    });
  };
  const dispatch = (transaction: Transaction) => {
    if (!view) return;
    view.updateState(view.state.apply(transaction));
    for (const [file, at] of places) places.set(file, transaction.mapping.map(at, -1));
    tools.update(view.state);
    if (!transaction.docChanged) return;
    is_written = false;
    clearTimeout(timer);
    timer = setTimeout(writeMarkup, WRITE_MS);
  };
  const openView = () => {
    return new EditorView(place, {
      state: stateOf(),
      dispatchTransaction: dispatch,
      attributes: () => {
        const described = area.getAttribute("aria-describedby");
        return {
          "aria-label": label,
          "aria-multiline": "true",
          role: "textbox",
          ...(described && { "aria-describedby": described }),
          ...(area.hasAttribute("aria-invalid") && { "aria-invalid": "true" }),
        };
      },
      transformPastedHTML: cleanPasted,
      handlePaste: (_view, { clipboardData }) => takeFiles(clipboardData),
      handleDrop(open, { clientX, clientY, dataTransfer }) {
        if (!dataTransfer?.files.length) return false;
        const at = open.posAtCoords({ left: clientX, top: clientY });
        const $at = at && open.state.doc.resolve(at.pos);
        // Insert the upload below the line of the drop, so that no word is split.
        const end = $at?.parent.isTextblock ? open.state.doc.resolve($at.end()) : $at;
        if (end) open.dispatch(open.state.tr.setSelection(Selection.near(end)));
        return takeFiles(dataTransfer);
      },
      clipboardTextParser: (text, { parent }) =>
        sliceOf(nodeOf(schema, blocksOfText(text, parent.content.size > 0, readUploads()))),
      clipboardTextSerializer: (slice) =>
        printMarkup(documentOf(schema.nodes.doc.create(null, slice.content)), readUploads()),
    });
  };
  const insertUpload = (event: Event) => {
    if (!view || place.hidden) return;
    event.preventDefault();
    const [block] = parseMarkup((event as CustomEvent<string>).detail, readUploads());
    if (!block) return;
    view.dispatch(insertBlockAtCaret(view.state.tr, nodeOf(schema, [block]).child(0)));
    view.focus();
  };
  const beginUpload = (event: Event) => {
    if (view && !place.hidden) places.set((event as CustomEvent<File>).detail, view.state.selection.to);
  };
  const addUpload = (event: Event) => {
    const { image, media, file } = (event as CustomEvent<Uploaded & { file: File }>).detail;
    if (image) known.images.push(image);
    if (media) known.media.push(media);
    if (!places_uploads || media?.kind === "video") return;
    if (view && !place.hidden) {
      const block = image
        ? nodes.picture.create({ image_id: image.image_id })
        : nodes.sound.create({ media_id: media.media_id });
      placeUpload(view, block, file);
      return;
    }
    const { image_ids, media_ids } = readUploads();
    const mark = image
      ? imageMark(image.image_id, { image_ids: [...image_ids, image.image_id], media_ids })
      : audioMark(media.media_id, { image_ids, media_ids: [...media_ids, media.media_id] });
    placeInArea(area, mark);
  };
  /** Inserts an upload where its file was chosen. Moves the caret below it only if the caret is still there. */
  const placeUpload = (open: EditorView, block: Node, file: File) => {
    if (open.isDestroyed) return;
    if (open.composing) {
      // Changing the line would abort an input method's composition, so wait for its end.
      open.dom.addEventListener("compositionend", () => setTimeout(placeUpload, 50, open, block, file), { once: true });
      return;
    }
    const { tr, selection } = open.state;
    const at = places.get(file) ?? selection.to;
    places.delete(file);
    const same = [...places].filter(([, other]) => other === at);
    const below = at === selection.to ? insertBlockAtCaret(tr, block).selection.to : insertBlock(tr, block, at).below;
    open.dispatch(tr);
    // Keep the order of files that were chosen together.
    for (const [other] of same) places.set(other, below);
  };
  /** Passes pasted or dropped files to the form's file field. */
  const takeFiles = (data: DataTransfer | null): boolean => {
    const input = form?.querySelector<HTMLInputElement>("input[type=file]");
    // Word processors add a picture of the copied text. Use the text instead.
    if (!input || !data?.files.length || data.types.includes("text/plain")) return false;
    input.files = data.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  };
  const takeFromArea = (event: Event) => {
    const { clipboardData, dataTransfer } = event as Partial<ClipboardEvent & DragEvent>;
    if (takeFiles(clipboardData ?? dataTransfer ?? null)) event.preventDefault();
  };
  const rereadMarkup = () => view?.updateState(stateOf());
  // An answer changes the text area's errors. Setting no props reads the attributes again.
  const errors = new MutationObserver(() => view?.setProps({}));
  errors.observe(area, { attributeFilter: ["aria-invalid", "aria-describedby"] });
  const addToForm = (event: FormDataEvent) => {
    writeMarkup();
    if (!is_written || view) event.formData.set(area.name, area.value);
  };
  const listening = new AbortController();
  const { signal } = listening;
  form?.addEventListener("insert-mark", insertUpload, { capture: true, signal });
  form?.addEventListener("upload-begun", beginUpload, { signal });
  form?.addEventListener("uploaded", addUpload, { signal });
  form?.addEventListener("write-down", writeMarkup, { signal });
  form?.addEventListener("formdata", addToForm, { signal });
  area.addEventListener("set", rereadMarkup, { signal });
  area.addEventListener("paste", takeFromArea, { signal });
  area.addEventListener("drop", takeFromArea, { signal });

  return {
    show() {
      place.hidden = false;
      area.hidden = true;
      tools.element.hidden = false;
      view ??= openView();
      places.clear();
      rereadMarkup();
      tools.update(view.state);
    },
    hide() {
      writeMarkup();
      place.hidden = true;
      area.hidden = false;
      tools.element.hidden = true;
    },
    close() {
      writeMarkup();
      listening.abort();
      errors.disconnect();
      view?.destroy();
      view = null;
      place.remove();
      tools.element.remove();
      area.hidden = false;
    },
  };
}

/** Matches lines that consist only of marks of uploads. */
const PLACED = /^(?:\n*\[(?:画像|音声):\w+\](?=\n|$))+/;

/** Inserts the mark of an upload below the caret's line in the text area, and does not move the caret. */
function placeInArea(area: HTMLTextAreaElement, mark: string): void {
  const { value, selectionEnd } = area;
  const line_end = value.indexOf("\n", selectionEnd);
  const from = line_end < 0 ? value.length : line_end;
  const at = from + (PLACED.exec(value.slice(from))?.[0].length ?? 0);
  const before = value.slice(0, at).trim() === "" ? "" : "\n\n";
  area.setRangeText(`${before}${mark}${at < value.length ? "" : "\n\n"}`, at, at, "preserve");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Pasted text: a single line is inserted into the current line, several lines become blocks of their own. */
function sliceOf(doc: Node): Slice {
  const [first, last] = [doc.firstChild, doc.lastChild];
  const is_open = (node: Node | null) => (node?.type.name === "paragraph" ? 1 : 0);
  return new Slice(Fragment.from(doc.content), is_open(first), is_open(last));
}

function keysOf(schema: PostSchema): Plugin[] {
  const { nodes, marks } = schema;
  const lineEnd: Command = (state, dispatch) => {
    if (!state.selection.$from.parent.inlineContent || state.selection.$from.parent.type === nodes.heading)
      return false;
    dispatch?.(state.tr.replaceSelectionWith(nodes.break.create()).scrollIntoView());
    return true;
  };
  /** Enter adds a line to a quotation. On an empty last line it ends the quotation. */
  const inQuote: Command = (state, dispatch) => {
    const { $from, empty } = state.selection;
    if ($from.parent.type !== nodes.quote || !empty) return false;
    const is_end = $from.parentOffset === $from.parent.content.size && $from.nodeBefore?.type === nodes.break;
    if (!is_end) return lineEnd(state, dispatch);
    if (dispatch) {
      // Delete the empty line and continue in a new paragraph after the quotation.
      const transaction = state.tr.delete($from.pos - 1, $from.pos);
      const behind = $from.after() - 1;
      transaction.insert(behind, nodes.paragraph.create());
      dispatch(transaction.setSelection(Selection.near(transaction.doc.resolve(behind + 1))).scrollIntoView());
    }
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
      // Do not bind Tab: it must leave the editor, as it leaves any field.
    }),
    keymap(baseKeymap),
    history(),
  ];
}
