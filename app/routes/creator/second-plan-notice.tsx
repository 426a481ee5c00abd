import { Link } from "react-router";
import type { JoinedPlan } from "../../../workers/contract/memberships.ts";

/**
 * Says to a member of another plan of the creator that both would be charged, and leads to a change of plan instead. A plan
 * that is past due cannot be changed.
 */
export function SecondPlanNotice(props: { membership_id: string; joined_plans: readonly JoinedPlan[] }) {
  const { membership_id, joined_plans } = props;
  const charged = joined_plans.filter(
    ({ is_billed, is_ending, may_continue, ...joined }) =>
      joined.membership_id !== membership_id && is_billed && !is_ending && may_continue,
  );
  return charged.map(({ subscription_id, title, status }) => (
    <p key={subscription_id} className="notice">
      いま「{title}」に加入中です。加入すると、両方の料金がかかります。
      {status === "active" && (
        <Link
          to={`/my/subscriptions/${subscription_id}/change/${membership_id}`}
          aria-label={`プランを変更する：${title}から`}
        >
          プランを変更する
        </Link>
      )}
    </p>
  ));
}
