import { forgetIntent } from "../../forms/intent.ts";
import { readPost, savePost } from "../../post/post-action.ts";
import { refusalAnswer, refuseSave, savedAnswer } from "../../post/save-answer.ts";
import type { Route } from "./+types/save-draft.ts";

/**
 * Saves the form of a post as a draft. The form's script calls it. Answers `{ revision, saved_at }`, or `{ code, detail
 * }` with the status of the refusal. Answers 401 if the session has ended.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const refused = refuseSave(context, form);
  if (refused) return refused;
  const event_id = form.get("event_id");
  const post = readPost(form, typeof event_id === "string" && event_id ? event_id : null);
  const sent = await savePost(context, post, form.get("do") === "overwrite");
  if (!sent.ok) return refusalAnswer(context, sent.refusal);
  forgetIntent(context, "form");
  const { revision, updated_at } = sent.answer.draft;
  return savedAnswer({ revision, saved_at: updated_at });
}
