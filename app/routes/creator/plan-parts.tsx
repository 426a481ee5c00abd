import { Link } from "react-router";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import type { Membership } from "../../../workers/contract/memberships.ts";
import { useIsPaused } from "../../request/paused-notice.tsx";
import { useTakesMoney } from "../../site/money.tsx";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Price } from "../../ui/price.tsx";
import { isEnding } from "../my/subscription-words.ts";
import type { CreatorContext } from "./creator.ts";
import { SecondPlanNotice } from "./second-plan-notice.tsx";

/** The picture of a plan, where it has one. The words beside it say what the plan is. */
export function PlanPicture({ plan: { image } }: { plan: Membership }) {
  if (!image) return null;
  const { medium_url, srcset, width, height } = image;
  return (
    <img
      className="plan-picture"
      src={medium_url}
      srcSet={srcset ?? undefined}
      sizes="(min-width: 48rem) 640px, 100vw"
      width={width}
      height={height}
      alt=""
      loading="lazy"
    />
  );
}

/** The price of a plan, and its limit of members. */
export function PlanPrice({ plan: { amount, members_limit } }: { plan: Membership }) {
  return (
    <p>
      <Price amount={amount} /> / 月{members_limit !== null && `　定員${groupDigits(members_limit)}人`}
    </p>
  );
}

interface JoiningProps extends Pick<CreatorContext, "is_own" | "joined_plans"> {
  plan: Membership;
  variant?: "primary" | "primary-outline";
  /** `?to=…` with the page to come back to from the payment, or nothing. */
  query?: string;
}

/** The way into a plan, or why there is none. Its creator gets the way to its form instead, a member the way to the subscription. */
export function Joining({ plan, is_own, joined_plans, variant = "primary", query = "" }: JoiningProps) {
  const { membership_id, title, is_full, active_state } = plan;
  const takes_money = useTakesMoney();
  const is_paused = useIsPaused("payments");
  const joined = joined_plans.find((each) => each.membership_id === membership_id);
  if (is_own) {
    return (
      <p>
        <Link to={`/my/memberships/${membership_id}/edit`} aria-label={`プランを編集：${title}`}>
          プランを編集
        </Link>
      </p>
    );
  }
  if (joined) {
    return (
      <p className="notice">
        {isEnding(joined) ? <Badge tone="quiet">{joined.label}</Badge> : "加入中のプランです。"}{" "}
        <Link to={`/my/subscriptions/${joined.subscription_id}`} aria-label={`加入の内容を見る：${title}`}>
          加入の内容を見る
        </Link>
      </p>
    );
  }
  if (!takes_money) return <p className="notice">このサイトでは、いまプランに加入できません。</p>;
  if (is_paused) return <p className="notice">いま、プランへの加入の受け付けを休んでいます。</p>;
  if (active_state !== "active") return <p className="notice">このプランの募集は終了しました。</p>;
  if (is_full) {
    return (
      <p className="notice">
        <strong>満員</strong>
        　空きが出ると、ここから加入できます。
      </p>
    );
  }
  return (
    <>
      <SecondPlanNotice membership_id={membership_id} joined_plans={joined_plans} query={query} />
      <p>
        <ButtonLink
          to={`/my/subscriptions/join/${membership_id}${query}`}
          rel="nofollow"
          variant={variant}
          aria-label={`このプランに加入する：${title}`}
        >
          このプランに加入する
        </ButtonLink>
      </p>
    </>
  );
}
