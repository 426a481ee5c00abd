import type { Membership } from "../../../workers/contract/memberships.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Price } from "../../ui/price.tsx";

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

/** What a plan costs, and how many members it takes. */
export function PlanPrice({ plan: { amount, members_limit } }: { plan: Membership }) {
  return (
    <p>
      <Price amount={amount} /> / 月{members_limit !== null && `　定員${members_limit.toLocaleString("ja-JP")}人`}
    </p>
  );
}

/** The way into a plan: the page that confirms the order, or why nobody can join now. */
export function JoinLink(props: { plan: Membership; variant?: "primary" | "primary-outline" }) {
  const { plan, variant = "primary" } = props;
  const { membership_id, title, is_full } = plan;
  if (is_full) {
    return (
      <p className="notice">
        <strong>満員</strong>
        　空きが出ると、ここから加入できます。
      </p>
    );
  }
  return (
    <p>
      <ButtonLink
        to={`/my/subscriptions/join/${membership_id}`}
        rel="nofollow"
        variant={variant}
        aria-label={`このプランに加入する：${title}`}
      >
        このプランに加入する
      </ButtonLink>
    </p>
  );
}
