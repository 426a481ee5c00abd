import { useCallback, useState } from "react";
import { Link, redirect, useFetcher } from "react-router";
import * as z from "zod";
import { COMMENT_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { createEventComment, listReceivedComments, type ReceivedComment } from "../../../workers/contract/comments.ts";
import { sortBy } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { useSent } from "../../forms/use-sent.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { AvatarLink, calledOf, NameLink } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { Pager } from "../../ui/pager.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { eventPath } from "../creator/event-path.ts";
import { receivedCommentForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/comments.ts";
import { ListOrder } from "./list-order.tsx";

export const meta: Route.MetaFunction = (args) => {
  const tab = filters.find(({ filter }) => filter === args.loaderData?.view.filter);
  return pageMeta(args, {
    title: tab && tab !== filters[0] ? `届いたコメント（${tab.title}）` : "届いたコメント",
    is_unlisted: true,
  });
};

const PATH = "/my/comments";

/** The filter and the order of the list, as in the address. */
interface View {
  filter: "all" | "not_replied" | "paid";
  sort_by: z.output<typeof sortBy>;
}

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const filter = z.enum(["all", "not_replied", "paid"]).catch("all").parse(url.searchParams.get("filter"));
  const view: View = { filter, sort_by: sortBy.catch("newest").parse(url.searchParams.get("sort")) };
  const { comments, has_next } = await context.get(v4Context).read(listReceivedComments, {
    query: {
      page_number: page,
      paid: filter === "paid" ? true : undefined,
      is_not_replied: filter === "not_replied" ? true : undefined,
      sort_by: view.sort_by,
    },
  });
  // The member has just replied to the last comment of this page, so redirect to the page before.
  if (page > 1 && comments.length === 0 && url.searchParams.has("left")) throw redirect(pathOf(view, page - 1));
  refuseEmptyPage(page, comments);
  const kept = await keptForm(context, PATH);
  const profile = context.get(viewerContext)?.profile;
  return {
    comments,
    has_next,
    page,
    view,
    kept: kept && typedFields(kept, receivedCommentForm),
    viewer_id: profile?.user_id ?? null,
    link_id: profile?.link_id ?? "",
    idempotency_key: crypto.randomUUID(),
  };
}

/** Sends a reply, which is also shown below the post. */
export async function action({ request, url, context }: Route.ActionArgs) {
  const words = { ...wordsOf(await request.formData(), PATH), place: url.search };
  const read = readForm(words.form, receivedCommentForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { event_id, ...body } = read.value;
  const sent = await context.get(v4Context).send(createEventComment, {
    params: { event_id },
    body,
    idempotency_key: words.idempotency_key,
  });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "replied");
  const is_left = url.searchParams.get("filter") === "not_replied" && url.searchParams.has("page");
  return redirect(PATH + url.search + (is_left ? "&left" : ""), 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

function pathOf({ filter, sort_by }: View, page = 1): string {
  const search = new URLSearchParams();
  if (filter !== "all") search.set("filter", filter);
  if (sort_by !== "newest") search.set("sort", sort_by);
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `${PATH}?${search}` : PATH;
}

const filters = [
  { filter: "all", title: "すべて", empty: "まだコメントは届いていません" },
  { filter: "not_replied", title: "未返信", empty: "未返信のコメントはありません" },
  { filter: "paid", title: "有料", empty: "有料のコメントはありません" },
] as const;

export default function ReceivedComments({ loaderData, actionData }: Route.ComponentProps) {
  const { comments, has_next, page, view, viewer_id, link_id, idempotency_key } = loaderData;
  const shown = filters.find(({ filter }) => filter === view.filter);
  // The text of a reply that was refused without JavaScript, or kept during a sign-in.
  const initial = actionData ? actionData.result.initialValue : loaderData.kept;
  const given_back = initial && {
    comment_id: String(initial.parent_comment_id ?? ""),
    message: String(initial.message ?? ""),
    error: actionData?.result.error ?? null,
  };
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">届いたコメント</h1>
        <ButtonLink to="/my/posts" size="sm" variant="gray-outline">
          投稿の一覧
        </ButtonLink>
      </div>
      <nav className="tabs" aria-label="コメントの種類">
        {filters.map(({ filter, title }) => (
          <Link
            key={filter}
            to={pathOf({ ...view, filter })}
            aria-current={filter === view.filter ? "page" : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <ListOrder
        sort_by={view.sort_by}
        kept={{ filter: view.filter === "all" ? null : view.filter }}
        button="並べ替える"
      />
      {comments.length === 0 ? (
        <EmptyState title={shown?.empty ?? ""}>
          {view.filter === "all" && <p>投稿にコメントが付くと、ここにまとまって表示されます。</p>}
        </EmptyState>
      ) : (
        <ul className="letter-list">
          {comments.map((comment) => (
            <Received
              key={comment.comment_id}
              comment={comment}
              action={pathOf(view, page)}
              viewer_id={viewer_id}
              link_id={link_id}
              idempotency_key={actionData?.idempotency_key || idempotency_key}
              given_back={given_back?.comment_id === comment.comment_id ? given_back : null}
            />
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => pathOf(view, n)} />
    </>
  );
}

interface ReceivedProps {
  comment: ReceivedComment;
  /** The address of this page of the list, to which the reply's form returns. */
  action: string;
  viewer_id: string | null;
  link_id: string;
  idempotency_key: string;
  /** A reply that was refused or kept during a sign-in, with its errors. */
  given_back: { message: string; error: Record<string, string[] | null> | null } | null;
}

function Received(props: ReceivedProps) {
  const { comment, link_id, given_back } = props;
  const { user, event } = comment;
  const [replies_sent, setRepliesSent] = useState(0);
  const onSent = useCallback(() => setRepliesSent((count) => count + 1), []);
  return (
    <li className="card letter">
      <p className="byline">
        <AvatarLink link_id={user.link_id} image={user.icon_image} />
        <NameLink link_id={user.link_id} className="byline-name">
          {user.name}
        </NameLink>
        {comment.paid && <Badge>{groupDigits(comment.amount)}円</Badge>}
        {comment.is_replied && <Badge tone="quiet">返信済み</Badge>}
        <DateTime iso={comment.created_at} format="date" />
      </p>
      <p className="letter-message">{comment.message}</p>
      <p className="letter-state">
        <Link to={`${eventPath({ link_id, event_id: event.event_id })}/comments/${comment.comment_id}`}>
          「{event.title}」へのコメント
        </Link>
      </p>
      <details key={replies_sent} open={given_back !== null && replies_sent === 0}>
        <summary>
          <span className="visually-hidden">{calledOf(user)}に</span>返信する
        </summary>
        <ReplyForm key={replies_sent} {...props} given_back={replies_sent === 0 ? given_back : null} onSent={onSent} />
      </details>
    </li>
  );
}

function ReplyForm(props: ReceivedProps & { onSent: () => void }) {
  const { comment, action: to, viewer_id, given_back, onSent } = props;
  const fetcher = useFetcher<typeof action>();
  useSent(fetcher, onSent);
  const error = fetcher.data?.result.error ?? given_back?.error ?? null;
  return (
    <fetcher.Form method="post" action={to} className="form">
      <input type="hidden" name="idempotency_key" value={fetcher.data?.idempotency_key || props.idempotency_key} />
      <input type="hidden" name="event_id" value={comment.event.event_id} />
      <input type="hidden" name="parent_comment_id" value={comment.comment_id} />
      <Author id={viewer_id} />
      <FormErrors errors={error?.[""]} />
      <WordsField
        id={`reply-${comment.comment_id}`}
        name="message"
        label={`${calledOf(comment.user)}への返信`}
        hint={`${groupDigits(COMMENT_GRAPHEMES)}文字まで。投稿のコメント欄に表示されます。`}
        max_graphemes={COMMENT_GRAPHEMES}
        initial={given_back?.message ?? ""}
        errors={error?.message ?? null}
        textarea={{ rows: 3 }}
      />
      <Button size="sm" aria-disabled={fetcher.state !== "idle"}>
        返信を送る
      </Button>
    </fetcher.Form>
  );
}
