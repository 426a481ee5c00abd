import type { announceUnsent } from "../v4/unsent.ts";
import { DraftSaver, type SaveState } from "./draft-saver.ts";
import { withoutImage } from "./values.ts";

/** Saves the form of a post or newsletter as a draft while it is being written. Loaded after hydration. */
export interface Desk {
  /** False for a form that only its buttons save. */
  saves_itself: boolean;
  /** Schedules a save after a change that fires no `input` event. */
  touch(): void;
  save(): void;
  /** Saves the form, and overwrites the draft that another page saved. */
  overwrite(): void;
  /**
   * Stops saving, because the whole form is about to be sent. Returns false while a save is running; the button is then
   * pressed again when the save ends.
   */
  holdFor(submitter: HTMLElement | null): boolean;
  /** Starts saving again, because the form was sent and the page shows it again. */
  goOn(): void;
  close(): void;
}

/** Where the form's draft is saved. */
export interface DeskAddress {
  /** The address that saves; null for a form that only its buttons save. */
  url: string | null;
  /** The address of the form with its draft, for the address bar. `{name}` is a field that a save has set. */
  path: string;
}

/**
 * Starts what a post's form does by itself: saves drafts, marks what a save refused, and asks before text is lost.
 *
 * @param announce tells the writer who has left the form. A parameter, because Vite would load the shell's style sheet for
 *   a lazy module that imports its script.
 */
export function openDesk(
  form: HTMLFormElement,
  {
    url,
    path,
    onState,
    announce,
  }: DeskAddress & { onState: (state: SaveState) => void; announce: typeof announceUnsent },
): Desk {
  const saver =
    url === null
      ? null
      : new DraftSaver({
          url,
          read: () => readText(form),
          onState,
          onSaved: (fields) => {
            const saved_path = path.replace(/\{(\w+)\}/g, (_, name: string) => String(fields[name]));
            if (location.pathname + location.search !== saved_path) history.replaceState(history.state, "", saved_path);
          },
          onUnsaved: (text) => announce({ text, status: 503, is_closed: false }, { is_told: false }),
        });
  const touch = () => saver?.touch();
  const closers = [placeMarks(form, touch), ...(saver ? [saveOnEdits(form, saver)] : [])];
  const stopWithPage = saver && saveWithPage(form, saver);
  return {
    saves_itself: saver !== null,
    touch,
    save: () => saver?.save(),
    overwrite: () => saver?.save({ overwrites: true }),
    holdFor(submitter) {
      const is_held = saver?.hold(submitter && (() => form.requestSubmit(submitter))) ?? true;
      if (is_held) writeDown(form);
      return is_held;
    },
    goOn: () => saver?.resume(),
    close() {
      writeDown(form);
      // Until the last words are saved, the next page asks before it is closed.
      if (stopWithPage) saver.close(stopWithPage);
      for (const close of closers) close();
    },
  };
}

/** Makes the editor write its text into the form. use-desk.ts does the same before this script has loaded. */
function writeDown(form: HTMLFormElement): void {
  form.dispatchEvent(new Event("write-down"));
}

/** Returns the form's fields without its files. */
function readText(form: HTMLFormElement): FormData {
  writeDown(form);
  const body = new FormData(form);
  for (const [name, value] of [...body]) if (typeof value !== "string") body.delete(name);
  return body;
}

/** Saves when the form is edited. */
function saveOnEdits(form: HTMLFormElement, saver: DraftSaver): () => void {
  const touch = () => saver.touch();
  return addListeners([
    [form, "input", touch],
    [form, "change", touch],
    [form, "focusout", () => saver.saveChanges()],
    [
      form,
      "formdata",
      ({ formData }: FormDataEvent) => {
        for (const [name, value] of Object.entries(saver.fields)) formData.set(name, String(value));
      },
    ],
  ]);
}

/** Changes the text on the events that the list of pictures dispatches. */
function placeMarks(form: HTMLFormElement, touch: () => void): () => void {
  return addListeners([
    [
      form,
      "insert-mark",
      (event: CustomEvent<string>) => {
        // The editor has already inserted the mark, so do nothing.
        if (event.defaultPrevented) return;
        insertMark(bodyOf(form), event.detail);
        touch();
      },
    ],
    [
      form,
      "remove-image",
      ({ detail }: CustomEvent<string>) => {
        writeDown(form);
        const body = bodyOf(form);
        body.value = withoutImage(body.value, detail);
        body.dispatchEvent(new Event("set"));
        touch();
      },
    ],
  ]);
}

/**
 * Saves before the page is closed, retries when it is visible again, and warns before text is lost. The editor writes a
 * change a moment later, so it writes before each.
 */
function saveWithPage(form: HTMLFormElement, saver: DraftSaver): () => void {
  const saveChanges = () => {
    writeDown(form);
    saver.saveChanges();
  };
  const retryIfVisible = () => {
    // In a conflict the writer must choose which text to keep, so do not retry.
    if (document.visibilityState === "visible" && !form.querySelector(".post-conflict")) saver.retry();
  };
  return addListeners([
    [document, "visibilitychange", () => (document.visibilityState === "hidden" ? saveChanges() : retryIfVisible())],
    [
      window,
      "pagehide",
      () => {
        writeDown(form);
        saver.saveBeforeClosing();
      },
    ],
    [window, "online", retryIfVisible],
    [window, "focus", retryIfVisible],
    [
      window,
      "beforeunload",
      (event: BeforeUnloadEvent) => {
        writeDown(form);
        // app/shell/unsent-words.ts dispatches an event of its own before a navigation within the app.
        if (event.isTrusted ? saver.is_stuck : saver.asksToStay()) event.preventDefault();
      },
    ],
  ]);
}

const bodyOf = (form: HTMLFormElement) => form.elements.namedItem("body") as HTMLTextAreaElement;

/** Inserts an upload's mark at the cursor, in a paragraph of its own. */
function insertMark(field: HTMLTextAreaElement, mark: string): void {
  const at = field.selectionStart ?? field.value.length;
  const before = field.value.slice(0, at).replace(/(?<!\n)\n*$/, (ends) => (at - ends.length > 0 ? "\n\n" : ""));
  field.value = `${before}${mark}\n\n${field.value.slice(at).replace(/^\n+/, "")}`;
  field.focus();
}

/** Adds event listeners. Returns a function that removes them. */
function addListeners(listeners: readonly [EventTarget, string, (event: never) => void][]): () => void {
  for (const [target, name, listener] of listeners) target.addEventListener(name, listener as EventListener);
  return () => {
    for (const [target, name, listener] of listeners) target.removeEventListener(name, listener as EventListener);
  };
}
