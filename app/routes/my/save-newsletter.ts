import { forgetIntent } from "../../forms/intent.ts";
import { refusalAnswer, refuseSave, savedAnswer } from "../../post/save-answer.ts";
import type { Route } from "./+types/save-newsletter.ts";
import { saveNewsletterDraft } from "./newsletter-action.ts";

/**
 * Saves the form of a newsletter as a draft: a new one, or that of the field `newsletter_id`. The form's script calls it.
 * Answers `{ newsletter_id, seen_updated_at, saved_at }`, or `{ code, detail }` with the status of the refusal. Answers 401 if
 * the session has ended.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const refused = refuseSave(context, form);
  if (refused) return refused;
  const sent = await saveNewsletterDraft(context, form, form.get("do") === "overwrite");
  if (!sent.ok) return refusalAnswer(context, sent.refusal);
  forgetIntent(context, "form");
  const { id, updated_at } = sent.answer.news_letter;
  return savedAnswer({ newsletter_id: id, seen_updated_at: updated_at, saved_at: updated_at });
}
