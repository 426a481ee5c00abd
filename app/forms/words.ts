import type { SubmissionResult } from "@conform-to/react";
import { data, type RouterContextProvider } from "react-router";
import { WORDS_KEY_PREFIX } from "../../workers/contract/fields.ts";
import { edgeContext, keptContext, retryAfterContext, v4Context } from "../request/context.ts";
import { closeSession } from "../session/current-session.ts";
import type { Refusal } from "../v4/client.ts";
import type { Failure } from "../v4/failure.ts";
import { formIntent, signInToContinue } from "./intent.ts";
import { keptOf } from "./kept.ts";
import type { ReadForm } from "./read-form.ts";

type Context = Readonly<RouterContextProvider>;

const NOT_SENT = "ただいま送信できません。内容はそのまま残してあります。時間をおいてもう一度お試しください。";
const TOO_LONG_TO_KEEP =
  "内容が長すぎるため、ログインするあいだお預かりできません。内容はそのまま残してあります。短くしてから、もう一度お試しください。";

/** A submitted form with text in it. Its writer must get the text back in every case. */
export interface Words {
  /** The page with the form, to which the person returns. */
  path: string;
  /** The action of the form, if it is not the address of the form's page. */
  action?: string;
  /** The query and hash of the page to which the person returns. */
  place?: string;
  form: FormData;
  idempotency_key: string;
}

/** Returns the form with its idempotency key. Creates a key for a form that none of our pages sends. */
export function wordsOf(form: FormData, path: string): Words {
  return { path, form, idempotency_key: String(form.get("idempotency_key") || crypto.randomUUID()) };
}

/**
 * Returns the form with its idempotency key, or with one derived from its fields. A page cached for visitors has no key
 * in its forms, and its reader may have signed in in another tab since then. The same fields sent twice, as by a double
 * click, get the same key, which counts for a minute.
 */
export function wordsOfSharedPage(form: FormData, path: string): Words {
  return { path, form, idempotency_key: String(form.get("idempotency_key") || keyOfWords(form, path)) };
}

function keyOfWords(form: FormData, path: string): string {
  const strings = [...form].filter(([, value]) => typeof value === "string");
  const text = JSON.stringify([path, ...strings]);
  // The hash is cyrb53, twice with different seeds. It must tell a person's forms apart; it need not be hard to guess.
  return `${WORDS_KEY_PREFIX}${mixHash(text, 1)}${mixHash(text, 2)}`;
}

function mixHash(text: string, seed: number): string {
  let [one, two] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  return ((one >>> 0).toString(36) + (two >>> 0).toString(36)).padStart(14, "0");
}

/** The answer to a refused form: its fields with their errors, and the key to send it under again. */
export interface ReturnedWords {
  result: SubmissionResult;
  idempotency_key: string;
  /** Why the API refused the form, if it did. */
  code?: string | null;
  /** Whether the API may have done what the form says, although no answer says so. */
  is_unconfirmed?: boolean;
}

/** Returns the form with its fields and their errors. Sending it again uses the same key. */
export function returnWords(words: Words, result: SubmissionResult, status: number, code: string | null = null) {
  const { idempotency_key } = words;
  return data({ result, idempotency_key, code, is_unconfirmed: status >= 500 } satisfies ReturnedWords, status);
}

/** Returns a form that the API refused: on its own page, or on the error page if its page cannot be shown. */
export async function refuseWords(context: Context, words: Words, read: ReadForm, refusal: Refusal) {
  const { code, status, needs_sign_in, retry_after_s } = refusal;
  if (needs_sign_in) {
    closeSession(context);
    return signInWithWords(context, words, read);
  }
  // The form's page itself may fail now: the API may be down, or the page's subject may be deleted.
  if (status >= 500 || code === "not_found") keepWords(context, words);
  if (code === "not_found") throw context.get(v4Context).failure(refusal, context.get(keptContext));
  context.set(retryAfterContext, retry_after_s);
  // Replace a key that was used for other fields, or the form could never be sent again.
  const idempotency_key = code === "idempotency_key_reused" ? crypto.randomUUID() : words.idempotency_key;
  return returnWords({ ...words, idempotency_key }, read.toResult(refusal), status, code);
}

/** Redirects to the sign-in page. After signing in, the person finds their text on the form's page. */
export async function signInWithWords(context: Context, words: Words, read: ReadForm | null) {
  const to = words.path + (words.place ?? "");
  const continued = await signInToContinue(context, to, formIntent(words.path, words.form));
  if (continued instanceof Response) return continued;
  // Refuse a text that is too long for the API to keep.
  if (read && !read.value) return returnWords(words, read.toResult(), 422);
  throw unkeptWords(context, words, continued);
}

/** Returns what to throw when the API did not keep an intent: the error page shows the words, and sends them again. */
export function unkeptWords(context: Context, words: Words, { status, retry_after_s }: Refusal) {
  keepWords(context, words);
  context.set(retryAfterContext, retry_after_s);
  const { request_id } = context.get(edgeContext);
  const detail = status === 422 ? TOO_LONG_TO_KEEP : NOT_SENT;
  const failure: Failure = { code: "not_sent", detail, request_id, kept: context.get(keptContext) };
  return data(failure, { status });
}

/**
 * Passes the fields to the error page. When the form's page fails, the error page shows them and sends them again under
 * the same key.
 */
export function keepWords(context: Context, { path, action = path, form, idempotency_key }: Words): void {
  const kept = keptOf(form, action);
  const others = kept.others.filter(([field]) => field !== "idempotency_key");
  context.set(keptContext, { ...kept, others: [...others, ["idempotency_key", idempotency_key]] });
}
