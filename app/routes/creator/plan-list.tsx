import type { Membership } from "../../../workers/contract/memberships.ts";
import { Price } from "../../ui/price.tsx";
import { Paragraphs } from "../../ui/text.tsx";

/** The plans of a creator for readers who may join. Locked posts link to the `id` of a plan. */
export function PlanList({ memberships, heading: Heading }: { memberships: Membership[]; heading: "h2" | "h3" }) {
  return (
    <ul className="plan-list">
      {memberships.map(({ membership_id, title, amount, description }) => (
        <li key={membership_id} id={membership_id} className="card prose">
          <Heading className="plan-title">{title}</Heading>
          <p>
            <Price amount={amount} /> / 月
          </p>
          <Paragraphs text={description} />
        </li>
      ))}
    </ul>
  );
}
