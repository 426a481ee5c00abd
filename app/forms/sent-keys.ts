import { sentKeys } from "../browser/stored-keys.ts";
import { OWNER_FIELD } from "../ui/owner-field.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

/* The idempotency keys of forms whose answer has not arrived. The server may have done what such a form says, so the form must
   keep its key when the page loads its data again, and when the tab reloads. */

/** The name of the field with a form's idempotency key. */
export const KEY_FIELD = "idempotency_key";

/** How long the server keeps an idempotency key. */
const KEPT_MS = 86_400_000;

/** The keys whose form was answered. A page that could not load its data again still has them in its forms. */
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
  return answered.has(key) ? `${given}-${answered.size}` : key;
}

/** Notes that a form is on its way. */
export function noteSent(address: string, form: FormData): void {
  const key = form.get(KEY_FIELD);
  if (typeof key !== "string" || key === unansweredKey(address, form)) return;
  const kept = Object.entries(sentKeys.read()).filter(([, sent]) => isKept(sent));
  sentKeys.write({ ...Object.fromEntries(kept), [entryOf(address, form)]: { key, sent_ms: Date.now() } });
}

/**
 * Ends the key of a form that the app answered.
 * @param given_back the key with which the answer asks for the form again, if it does.
 */
export function endKey(form: FormData, given_back?: unknown): void {
  const key = form.get(KEY_FIELD);
  if (typeof key !== "string") return;
  if (given_back !== key) answered.add(key);
  const others = Object.entries(sentKeys.read()).filter(([, sent]) => sent.key !== key);
  sentKeys.write(Object.fromEntries(others));
}
