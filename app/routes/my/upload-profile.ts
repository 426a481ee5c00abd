import { data, redirect } from "react-router";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { formIntent, keepIntent } from "../../forms/intent.ts";
import { keptOf } from "../../forms/kept.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { signInWithWords, wordsOf } from "../../forms/words.ts";
import { edgeContext, v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import { UnreadableForm } from "../../uploads/receive.ts";
import type { Refusal } from "../../v4/client.ts";
import type { Failure } from "../../v4/failure.ts";
import type { Route } from "./+types/upload-profile.ts";
import { PICTURES, PROFILE_PATH } from "./settings/profile-values.ts";

/** A GET, for example after going back, redirects to the form. */
export const loader = () => redirect(PROFILE_PATH);

/**
 * Used by browsers without JavaScript. Receives the whole profile form with the chosen pictures, uploads the pictures,
 * and shows the form again with its text. The profile is not saved yet.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const is_signed_in = context.get(viewerContext) !== null;
  const { request_id } = context.get(edgeContext);
  try {
    const { form, image_of, refused } = await receiveOwnUploads(request, context, "public");
    if (!is_signed_in) return signInWithWords(context, wordsOf(form, PROFILE_PATH), null);
    const failWith = (refusal: Refusal) => context.get(v4Context).failure(refusal, keptOf(form, PROFILE_PATH));
    const not_theirs = refuseAuthor(context, form);
    if (not_theirs) throw failWith(not_theirs);
    for (const name of PICTURES) {
      const image = image_of.get(`${name}_file`);
      if (image) form.set(`${name}_image_id`, image.image_id);
      const [last] = refused.filter(({ field }) => field === `${name}_file`).slice(-1);
      if (last) form.set(`${name}_refused`, last.refusal.detail);
    }
    const refusal = await keepIntent(context, formIntent(PROFILE_PATH, form));
    if (!refusal) return redirect(`${PROFILE_PATH}#pictures`, 303);
    throw failWith(refusal);
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    const { status, detail } = errorCatalogue.bad_request;
    throw data({ code: "bad_request", detail, request_id } satisfies Failure, { status });
  }
}

/**
 * React Router never renders this component. Because it exists, a failed form is answered by an HTML page with the
 * person's text instead of JSON.
 */
export default function NoPage() {
  return null;
}
