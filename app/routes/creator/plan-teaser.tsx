import { Link } from "react-router";
import type { Membership } from "../../../workers/contract/memberships.ts";
import { Price } from "../../ui/price.tsx";

/** The cheapest plan, with a link to all plans. */
export function PlanTeaser({ link_id, membership }: { link_id: string; membership: Membership }) {
  return (
    <section className="card plan-teaser">
      <h2 className="section-title">メンバーシップ</h2>
      <p className="plan-title">{membership.title}</p>
      <p className="plan-description">{membership.description}</p>
      <p className="plan-price">
        <Price amount={membership.amount} /> / 月から
      </p>
      <Link to={`/${link_id}/plans`} className="button button-primary-outline button-block">
        プランを見る
      </Link>
    </section>
  );
}
