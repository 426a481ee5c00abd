import { Link } from "react-router";
import type { JoinedPlan } from "../../../workers/contract/memberships.ts";
import type { SecondPlan } from "../my/subscription-words.ts";

/**
 * Says to a member of another plan of the creator that both would be charged, or until when the other one can be read, and leads
 * to a change of plan where that is possible.
 */
export function SecondPlanNotice(props: {
  membership_id: string;
  joined_plans: readonly (Pick<JoinedPlan, "membership_id" | "subscription_id" | "title"> & SecondPlan)[];
  /** `?to=…` with the page to come back to, or nothing. */
  query?: string;
}) {
  const { membership_id, joined_plans, query = "" } = props;
  const others = joined_plans.filter((joined) => joined.membership_id !== membership_id && joined.second_note);
  return others.map(({ subscription_id, title, second_note, may_change }) => (
    <p key={subscription_id} className="notice">
      {second_note}
      {may_change && (
        <Link
          to={`/my/subscriptions/${subscription_id}/change/${membership_id}${query}`}
          aria-label={`プランを変更する：${title}から`}
        >
          プランを変更する
        </Link>
      )}
    </p>
  ));
}
