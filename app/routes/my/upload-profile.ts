import { data, redirect } from "react-router";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { formIntent, keepIntent } from "../../forms/intent.ts";
import { keptOf } from "../../forms/kept.ts";
import { signInWithWords, wordsOf } from "../../forms/words.ts";
import { edgeContext, v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import { receiveUploads, UnreadableForm } from "../../uploads/receive.ts";
import type { Failure } from "../../v4/failure.ts";
import type { Route } from "./+types/upload-profile.ts";
import { PICTURES, PROFILE_PATH } from "./settings/profile-values.ts";

/** Whoever comes back to this address finds the form. */
export const loader = () => redirect(PROFILE_PATH);

/**
 * Takes the whole form of a profile with the pictures chosen in it, from browsers without our script. The pictures go to the
 * product; the form is there again with them and with its words, and nothing of it is saved yet.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const is_signed_in = context.get(viewerContext) !== null;
  const { request_id } = context.get(edgeContext);
  try {
    const v4 = is_signed_in ? context.get(v4Context) : null;
    const { form, image_of, refused } = await receiveUploads(request, v4, "profile");
    if (!is_signed_in) return signInWithWords(context, wordsOf(form, PROFILE_PATH), null);
    for (const name of PICTURES) {
      const image = image_of.get(`${name}_file`);
      if (image) form.set(`${name}_image_id`, image.image_id);
      const [last] = refused.filter(({ field }) => field === `${name}_file`).slice(-1);
      if (last) form.set(`${name}_refused`, last.refusal.detail);
    }
    const refusal = await keepIntent(context, formIntent(PROFILE_PATH, form));
    if (!refusal) return redirect(`${PROFILE_PATH}#pictures`, 303);
    throw context.get(v4Context).failure(refusal, keptOf(form, PROFILE_PATH));
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    const { status, detail } = errorCatalogue.bad_request;
    throw data({ code: "bad_request", detail, request_id } satisfies Failure, { status });
  }
}

/** Shows nothing itself; with a component a form that fails is answered by a page, which has its words, and not by JSON. */
export default function NoPage() {
  return null;
}
