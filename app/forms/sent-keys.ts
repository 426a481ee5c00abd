import { sentKeys } from "../browser/stored-keys.ts";
import { OWNER_FIELD } from "../ui/owner-field.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

/* The idempotency keys of forms whose answer has not arrived. The server may have done what such a form says, so the form must
   keep its key when the page loads its data again, and when the tab reloads. */

/** The name of the field with a form's idempotency key. */
export const KEY_FIELD = "idempotency_key";

/** How long the server keeps an idempotency key. */
const KEPT_MS = 86_400_000;

/** The forms and keys that were answered. A page that could not load its data again still has the keys in its forms. */
const answered = new Set<string>();

/** An entry for each account: the server keeps keys by account, and another account's words are another form. */
const entryOf = (address: string, form: FormData) =>
  `${form.get(AUTHOR_FIELD) ?? form.get(OWNER_FIELD) ?? ""} ${address}`;

const isKept = ({ sent_ms }: { sent_ms: number }) => Date.now() - sent_ms < KEPT_MS;

/** Returns the key under which a form was sent without an answer, or null. */
export function unansweredKey(address: string, form: FormData): string | null {
  const sent = sentKeys.read()[entryOf(address, form)];
  return sent && isKept(sent) ? sent.key : null;
}

/** Returns the key to send a form under. `form` has the key that the page gave it. */
export function keyToSend(address: string, form: FormData): string {
  const given = String(form.get(KEY_FIELD));
  const key = unansweredKey(address, form) ?? given;
  // The forms of a page may share a key: the letter's and the follow button's do.
  return answered.has(`${entryOf(address, form)} ${key}`) ? `${given}-${answered.size}` : key;
}

/** Notes that a form is on its way. */
export function noteSent(address: string, form: FormData): void {
  const key = form.get(KEY_FIELD);
  if (typeof key !== "string") return;
  const entry = entryOf(address, form);
  const kept = Object.fromEntries(Object.entries(sentKeys.read()).filter(([, sent]) => isKept(sent)));
  const before = kept[entry];
  const is_again = before?.key === key;
  sentKeys.write({ ...kept, [entry]: is_again ? { ...before, is_again } : { key, sent_ms: Date.now() } });
}

/**
 * Ends the key of a form that the app answered.
 * @param given_back the key with which the answer asks for the form again, if it does.
 */
export function endKey(address: string, form: FormData, given_back?: unknown): void {
  const key = form.get(KEY_FIELD);
  if (typeof key !== "string") return;
  const entry = entryOf(address, form);
  if (given_back !== key) answered.add(`${entry} ${key}`);
  const { [entry]: _, ...others } = sentKeys.read();
  sentKeys.write(others);
}

/**
 * Ends the key of a refused form. After a lost answer, a refusal ends it only if it comes from what stores keys: others, such as a
 * faulty field or an ended session, say nothing about what the first sending did. Returns whether the key has ended.
 */
export function endRefusedKey(address: string, form: FormData, status: number, given_back: unknown): boolean {
  const is_again = sentKeys.read()[entryOf(address, form)]?.is_again;
  const is_replaced = typeof given_back === "string" && given_back !== form.get(KEY_FIELD);
  if (is_again && status >= 400 && status !== 409 && !is_replaced) return false;
  endKey(address, form, given_back);
  return true;
}
