import { data, type RouterContextProvider } from "react-router";
import { edgeContext, keptContext } from "../middleware/context.ts";
import type { Failure, Kept } from "../v4/failure.ts";

const NOT_SENT = "ただいま送信できません。内容はそのまま残してあります。時間をおいてもう一度お試しください。";

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
  const others = [...form].filter(([field]) => field !== name && field !== "idempotency_key");
  const kept: Kept = {
    action,
    name,
    text: String(form.get(name) ?? ""),
    hidden: { ...(Object.fromEntries(others) as Record<string, string>), idempotency_key },
  };
  context.set(keptContext, kept);
}

/** What is thrown where nothing can be done but to show the words again. */
export function notSent(context: Readonly<RouterContextProvider>) {
  const { request_id } = context.get(edgeContext);
  const failure: Failure = { code: "not_sent", detail: NOT_SENT, request_id, kept: context.get(keptContext) };
  return data(failure, { status: 503 });
}
