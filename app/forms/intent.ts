import { type RouterContextProvider, redirectDocument } from "react-router";
import { createIntent, type Intent, redeemIntent } from "../../workers/contract/intents.ts";
import { jarContext, v4Context } from "../request/context.ts";
import { type FlashCode, setFlash } from "../request/flash.ts";
import { loginPath } from "../request/to.ts";
import { viewerContext } from "../session/context.ts";
import { OWNER_FIELD } from "../ui/owner-field.ts";
import type { Refusal, V4 } from "../v4/client.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

type Context = Readonly<RouterContextProvider>;
type Kind = Intent["kind"];

/**
 * An intent: the act that a visitor was about to do. The API keeps it during the sign-in, and a cookie of this browser
 * holds its key. A follow is done at sign-in. The fields of a form are shown again on the page they were typed on.
 */
const cookies: Record<Kind, string> = { follow: "soziIdFollowIntent", form: "soziIdFormIntent" };
const INTENT_MAX_AGE_S = 30 * 60;

/**
 * Keeps the intent and returns a redirect to the sign-in page, which comes back to `to`. Returns the refusal when the
 * API does not keep the intent: the form must then stay where it is.
 */
export async function signInToContinue(context: Context, to: string, intent: Intent): Promise<Response | Refusal> {
  return (await keepIntent(context, intent)) ?? redirectDocument(loginPath(to));
}

/** Asks the API to keep an intent for this browser. Returns the API's refusal, or null when the intent is kept. */
export async function keepIntent(context: Context, intent: Intent): Promise<Refusal | null> {
  const sent = await context.get(v4Context).send(createIntent, { body: intent });
  if (!sent.ok) return sent.refusal;
  const { intent_id, secret } = sent.answer;
  context.get(jarContext).set(cookies[intent.kind], `${intent_id}.${secret}`, INTENT_MAX_AGE_S);
  return null;
}

/**
 * Never kept: the person types secrets again, a bank account is stored encrypted alone, and a form that is shown again is
 * a new submission.
 */
const UNKEPT = /^idempotency_key$|^account_(?:number|holder_kana)$|password|secret|token|code$/;

/** Returns the fields of a form as an intent for its own page. Numbers a repeated name: `stamp_ids`, `stamp_ids#2`. */
export function formIntent(path: string, form: FormData): Intent {
  const fields: Record<string, string> = {};
  for (const [name, value] of form) {
    if (UNKEPT.test(name) || typeof value !== "string") continue;
    let key = name;
    for (let number = 2; Object.hasOwn(fields, key); number++) key = `${name}#${number}`;
    fields[key] = value;
  }
  return { kind: "form", path, fields };
}

/** Whether this browser claims that such an intent is waiting. The cookie may be forged, so never act on this alone. */
export function isWaiting(context: Context, kind: Kind): boolean {
  return readIntentCookie(context, kind) !== null;
}

/** The refusals that the next sign-in would meet too. Each has the sentence of a direct press. */
const finalRefusals = new Map<string, FlashCode>([
  ["blocked", "not_followed_blocked"],
  ["cannot_follow_yourself", "not_followed_self"],
  ["daily_follow_limit_reached", "not_followed_limit"],
  ["not_found", "not_followed_gone"],
]);

/**
 * Does the pending follow as the new member. The next page says what became of it, because the sign-in page promised
 * the follow. Returns whether there is something to say.
 */
export async function finishFollow(context: Context, v4: V4): Promise<boolean> {
  const waiting = readIntentCookie(context, "follow");
  if (!waiting) return false;
  const { intent_id, secret } = waiting;
  const sent = await v4.send(redeemIntent, { params: { intent_id }, body: { secret } });
  const is_used = !sent.ok && sent.refusal.code === "intent_unusable";
  const outcome = sent.ok ? "followed" : finalRefusals.get(sent.refusal.code);
  // After any other failure, keep the intent, so that the next sign-in tries again.
  if (outcome || is_used) forgetIntent(context, "follow");
  // Another request of this browser has used the intent, and its page says what became of it.
  if (is_used) return false;
  setFlash(context, outcome ?? "not_followed");
  return true;
}

/**
 * Returns the fields this person typed for this page before signing in, or on another site, or null. The API keeps them
 * until {@link forgetIntent}. A visitor never gets the fields of a member.
 */
export async function keptForm(context: Context, path: string): Promise<FormData | null> {
  if (!isWaiting(context, "form")) return null;
  const viewer = context.get(viewerContext);
  const reader = { user_id: viewer?.profile?.user_id, account_id: viewer?.session.id };
  const fields = await keptFields(context, context.get(v4Context), path, reader);
  if (!fields) return null;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name.replace(/#\d+$/, ""), value);
  return form;
}

/**
 * Says on the next page, `to`, that its form was not sent, if the form waited for the sign-in of `reader`. Returns whether
 * it did. Its writer has pressed the button once and may believe that the form was sent.
 */
export async function announceKeptForm(context: Context, v4: V4, to: string, reader: Reader): Promise<boolean> {
  const { pathname } = new URL(to, "https://here.invalid");
  if (!(await keptFields(context, v4, pathname, reader))) return false;
  setFlash(context, "form_brought");
  return true;
}

/** The person who signs in: their profile, if it is known, and their account. */
interface Reader {
  user_id: string | undefined;
  account_id: string | undefined;
}

async function keptFields(context: Context, v4: V4, path: string, reader: Reader) {
  const waiting = readIntentCookie(context, "form");
  if (!waiting) return null;
  const { intent_id, secret } = waiting;
  const sent = await v4.send(redeemIntent, { params: { intent_id }, body: { secret } });
  if (!sent.ok || sent.answer.intent.kind !== "form" || sent.answer.intent.path !== path) return null;
  const { fields } = sent.answer.intent;
  const { [AUTHOR_FIELD]: author, [OWNER_FIELD]: owner } = fields;
  if (author !== undefined && author !== reader.user_id) return null;
  if (owner !== undefined && owner !== reader.account_id) return null;
  return fields;
}

export function forgetIntent(context: Context, kind: Kind): void {
  context.get(jarContext).clear(cookies[kind]);
}

function readIntentCookie(context: Context, kind: Kind) {
  const [intent_id, secret] = context.get(jarContext).read(cookies[kind])?.split(".") ?? [];
  return intent_id && secret ? { intent_id, secret } : null;
}
