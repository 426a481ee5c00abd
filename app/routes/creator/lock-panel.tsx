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
  const is_begun = event.document !== null && event.document.length > 0;
  return (
    <LockedSection
      subject={is_begun ? "ここから先" : "この投稿"}
      verb="読め"
      is_for_fans={event.publish_target_type === "fans"}
      membership_id={event.publish_target_membership_id}
      path={path}
    />
  );
}

/** Says to whom something is open, and how the viewer gets in. */
export function LockedSection(props: {
  /** The locked thing, as the title names it. */
  subject: string;
  /** The verb for a person with access: read or hear. */
  verb: "読め" | "聴け";
  is_for_fans: boolean;
  membership_id: string | null;
  /** The path of the page, to which the viewer returns. */
  path: string;
}) {
  const { subject, verb, is_for_fans, membership_id, path } = props;
  const { creator, memberships, viewer_id, idempotency_key } = useCreator();
  const plan = memberships.find((membership) => membership.membership_id === membership_id);
  return (
    <section className="locked" aria-labelledby="locked-title">
      <LockIcon />
      <h2 id="locked-title" className="locked-title">
        {subject}は{is_for_fans ? "フォロワー" : plan ? <span>「{plan.title}」</span> : "メンバー"}限定です
      </h2>
      {is_for_fans ? (
        <>
          <p>
            <bdi>{creator.name}</bdi>
            {`さんをフォローすると、すぐに${verb}ます。`}
          </p>
          <FollowForm creator={creator} idempotency_key={idempotency_key} />
        </>
      ) : plan ? (
        <>
          <p>
            <Price amount={plan.amount} />
            {` / 月のプランに加入すると${verb}ます。`}
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
          {`すると${verb}ます。`}
        </p>
      )}
    </section>
  );
}
