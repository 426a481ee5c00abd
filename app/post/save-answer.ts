import type { RouterContextProvider } from "react-router";
import { refuseAuthor } from "../forms/authorship.ts";
import { viewerContext } from "../session/context.ts";
import { closeSession } from "../session/current-session.ts";
import type { Refusal } from "../v4/client.ts";

type Context = Readonly<RouterContextProvider>;

const PRIVATE = { "cache-control": "private, no-store" };

/** The answers that `DraftSaver` reads. */
export const savedAnswer = (saved: { saved_at: string; [field: string]: unknown }): Response =>
  Response.json(saved, { headers: PRIVATE });

/** Refuses a save. With `path`, a post was made of the draft, and this is the address of its form. */
export const refusedAnswer = (status: number, code: string, detail: string, path?: string): Response =>
  Response.json({ code, detail, path }, { status, headers: PRIVATE });

/** Returns the refusal of a form without a session, or of another account's form. Returns null for the author's own form. */
export function refuseSave(context: Context, form: FormData): Response | null {
  if (!context.get(viewerContext)) return refusedAnswer(401, "unauthenticated", "ログインの有効期限が切れました。");
  const not_theirs = refuseAuthor(context, form);
  return not_theirs && refusedAnswer(not_theirs.status, not_theirs.code, not_theirs.detail);
}

/** Passes a refusal of the API on. Ends the session if the API does not know it. */
export function refusalAnswer(
  context: Context,
  refusal: Pick<Refusal, "status" | "code" | "detail" | "needs_sign_in">,
) {
  const { code, status, detail, needs_sign_in } = refusal;
  if (needs_sign_in) closeSession(context);
  return refusedAnswer(status, code, detail);
}
