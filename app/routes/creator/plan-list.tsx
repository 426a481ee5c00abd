import { Link } from "react-router";
import type { Membership } from "../../../workers/contract/memberships.ts";
import { Price } from "../../ui/price.tsx";
import { Paragraphs } from "../../ui/text.tsx";

/** The plans of a creator for readers who may join. */
export function PlanList({ link_id, memberships }: { link_id: string; memberships: Membership[] }) {
  return (
    <ul className="plan-list">
      {memberships.map(({ membership_id, title, amount, description }) => (
        <li key={membership_id} className="card prose">
          <h2 className="plan-title">
            <Link to={`/${link_id}/plans/${membership_id}`}>{title}</Link>
          </h2>
          <p>
            <Price amount={amount} /> / 月
          </p>
          <Paragraphs text={description} />
        </li>
      ))}
    </ul>
  );
}
