import { type RouterContextProvider, redirectDocument } from "react-router";
import { createIntent, type Intent, redeemIntent } from "../../workers/contract/intents.ts";
import { jarContext, v4Context } from "../middleware/context.ts";
import type { V4 } from "../v4/client.ts";
import { loginPath } from "./to.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * What a visitor was about to do, kept by the API while she signs in; this browser holds the key to it in a cookie.
 * A follow is done at sign-in. A form's words wait for her on the page they were typed on.
 */
const INTENT_COOKIE = "soziIdIntent";
const INTENT_MAX_AGE_S = 30 * 60;

/**
 * Sends somebody who is not signed in to the sign-in page, to come back to `to` with nothing lost. Null when the intent
 * could not be kept: then the form must stay where it is.
 */
export async function signInToContinue(context: Context, to: string, intent: Intent): Promise<Response | null> {
  const sent = await context.get(v4Context).send(createIntent, { body: intent });
  if (!sent.ok) return null;
  const { intent_id, secret } = sent.answer;
  // The kind stands in the open so that the sign-in page can say what waits; nothing trusts it.
  context.get(jarContext).set(INTENT_COOKIE, `${intent.kind}.${intent_id}.${secret}`, INTENT_MAX_AGE_S);
  return redirectDocument(loginPath(to));
}

/** The words of a form as an intent for its own page. */
export function formIntent(path: string, form: FormData): Intent {
  const words = [...form].filter(([name, value]) => name !== "idempotency_key" && typeof value === "string");
  return { kind: "form", path, fields: Object.fromEntries(words) as Record<string, string> };
}

/** The kind of intent this browser says is waiting. */
export function waitingIntent(context: Context): string | null {
  return readIntentCookie(context)?.kind ?? null;
}

/** Does the follow that was waiting, as the person now signed in. Whether one was done. */
export async function finishFollow(context: Context, v4: V4): Promise<boolean> {
  const waiting = readIntentCookie(context);
  if (waiting?.kind !== "follow") return false;
  const { intent_id, secret } = waiting;
  const sent = await v4.send(redeemIntent, { params: { intent_id }, body: { secret } });
  // A passing failure leaves the intent for the next try.
  if (sent.ok || sent.refusal.code === "intent_unusable") forgetIntent(context);
  return sent.ok;
}

/** The words that were typed on this page before signing in, or null. They stay until {@link forgetIntent}. */
export async function keptForm(context: Context, path: string): Promise<FormData | null> {
  const waiting = readIntentCookie(context);
  if (waiting?.kind !== "form") return null;
  const { intent_id, secret } = waiting;
  const sent = await context.get(v4Context).send(redeemIntent, { params: { intent_id }, body: { secret } });
  if (!sent.ok || sent.answer.intent.kind !== "form" || sent.answer.intent.path !== path) return null;
  const form = new FormData();
  for (const [name, value] of Object.entries(sent.answer.intent.fields)) form.set(name, value);
  return form;
}

export function forgetIntent(context: Context): void {
  context.get(jarContext).clear(INTENT_COOKIE);
}

function readIntentCookie(context: Context) {
  const [kind, intent_id, secret] = context.get(jarContext).read(INTENT_COOKIE)?.split(".") ?? [];
  return kind && intent_id && secret ? { kind, intent_id, secret } : null;
}
