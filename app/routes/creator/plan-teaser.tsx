import { Link } from "react-router";
import type { Membership } from "../../../workers/contract/memberships.ts";
import { Price } from "../../ui/price.tsx";

/** The cheapest plan, with a link to all plans; nothing without a plan. */
export function PlanTeaser({ link_id, memberships }: { link_id: string; memberships: readonly Membership[] }) {
  const [membership, ...others] = [...memberships].sort((a, b) => a.amount - b.amount);
  if (!membership) return null;
  return (
    <section className="card plan-teaser">
      <h2 className="section-title">メンバーシップ</h2>
      <p className="plan-title">{membership.title}</p>
      <p className="plan-description">{membership.description}</p>
      <p className="plan-price">
        月額
        <Price amount={membership.amount} />
        {others.some(({ amount }) => amount > membership.amount) && "から"}
      </p>
      <Link to={`/${link_id}/plans`} className="button button-primary-outline button-block">
        プランを見る
      </Link>
    </section>
  );
}
