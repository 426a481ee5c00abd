import { Link } from "react-router";
import type { Radio } from "../../../workers/contract/radios.ts";
import { loginPath } from "../../request/to.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { LockIcon } from "../../ui/icons.tsx";
import { Price } from "../../ui/price.tsx";
import { audienceOf } from "../radio-words.ts";
import { useCreator } from "./creator.ts";
import { FollowForm } from "./follow-form.tsx";

/** In place of a radio that the viewer may not hear: says how to hear it. `path` is the path of the radio. */
export function RadioLock({ radio, path }: { radio: Radio; path: string }) {
  const { creator, memberships, viewer_id, idempotency_key } = useCreator();
  const is_for_fans = audienceOf(radio) === "fans";
  const plan = memberships.find(({ membership_id }) => membership_id === radio.publish_target_membership_id);
  return (
    <section className="locked" aria-labelledby="locked-title">
      <LockIcon />
      <h2 id="locked-title" className="locked-title">
        この{radio.status === "finished" ? "録音" : "放送"}は
        {is_for_fans ? "フォロワー" : plan ? <span>「{plan.title}」</span> : "メンバー"}限定です
      </h2>
      {is_for_fans ? (
        <>
          <p>
            <bdi>{creator.name}</bdi>さんをフォローすると、すぐに聴けます。
          </p>
          <FollowForm creator={creator} idempotency_key={idempotency_key} />
        </>
      ) : plan ? (
        <>
          <p>
            <Price amount={plan.amount} /> / 月のプランに加入すると聴けます。
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
          すると聴けます。
        </p>
      )}
    </section>
  );
}
