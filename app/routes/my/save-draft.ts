import { forgetIntent } from "../../forms/intent.ts";
import { findSentPost, readPost, savePost } from "../../post/post-action.ts";
import { refusalAnswer, refusedAnswer, refuseSave, savedAnswer } from "../../post/save-answer.ts";
import type { Route } from "./+types/save-draft.ts";

const GONE = "この下書きは、もうありません。";

/**
 * Saves the form of a post as a draft. The form's script calls it. Answers `{ revision, saved_at }`, or `{ code, detail
 * }` with the status of the refusal, and with the `path` of the post's form if the draft has become a post. Answers 401 if
 * the session has ended.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const refused = refuseSave(context, form);
  if (refused) return refused;
  const event_id = form.get("event_id");
  const post = readPost(form, typeof event_id === "string" && event_id ? event_id : null);
  const sent = await savePost(context, post, form.get("do") === "overwrite");
  if (!sent.ok) {
    const published = await findSentPost(context, post, sent.refusal);
    if (published) return refusedAnswer(409, "draft_published", published.detail, published.path);
    const { refusal } = sent;
    return refusalAnswer(context, refusal.code === "not_found" ? { ...refusal, detail: GONE } : refusal);
  }
  forgetIntent(context, "form");
  const { revision, updated_at } = sent.answer.draft;
  return savedAnswer({ revision, saved_at: updated_at });
}
