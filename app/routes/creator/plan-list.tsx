import { Link } from "react-router";
import type { Membership } from "../../../workers/contract/memberships.ts";
import { Paragraphs } from "../../ui/text.tsx";
import { useCreator } from "./creator.ts";
import { Joining, PlanPicture, PlanPrice } from "./plan-parts.tsx";

/** The plans of a creator for readers who may join. */
export function PlanList({ link_id, memberships }: { link_id: string; memberships: Membership[] }) {
  const { is_own, joined_plans } = useCreator();
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
          <Joining plan={plan} is_own={is_own} joined_plans={joined_plans} variant="primary-outline" />
        </li>
      ))}
    </ul>
  );
}
