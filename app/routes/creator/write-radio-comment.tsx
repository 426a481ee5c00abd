import { Link, redirect } from "react-router";
import { createRadioComment } from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { forgetIntent } from "../../forms/intent.ts";
import { readForm } from "../../forms/read-form.ts";
import { refuseWords, returnWords, signInWithWords, wordsOfSharedPage } from "../../forms/words.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { radioCommentForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/write-radio-comment.ts";
import { CommentForm } from "./comment-form.tsx";
import { useCreator } from "./creator.ts";
import { commentAnchor } from "./event-path.ts";
import { isRefused, showRefused } from "./form-address.ts";
import { radioPath } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "コメントを書く", is_unlisted: true });

/** This address only accepts forms. A GET redirects to the comments. */
export const loader = ({ params: { link_id, radio_id }, context }: Route.LoaderArgs) =>
  isRefused(context, { link_id, radio_id }) ? null : redirect(radioPath({ link_id, radio_id }, 1, "comments"));

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const read = readForm(form, radioCommentForm);
  const path = radioPath(params);
  const words = { ...wordsOfSharedPage(form, path), action: `${path}/comments`, place: "#comments" };
  showRefused(context);
  if (!context.get(viewerContext)) return signInWithWords(context, words, read);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const sent = await v4OfRadio(context, params.radio_id).send(createRadioComment, {
    params: { radio_id: params.radio_id },
    body: read.value,
    idempotency_key: words.idempotency_key,
  });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "commented");
  return redirect(radioPath(params, 1, commentAnchor(sent.answer.comment.comment_id)), 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

/** The page for a comment that was sent without JavaScript and refused. */
export default function RadioCommentRefused({ actionData, params }: Route.ComponentProps) {
  const { viewer_id, idempotency_key } = useCreator();
  const path = radioPath(params);
  const result = actionData?.result;
  return (
    <section className="card form comments-card">
      <h1 className="section-title">
        <Link to={path}>ラジオ</Link>へのコメント
      </h1>
      <FormErrors errors={result?.error?.[""]} />
      <CommentForm
        path={path}
        viewer_id={viewer_id}
        idempotency_key={actionData?.idempotency_key ?? idempotency_key}
        initial={String(result?.initialValue?.message ?? "")}
        errors={result?.error?.message ?? null}
      />
      <p>
        <Link to={path}>送信せずにラジオへ戻る</Link>
      </p>
    </section>
  );
}
