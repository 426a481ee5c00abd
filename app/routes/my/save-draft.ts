import { forgetIntent } from "../../forms/intent.ts";
import { readPost, refuseAuthor, savePost } from "../../post/post-action.ts";
import { viewerContext } from "../../session/context.ts";
import { closeSession } from "../../session/current-session.ts";
import type { Route } from "./+types/save-draft.ts";

/**
 * Saves the form of a post as a draft. The form's script calls it. Answers `{ revision, saved_at }`, or `{ code, detail
 * }` with the status of the refusal. Answers 401 if the session has ended.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  if (!context.get(viewerContext)) return refusalAnswer(401, "unauthenticated", "ログインの有効期限が切れました。");
  const not_theirs = refuseAuthor(context, form);
  if (not_theirs) return refusalAnswer(not_theirs.status, not_theirs.code, not_theirs.detail);
  const event_id = form.get("event_id");
  const post = readPost(form, typeof event_id === "string" && event_id ? event_id : null);
  const sent = await savePost(context, post, form.get("do") === "overwrite");
  if (sent.ok) {
    forgetIntent(context, "form");
    const { revision, updated_at } = sent.answer.draft;
    return Response.json({ revision, saved_at: updated_at }, { headers: PRIVATE });
  }
  const { code, status, detail, needs_sign_in } = sent.refusal;
  if (needs_sign_in) closeSession(context);
  return refusalAnswer(status, code, detail);
}

const PRIVATE = { "cache-control": "private, no-store" };

const refusalAnswer = (status: number, code: string, detail: string) =>
  Response.json({ code, detail }, { status, headers: PRIVATE });
