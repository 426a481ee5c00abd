import { data, type RouterContextProvider } from "react-router";
import { edgeContext, keptContext } from "../middleware/context.ts";
import type { Failure, Kept } from "../v4/failure.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

const NOT_SENT = "ただいま送信できません。内容はそのまま残してあります。時間をおいてもう一度お試しください。";

/** Never given back, not even unseen. */
const SECRET = /password|secret|token/i;
/** Fields that people write in, whatever they wrote. */
const WRITTEN =
  /(?:message|reply|comment|body|text|title|name|bio|profile|description|content|subject|note|reason|email|keyword)$/i;
const UNWRITTEN = new Set<string>([AUTHOR_FIELD, "idempotency_key", "operation", "to"]);
/** What a machine put there: a word of ours, an id, a number, a path. */
const MACHINE_MADE = /^(?:[\w.:-]*|\/.*)$/;

/**
 * A form of which nothing is known but what it sent. Its words are what stands in fields for words, or reads like words;
 * the rest goes along unseen.
 */
export function keptOf(form: FormData, action: string): Kept {
  const kept: Kept = { action, words: [], others: [], is_whole: true };
  for (const [name, value] of form) {
    const is_lost = typeof value !== "string" ? value.size > 0 : SECRET.test(name);
    if (is_lost) kept.is_whole = false;
    if (typeof value !== "string" || is_lost) continue;
    const is_written = WRITTEN.test(name) || !MACHINE_MADE.test(value);
    const is_shown = value !== "" && !UNWRITTEN.has(name) && is_written;
    (is_shown ? kept.words : kept.others).push([name, value]);
  }
  return kept;
}

/**
 * Keeps a form's words for the page that will be shown, whichever that is: when the page itself cannot be made, the
 * error page has them, and sends them under the same key.
 */
export function keepWords(
  context: Readonly<RouterContextProvider>,
  action: string,
  name: string,
  form: FormData,
  idempotency_key: string,
): void {
  const strings = [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const others = strings.filter(([field]) => field !== name && field !== "idempotency_key");
  const kept: Kept = {
    action,
    words: [[name, String(form.get(name) ?? "")]],
    others: [...others, ["idempotency_key", idempotency_key]],
    is_whole: true,
  };
  context.set(keptContext, kept);
}

/** What is thrown where nothing can be done but to show the words again. */
export function notSent(context: Readonly<RouterContextProvider>) {
  const { request_id } = context.get(edgeContext);
  const failure: Failure = { code: "not_sent", detail: NOT_SENT, request_id, kept: context.get(keptContext) };
  return data(failure, { status: 503 });
}
