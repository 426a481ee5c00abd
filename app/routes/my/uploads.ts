import { data, type RouterContextProvider, redirect } from "react-router";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { forgetIntent } from "../../forms/intent.ts";
import { keptOf } from "../../forms/kept.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { signInWithWords, wordsOf } from "../../forms/words.ts";
import { formPath } from "../../post/form-path.ts";
import { readPost, savePost } from "../../post/post-action.ts";
import { idsOf, kindOf, type Values } from "../../post/values.ts";
import { edgeContext, v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { type Received, UnreadableForm } from "../../uploads/receive.ts";
import type { Refusal } from "../../v4/client.ts";
import type { Failure } from "../../v4/failure.ts";
import type { Route } from "./+types/uploads.ts";

/** A GET, for example after going back, redirects to the saved drafts. */
export const loader = () => redirect("/my/posts?status=draft");

/**
 * Used by browsers without JavaScript. Receives the whole form of a post with the chosen files, uploads the files,
 * saves the form as the draft, and shows the form again. Errors of refused files are shown next to the file field.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const viewer = context.get(viewerContext);
  const received = await receiveFiles(request, context);
  const { form } = received;
  const event_id = String(form.get("event_id") ?? "") || null;
  const path = event_id ? `/my/posts/${event_id}/edit` : "/my/posts/new";
  if (!viewer) return signInWithWords(context, wordsOf(form, path), null);
  const failWith = (refusal: Refusal) => context.get(v4Context).failure(refusal, keptOf(form, path));
  const not_theirs = refuseAuthor(context, form);
  if (not_theirs) throw failWith(not_theirs);
  const post = readPost(form, event_id);
  const values = withUploads(post.values, received);
  for (const name of ["images", "audios", "video_media_id"]) if (values[name]) form.set(name, values[name]);
  const sent = await savePost(context, { ...post, values });
  if (!sent.ok) throw failWith(sent.refusal);
  forgetIntent(context, "form");
  if (received.refused.length > 0) setFlash(context, "files_refused");
  else if (received.images.length + received.media.length > 0) setFlash(context, "files_uploaded");
  return redirect(`${formPath({ draft_id: post.draft_id, event_id, kind: kindOf(values) })}#pictures`, 303);
}

async function receiveFiles(request: Request, context: Readonly<RouterContextProvider>): Promise<Received> {
  try {
    return await receiveOwnUploads(request, context);
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    const { status, detail } = errorCatalogue.bad_request;
    const failure: Failure = { code: "bad_request", detail, request_id: context.get(edgeContext).request_id };
    throw data(failure, { status });
  }
}

/** Adds uploads to the form's values. Appends pictures and sound; a new video replaces the old one. */
function withUploads(values: Values, { images, media, refused }: Received): Values {
  const idsOfKind = (kind: "audio" | "video") =>
    media.filter((each) => each.kind === kind).map(({ media_id }) => media_id);
  const messages = refused.map(({ file_name, refusal }) => `${file_name.replaceAll("\n", " ")}：${refusal.detail}`);
  return {
    ...values,
    images: [...idsOf(values.images), ...images.map(({ image_id }) => image_id)].join(" "),
    audios: [...idsOf(values.audios), ...idsOfKind("audio")].join(" "),
    video_media_id: idsOfKind("video").at(-1) ?? values.video_media_id ?? "",
    ...(messages.length > 0 && { refused_files: messages.join("\n") }),
  };
}

/**
 * React Router never renders this component. Because it exists, a failed form is answered by an HTML page with the
 * person's text instead of JSON.
 */
export default function NoPage() {
  return null;
}
