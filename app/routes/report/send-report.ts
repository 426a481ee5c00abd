import { type RouterContextProvider, redirect, redirectDocument } from "react-router";
import type * as z from "zod";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, returnWords, signInWithWords, wordsOf } from "../../forms/words.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import type { Sent } from "../../v4/client.ts";
import { reportForm } from "../operation-forms.server.ts";

type Context = Readonly<RouterContextProvider>;

type Report = z.output<typeof reportForm>;

/**
 * Loads a report's page, with the text that was kept while the reporter signed in. Redirects visitors to the sign-in.
 */
export async function loadReport(context: Context, url: URL) {
  const viewer = context.get(viewerContext);
  if (!viewer) throw redirectDocument(loginPath(url.pathname));
  const kept = await keptForm(context, url.pathname);
  return {
    viewer_id: viewer.profile?.user_id ?? null,
    kept: kept && typedFields(kept, reportForm),
    idempotency_key: crypto.randomUUID(),
  };
}

/**
 * Sends a report and redirects to `to`. `to` must be another page, because what was reported is now hidden from the
 * reporter.
 */
export async function handleReport(
  request: Request,
  context: Context,
  to: string,
  send: (report: Report, idempotency_key: string) => Promise<Sent<unknown>>,
) {
  const { pathname } = new URL(request.url);
  const words = wordsOf(await request.formData(), pathname);
  const read = readForm(words.form, reportForm);
  if (!context.get(viewerContext)) return signInWithWords(context, words, read);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const sent = await send(read.value, words.idempotency_key);
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "reported");
  return redirect(to, 303);
}
