import type { SubmissionResult } from "@conform-to/react";
import { data } from "react-router";
import { loadFailures } from "./load-failures.ts";
import { announceUnsent, UNREACHED } from "./unsent.ts";

const WORDS_ARE_HERE = "入力した内容はこのページに残っています。";

/**
 * Sends a form with text from a member's page to its action. If there is no usable answer, the form keeps its text and
 * shows an error. Forms without text use app/shell/keep-page.ts instead.
 */
export async function sendFromBrowser<Answer>(
  request: Request,
  serverAction: () => Promise<Answer>,
): Promise<Answer | ReturnType<typeof keepWords>> {
  const form = await request.clone().formData();
  try {
    return await serverAction();
  } catch (error) {
    // Let the router handle the answer: it is a redirect, or it answers a button that shares its action with a form
    // with text.
    if (error instanceof Response || form.has("operation")) throw error;
    const unsent = (await loadFailures())?.unsentFor(error) ?? UNREACHED;
    announceUnsent(unsent, { is_told: true });
    return keepWords(form, unsent.text + WORDS_ARE_HERE, unsent.status);
  }
}

function keepWords(form: FormData, message: string, status: number) {
  const words = [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const result: SubmissionResult = {
    status: "error",
    initialValue: Object.fromEntries(words),
    error: { "": [message] },
  };
  const idempotency_key = String(form.get("idempotency_key") ?? "");
  return data({ result, idempotency_key, is_unconfirmed: true }, { status });
}
