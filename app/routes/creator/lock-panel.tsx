import { Link } from "react-router";
import type { Event } from "../../../workers/contract/events.ts";
import { loginPath } from "../../request/to.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { LockIcon } from "../../ui/icons.tsx";
import { Price } from "../../ui/price.tsx";
import { useCreator } from "./creator.ts";
import { FollowForm } from "./follow-form.tsx";

/** The end of a locked post, which says how to read on. `path` is the path of the post. */
export function LockPanel({ event, path }: { event: Event; path: string }) {
  const { creator, memberships, viewer_id, idempotency_key } = useCreator();
  const is_begun = event.document !== null && event.document.length > 0;
  const start = is_begun ? "ここから先" : "この投稿";
  const is_for_fans = event.publish_target_type === "fans";
  const plan = memberships.find(({ membership_id }) => membership_id === event.publish_target_membership_id);
  return (
    <section className="locked" aria-labelledby="locked-title">
      <LockIcon />
      <h2 id="locked-title" className="locked-title">
        {start}は{is_for_fans ? "フォロワー" : plan ? <span>「{plan.title}」</span> : "メンバー"}限定です
      </h2>
      {is_for_fans ? (
        <>
          <p>
            <bdi>{creator.name}</bdi>さんをフォローすると、すぐに読めます。
          </p>
          <FollowForm creator={creator} idempotency_key={idempotency_key} />
        </>
      ) : plan ? (
        <>
          <p>
            <Price amount={plan.amount} /> / 月のプランに加入すると読めます。
          </p>
          <ButtonLink
            to={`/${creator.link_id}/plans/${plan.membership_id}?to=${path}`}
            variant="primary-outline"
            rel="nofollow"
          >
            プランを見る
          </ButtonLink>
        </>
      ) : (
        <p>このプランは、いま新しい加入を受け付けていません。</p>
      )}
      {!viewer_id && (
        <p className="field-hint">
          {is_for_fans ? "フォローしている方" : "加入している方"}は<Link to={loginPath(path)}>ログイン</Link>
          すると読めます。
        </p>
      )}
    </section>
  );
}
