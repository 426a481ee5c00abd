import { Link } from "react-router";
import type { EventComment } from "../../../workers/contract/comments.ts";
import { AvatarLink } from "../../ui/avatar.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Pager } from "../../ui/pager.tsx";

/** What has been said under a post, a page of it; nothing where nobody has said anything. `path`: the post's own page. */
export function Comments(props: { comments: readonly EventComment[]; page: number; has_next: boolean; path: string }) {
  const { comments, page, has_next, path } = props;
  if (comments.length === 0) return null;
  return (
    <section className="card comments-card" aria-labelledby="comments-title">
      <h2 id="comments-title" className="section-title">
        コメント
      </h2>
      <ul className="comments">
        {comments.map((comment) => (
          <li key={comment.comment_id} className={comment.parent_comment_id ? "comment-reply" : undefined}>
            <p className="byline">
              <AvatarLink link_id={comment.user.link_id} image={comment.user.icon_image} size={32} />
              <Link to={`/${comment.user.link_id}`}>{comment.user.name}</Link>
              {comment.paid && <span className="badge">{comment.amount.toLocaleString("ja-JP")}円</span>}
              <DateTime iso={comment.created_at} format="date" />
            </p>
            <p className="letter-message">{comment.message}</p>
          </li>
        ))}
      </ul>
      <Pager page={page} has_next={has_next} hrefOf={(n) => (n === 1 ? path : `${path}?page=${n}`)} />
    </section>
  );
}
