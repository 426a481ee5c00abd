import { unsentWords } from "../browser/stored-keys.ts";
import { OWNER_FIELD } from "../ui/owner-field.ts";
import { AUTHOR_FIELD } from "./author-field.ts";
import { isSentEarly } from "./sent-early.ts";

/** The values of a form by the names of its fields. An unticked checkbox is missing. */
export type Fields = Record<string, string>;

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The names of fields that are never kept. The page provides them again for the next submission. */
const UNKEPT = new Set<string>([AUTHOR_FIELD, OWNER_FIELD, "idempotency_key"]);
const UNKEPT_TYPES = new Set(["file", "password", "submit", "button"]);

/** The name of the event that {@link forgetSent} fires, with the address of the form. */
const SENT = "form-sent";

/** The hidden fields that tell apart the forms with the same action. `edits` names what an operators' form changes. */
const SUBJECTS = ["parent_comment_id", "event_category_id", "act", "payment_id", "subject_id", "removal_id", "edits"];

/** Identifies a form by its action and, where several have the same action, by its subject. */
export function addressOf(path: string, form: FormData): string {
  return `${path} ${SUBJECTS.map((name) => form.get(name) ?? "").join("")}`;
}

/** Removes the kept fields of a form after the server accepted it. */
export function forgetSent(path: string, form: FormData): void {
  const address = addressOf(path, form);
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

/**
 * Stores the text of a form in this tab, for its author only, until {@link forgetSent}. Restores text that was stored
 * before.
 *
 * @param onBack called with the restored fields and a function that discards them, and with null when the form is sent.
 * @returns a function that stops it.
 */
export function keepWords(
  form: HTMLFormElement,
  author: string,
  onBack: (fields: Fields | null, discard: (() => void) | null) => void,
): () => void {
  const address = addressOf(new URL(form.action).pathname, new FormData(form));
  let begun = JSON.stringify(fieldsOf(form, begunWith));
  const save = () => {
    const fields = fieldsOf(form, controlValue);
    onChange(address, JSON.stringify(fields) === begun ? null : fields, author);
  };
  const onSent = ({ detail }: Event & { detail?: string }) => {
    if (detail !== address) return;
    begun = JSON.stringify(fieldsOf(form, controlValue));
    onBack(null, null);
  };
  const kept = keptOf(author)[address];
  if (kept) {
    putBack(form, kept);
    onBack(kept, () => {
      onChange(address, null);
      location.reload();
    });
  }
  // Also keep text that was typed before the script had loaded, unless it is on its way.
  else if (!isSentEarly(form)) save();
  form.addEventListener("input", save);
  addEventListener(SENT, onSent);
  return () => {
    form.removeEventListener("input", save);
    removeEventListener(SENT, onSent);
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
