import { Link } from "react-router";
import type { Membership } from "../../../workers/contract/memberships.ts";
import { Paragraphs } from "../../ui/text.tsx";
import { Joining, PlanPicture, PlanPrice } from "./plan-parts.tsx";

/** The plans of a creator for readers who may join. */
export function PlanList(props: { link_id: string; memberships: Membership[]; is_own: boolean }) {
  const { link_id, memberships, is_own } = props;
  return (
    <ul className="plan-list">
      {memberships.map((plan) => (
        <li key={plan.membership_id} className="card prose">
          <PlanPicture plan={plan} />
          <h2 className="plan-title">
            <Link to={`/${link_id}/plans/${plan.membership_id}`}>{plan.title}</Link>
          </h2>
          <PlanPrice plan={plan} />
          <Paragraphs text={plan.description} />
          <Joining plan={plan} is_own={is_own} variant="primary-outline" />
        </li>
      ))}
    </ul>
  );
}
