import { unsentWords } from "../browser/stored-keys.ts";
import { OWNER_FIELD } from "../ui/owner-field.ts";
import { reloadingStatus } from "../v4/refused-button.ts";
import { AUTHOR_FIELD } from "./author-field.ts";
import { isSentEarly } from "./sent-early.ts";
import { endKey, endRefusedKey, KEY_FIELD, noteSent, unansweredKey } from "./sent-keys.ts";

/** The values of a form by the names of its fields. An unticked checkbox is missing. */
export type Fields = Record<string, string>;

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The names of fields that are never kept with the words. The page provides them, and sent-keys.ts keeps the key. */
const UNKEPT = new Set<string>([AUTHOR_FIELD, OWNER_FIELD, KEY_FIELD]);
const UNKEPT_TYPES = new Set(["file", "password", "submit", "button"]);

const UNCONFIRMED = "送信できたかどうかを確認できませんでした。もう一度送信しても、二重には送られません。";

/** The name of the event that {@link forgetSent} fires, with the address of the form. */
const SENT = "form-sent";

/** The name of the event that {@link takeAnswer} fires for a refused form, with its address. */
const REFUSED = "form-refused";

/** The hidden fields that tell apart the forms with the same action. `edits` names what an operators' form changes. */
const SUBJECTS = ["parent_comment_id", "event_category_id", "act", "payment_id", "subject_id", "removal_id", "edits"];

/** Identifies a form by its action and, where several have the same action, by its subject. */
export function addressOf(path: string, form: FormData): string {
  return `${path} ${SUBJECTS.map((name) => form.get(name) ?? "").join("")}`;
}

/** Notes that a form is on its way to its action. */
export function beginSending(path: string, form: FormData): void {
  noteSent(addressOf(path, form), form);
}

/** Takes the redirect that answered a form. A form that leads to the sign-in page keeps its words and its key. */
export function takeRedirect(path: string, form: FormData, { headers }: Response): void {
  const { pathname } = new URL(headers.get("location") ?? "", location.href);
  if (/^\/login(?:\/|$)/.test(pathname)) return;
  if (headers.has("x-remix-reload-document")) endKey(addressOf(path, form), form);
  else forgetSent(path, form);
}

/**
 * Takes every other answer to a form.
 * @param answer the data of the action, and the status, which the router adds. The data are null if a redirect of an accepted
 * form was not followed (v4/stay-on-page.ts).
 */
export function takeAnswer(path: string, form: FormData, answer: unknown): void {
  const { data, init } = answer as { data: { idempotency_key?: unknown } | null; init: { status?: number } | null };
  const status = init?.status ?? 200;
  const address = addressOf(path, form);
  if (data === null) forgetSent(path, form);
  // After other failures, the server may have done what the form says.
  else if (status < 500 && endRefusedKey(address, form, status, data?.idempotency_key)) {
    dispatchEvent(new CustomEvent(REFUSED, { detail: address }));
  }
  // A form with words keeps its page: the words may be in a part that is gone.
  if (init && !form.has(AUTHOR_FIELD)) init.status = reloadingStatus(status);
}

/** Returns whether this message is kept for the form at `path`. */
export function hasKept(path: string, message: string): boolean {
  const kept = unsentWords.read()?.forms[addressOf(path, new FormData())]?.message;
  return kept?.replace(/\r\n?/g, "\n").trim() === message.replace(/\r\n?/g, "\n").trim();
}

/** Removes the kept fields of a form after the server accepted it. */
export function forgetSent(path: string, form: FormData): void {
  const address = addressOf(path, form);
  endKey(address, form);
  onChange(address, null);
  dispatchEvent(new CustomEvent(SENT, { detail: address }));
}

/** Whether a form on this page has kept text. */
export function hasKeptWords(): boolean {
  const kept = unsentWords.read()?.forms ?? {};
  return [...document.forms].some((form) => addressOf(new URL(form.action).pathname, new FormData(form)) in kept);
}

/** Removes the kept text of all other members. */
export function forgetOthers(author: string): void {
  const kept = unsentWords.read();
  if (kept && kept.author !== author) unsentWords.take();
}

function onChange(address: string, fields: Fields | null, author = unsentWords.read()?.author): void {
  if (author === undefined) return;
  const { [address]: _, ...others } = keptOf(author);
  unsentWords.write({ author, forms: fields ? { ...others, [address]: fields } : others });
}

function keptOf(author: string): Record<string, Fields> {
  const kept = unsentWords.read();
  return kept?.author === author ? kept.forms : {};
}

/** The words of a form that has them again. */
export interface Back {
  fields: Fields;
  /** Whether they were sent, and the answer was lost. */
  is_unconfirmed: boolean;
  /** What the form says about them. */
  note: string;
  discard(): void;
}

/**
 * Stores the text of a form in this tab, for its author only, until {@link forgetSent}. Restores text that was stored
 * before.
 *
 * @param verb what the form's button does.
 * @param onBack called with the restored words, and with null when their note is not true any more.
 * @returns a function that stops it.
 */
export function keepWords(
  form: HTMLFormElement,
  author: string,
  verb: string,
  onBack: (back: Back | null) => void,
): () => void {
  const begun_form = new FormData(form);
  const address = addressOf(new URL(form.action).pathname, begun_form);
  let begun = JSON.stringify(fieldsOf(form, begunWith));
  const save = () => {
    const fields = fieldsOf(form, controlValue);
    onChange(address, JSON.stringify(fields) === begun ? null : fields, author);
  };
  const onSent = ({ detail }: Event & { detail?: string }) => {
    if (detail !== address) return;
    begun = JSON.stringify(fieldsOf(form, controlValue));
    onBack(null);
  };
  const onRefused = ({ detail }: Event & { detail?: string }) => {
    // The answer has come that the note misses.
    if (detail === address && is_unconfirmed) onBack(null);
  };
  const key = unansweredKey(address, begun_form);
  const is_unconfirmed = key !== null;
  const kept = keptOf(author)[address];
  if (kept) {
    putBack(form, kept);
    onBack({
      fields: kept,
      is_unconfirmed,
      note: is_unconfirmed ? UNCONFIRMED : `まだ${verb}していません`,
      discard() {
        onChange(address, null);
        begun_form.set(KEY_FIELD, key ?? "");
        endKey(address, begun_form);
        location.reload();
      },
    });
  }
  // Also keep text that was typed before the script had loaded, unless it is on its way.
  else if (!isSentEarly(form)) save();
  form.addEventListener("input", save);
  addEventListener(SENT, onSent);
  addEventListener(REFUSED, onRefused);
  return () => {
    form.removeEventListener("input", save);
    removeEventListener(SENT, onSent);
    removeEventListener(REFUSED, onRefused);
  };
}

/** Restores fields, except those changed before the script had loaded. */
function putBack(form: HTMLFormElement, fields: Fields): void {
  const controls = controlsOf(form);
  const isChanged = (control: Control) => controlValue(control) !== begunWith(control);
  const groups = new Set(
    controls
      .filter(({ type }) => type === "radio")
      .filter(isChanged)
      .map(({ name }) => name),
  );
  for (const control of controls) {
    const { type, name } = control;
    if (type === "hidden" || groups.has(name) || isChanged(control)) continue;
    const kept = fields[name];
    if (isTick(control)) control.checked = kept === control.value;
    else if (kept !== undefined) control.value = kept;
    if (isChanged(control)) control.dispatchEvent(new Event("input", { bubbles: true }));
  }
  for (let around = form.closest("details"); around; around = around.parentElement?.closest("details") ?? null) {
    around.open = true;
  }
}

function fieldsOf(form: HTMLFormElement, read: (control: Control) => string | null): Fields {
  return Object.fromEntries(
    controlsOf(form).flatMap((control) => {
      const value = read(control);
      return value === null ? [] : [[control.name, value]];
    }),
  );
}

const controlsOf = (form: HTMLFormElement): Control[] =>
  ([...form.elements] as Control[]).filter(
    ({ name, type }) => name && !UNKEPT.has(name) && !UNKEPT_TYPES.has(type) && type !== "fieldset",
  );

function isTick(control: Control): control is HTMLInputElement {
  return control.type === "checkbox" || control.type === "radio";
}

function controlValue(control: Control): string | null {
  return isTick(control) && !control.checked ? null : control.value;
}

/** Returns what the control held when the page was loaded. A hidden one has not changed. */
function begunWith(control: Control): string | null {
  if (isTick(control)) return control.defaultChecked ? control.value : null;
  if (control instanceof HTMLSelectElement) {
    const chosen = [...control.options].find(({ defaultSelected }) => defaultSelected) ?? control.options[0];
    return chosen?.value ?? "";
  }
  return control.type === "hidden" ? control.value : control.defaultValue;
}
