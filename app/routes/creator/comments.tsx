import { useCallback, useState } from "react";
import { Link, useLocation } from "react-router";
import type { EventComment } from "../../../workers/contract/comments.ts";
import type { Event } from "../../../workers/contract/events.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { hidePaidCommentBanner } from "../../browser/stored-keys.ts";
import { useStored } from "../../browser/use-stored.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { AvatarLink, calledOf, NameLink } from "../../people/avatar.tsx";
import { loginPath } from "../../request/to.ts";
import { useTakesMoney } from "../../site/money.tsx";
import { excerptOf } from "../../text/excerpt.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { useHydrated } from "../../ui/hydrated.ts";
import { Pager } from "../../ui/pager.tsx";
import { CommentForm } from "./comment-form.tsx";
import { useCreator } from "./creator.ts";
import { commentAnchor, eventPath } from "./event-path.ts";
import { CommentLikeForm } from "./like-form.tsx";

/** The text of a comment that was kept while its writer signed in, and the comment it answers. */
export interface KeptComment {
  message: string;
  parent_comment_id: string | null;
}

interface CommentsProps {
  event: Pick<Event, "event_id" | "user" | "comment_filter" | "comments_count">;
  /** One page of comments: newest thread first, the replies of a thread oldest first. */
  comments: readonly EventComment[];
  page: number;
  has_next: boolean;
  kept: KeptComment | null;
}

/** The comments of a post, and the form to write one. */
export default function Comments(props: CommentsProps) {
  const { event, comments, page, has_next, kept } = props;
  const { creator, viewer_id, is_own, idempotency_key } = useCreator();
  const path = eventPath({ link_id: event.user.link_id, event_id: event.event_id });
  // Only creators can be paid.
  const takes_none = event.comment_filter === "none" || (event.comment_filter === "paid_only" && !creator.is_creator);
  const is_reply_kept = kept?.parent_comment_id && comments.some((each) => each.comment_id === kept.parent_comment_id);
  return (
    <section className="card comments-card" id="comments" aria-labelledby="comments-title">
      <h2 id="comments-title" className="section-title">
        コメント{" "}
        {event.comments_count > 0 && <span className="comments-count">{groupDigits(event.comments_count)}</span>}
      </h2>
      {takes_none && <p className="notice">この投稿はコメントを受け付けていません。</p>}
      {!takes_none && !is_own && creator.is_creator && (
        <PaidCommentBanner path={path} is_only={event.comment_filter === "paid_only"} />
      )}
      {event.comment_filter === "all" && (
        <CommentForm
          path={path}
          viewer_id={viewer_id}
          idempotency_key={idempotency_key}
          initial={is_reply_kept ? "" : kept?.message}
        />
      )}
      {comments.length === 0 ? (
        event.comment_filter === "all" && <p className="comments-none">まだコメントはありません。</p>
      ) : (
        <ul className="comments">
          {comments.map((comment) => (
            <Comment
              key={comment.comment_id}
              comment={comment}
              event={event}
              path={path}
              page={page}
              kept={kept?.parent_comment_id === comment.comment_id ? kept : null}
            />
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => `${n === 1 ? path : `${path}?page=${n}`}#comments`} />
    </section>
  );
}

/** Leads to paid comments. Where free ones are taken too, a member can reduce it to its link for all posts. */
function PaidCommentBanner({ path, is_only }: { path: string; is_only: boolean }) {
  const [is_hidden, setHidden] = useStored(hidePaidCommentBanner);
  const is_alive = useHydrated();
  const takes_money = useTakesMoney();
  if (!takes_money && is_only) {
    return <p className="notice">この投稿は有料コメントだけを受け付けていますが、このサイトではいま送れません。</p>;
  }
  if (!takes_money) return null;
  const link = (
    <Link to={`${path}/paid-comments`} reloadDocument>
      有料コメントを送る
    </Link>
  );
  if (is_hidden && !is_only) return <p>{link}</p>;
  return (
    <p className="banner">
      {is_only ? "この投稿は有料コメントだけを受け付けています。" : "金額を添えたコメントで応援できます。"}
      {link}
      {is_alive && !is_only && (
        <button type="button" className="link-button" onClick={() => setHidden(true)}>
          表示しない
        </button>
      )}
    </p>
  );
}

interface CommentProps {
  comment: EventComment;
  event: CommentsProps["event"];
  path: string;
  page: number;
  kept: KeptComment | null;
}

function Comment({ comment, event, path, page, kept }: CommentProps) {
  const { comment_id, user, message } = comment;
  const { viewer_id, is_own, idempotency_key } = useCreator();
  // How many replies were sent. This number is the key of the reply form, so that the form renders again, closed.
  const [replies_sent, setRepliesSent] = useState(0);
  const onReplySent = useCallback(() => setRepliesSent((count) => count + 1), []);
  const anchor = commentAnchor(comment_id);
  const is_target = useIsTarget(anchor);
  const own_path = `${path}/comments/${comment_id}`;
  const class_name = `comment${comment.parent_comment_id ? " comment-reply" : ""}${is_target ? " comment-target" : ""}`;
  if (comment.is_deleted) {
    return (
      <li id={anchor} className={class_name}>
        <p className="comment-deleted">このコメントは削除されました</p>
      </li>
    );
  }
  // The author of the post may answer whatever its `comment_filter` says.
  const may_reply = (event.comment_filter === "all" || is_own) && !comment.parent_comment_id;
  const here = eventPath({ link_id: event.user.link_id, event_id: event.event_id }, page, anchor);
  return (
    <li id={anchor} className={class_name}>
      <p className="byline">
        <AvatarLink link_id={user.link_id} image={user.icon_image} size={32} />
        <NameLink link_id={user.link_id}>{user.name}</NameLink>
        {user.user_id === event.user.user_id && <Badge>投稿者</Badge>}
        {comment.paid && <Badge>{groupDigits(comment.amount)}円</Badge>}
        <DateTime iso={comment.created_at} format="date" />
      </p>
      <Message text={message} />
      <div className="comment-actions">
        <CommentLikeForm
          path={own_path}
          id={comment_id}
          is_liked={comment.is_liked}
          likes_count={comment.likes_count}
          viewer_id={viewer_id}
          page={page}
        />
        {may_reply && !viewer_id && <Link to={loginPath(here)}>返信</Link>}
        {user.user_id !== viewer_id && (
          <Link to={`${own_path}/report`} aria-label={`${calledOf(user)}のコメントを通報`}>
            通報
          </Link>
        )}
        {comment.can_delete && <DeleteForm path={own_path} anchor={anchor} page={page} is_paid={comment.paid} />}
        {may_reply && viewer_id && (
          <details key={replies_sent} open={kept !== null}>
            <summary>返信</summary>
            <CommentForm
              path={path}
              viewer_id={viewer_id}
              idempotency_key={idempotency_key}
              parent_comment_id={comment_id}
              parent_name={calledOf(user)}
              page={page}
              initial={kept?.message}
              onSent={onReplySent}
            />
          </details>
        )}
      </div>
    </li>
  );
}

/** Whether the URL's fragment names this element. CSS `:target` ignores client-side navigations. */
function useIsTarget(id: string): boolean {
  const is_alive = useHydrated();
  const { hash } = useLocation();
  return is_alive && hash === `#${id}`;
}

const LONG_CHARACTERS = 280;
const LONG_LINES = 8;
const LEAD_CHARACTERS = 140;

/** Shows the beginning of a long comment, and the rest on request. */
function Message({ text }: { text: string }) {
  const is_long = text.length > LONG_CHARACTERS || text.split("\n").length > LONG_LINES;
  if (!is_long) return <p className="letter-message">{text}</p>;
  return (
    <details className="comment-long">
      <summary>
        <span className="comment-lead">{excerptOf(text, LEAD_CHARACTERS)} </span>
      </summary>
      <p className="letter-message">{text}</p>
    </details>
  );
}

/**
 * Asks for confirmation, because the comment cannot be restored. A paid comment is only hidden: its amount stays with the
 * creator, and its writer can still read it.
 */
function DeleteForm(props: { path: string; anchor: string; page: number; is_paid: boolean }) {
  const { path, anchor, page, is_paid } = props;
  const { viewer_id } = useCreator();
  const dialog = `delete-${anchor}`;
  return (
    <>
      <DialogButton dialog={dialog} command="show-modal" className="link-button">
        {is_paid ? "非表示にする" : "削除"}
      </DialogButton>
      <Dialog
        id={dialog}
        title={is_paid ? "有料コメントを非表示にしますか？" : "コメントを削除しますか？"}
        actions={
          <ButtonForm action={path} fields={{ [AUTHOR_FIELD]: viewer_id, page: page > 1 ? page : null }}>
            {(is_sending) => (
              <Button name="operation" value={is_paid ? "hide" : "delete"} variant="alert" aria-disabled={is_sending}>
                {is_paid ? "非表示にする" : "削除する"}
              </Button>
            )}
          </ButtonForm>
        }
      >
        <p>
          {is_paid
            ? "コメントと返信が、投稿に表示されなくなります。もう一度表示することはできません。受け取った金額はそのまま残り、返金はされません。送った人は、領収書のページで自分のコメントを読めます。"
            : "削除したコメントは元に戻せません。"}
        </p>
      </Dialog>
    </>
  );
}
