import { Link, redirect } from "react-router";
import { createEventComment } from "../../../workers/contract/comments.ts";
import { getEvent } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { forgetIntent } from "../../forms/intent.ts";
import { readForm } from "../../forms/read-form.ts";
import { refuseWords, returnWords, signInWithWords, wordsOfSharedPage } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { commentForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/write-comment.ts";
import { CommentForm } from "./comment-form.tsx";
import { useCreator } from "./creator.ts";
import { commentAnchor, eventPath } from "./event-path.ts";
import { isRefused, showRefused } from "./form-address.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "コメントを書く", is_unlisted: true });

/** This address only accepts forms. A GET redirects to the comments. */
export async function loader({ params, context }: Route.LoaderArgs) {
  if (!isRefused(context, params)) return redirect(eventPath(params, 1, "comments"));
  const found = await context.get(v4Context).part(getEvent, { params: { event_id: params.event_id }, query: {} });
  return { title: found?.event.title ?? null };
}

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const read = readForm(form, commentForm);
  const parent_comment_id = id.safeParse(form.get("parent_comment_id")).data ?? null;
  const page = commentForm.shape.page.parse(form.get("page"));
  const path = eventPath(params);
  const words = {
    ...wordsOfSharedPage(form, path),
    action: `${path}/comments`,
    place: eventPath(params, page, parent_comment_id ? commentAnchor(parent_comment_id) : "comments").slice(
      path.length,
    ),
  };
  showRefused(context);
  if (!context.get(viewerContext)) return signInWithWords(context, words, read);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { page: _, ...body } = read.value;
  const sent = await context.get(v4Context).send(createEventComment, {
    params: { event_id: params.event_id },
    body,
    idempotency_key: words.idempotency_key,
  });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "commented");
  // A new thread is on the first page; a reply is on the page of its thread.
  return redirect(eventPath(params, parent_comment_id ? page : 1, commentAnchor(sent.answer.comment.comment_id)), 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

/** The page for a comment that was sent without JavaScript and refused. */
export default function CommentRefused({ loaderData, actionData, params }: Route.ComponentProps) {
  const { viewer_id, idempotency_key } = useCreator();
  const path = eventPath(params);
  const result = actionData?.result;
  const initial = result?.initialValue ?? {};
  const parent_comment_id = initial.parent_comment_id;
  return (
    <section className="card form comments-card">
      <h1 className="section-title">
        <Link to={path}>{loaderData?.title ?? "投稿"}</Link>へのコメント
      </h1>
      <FormErrors errors={result?.error?.[""]} />
      <CommentForm
        path={path}
        viewer_id={viewer_id}
        idempotency_key={actionData?.idempotency_key ?? idempotency_key}
        parent_comment_id={typeof parent_comment_id === "string" ? parent_comment_id : undefined}
        page={Number(initial.page ?? 1)}
        initial={String(initial.message ?? "")}
        errors={result?.error?.message ?? null}
      />
      <p>
        <Link to={path}>送信せずに投稿へ戻る</Link>
      </p>
    </section>
  );
}
