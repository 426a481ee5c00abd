import { Link } from "react-router";
import { listSubscriptions, type Subscription } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { PersonRow } from "../../people/person.tsx";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Price } from "../../ui/price.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/subscriptions.ts";
import { SUBSCRIPTION_STATUSES } from "./plan-state.ts";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "加入中のプラン", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const query = { page_number: page };
  const { subscriptions, has_next } = await context.get(v4Context).read(listSubscriptions, { query });
  refuseEmptyPage(page, subscriptions);
  const now_ms = Date.now();
  return {
    subscriptions: subscriptions.map((each) => ({ ...each, is_over: Date.parse(each.paid_until) <= now_ms })),
    has_next,
    page,
  };
}

export default function Subscriptions({ loaderData }: Route.ComponentProps) {
  const { subscriptions, has_next, page } = loaderData;
  return (
    <>
      <h1 className="page-title">加入中のプラン</h1>
      {subscriptions.length === 0 ? (
        <EmptyState title="加入中のプランはありません">
          <p>
            <Link to="/search">クリエイターを探す</Link>
          </p>
        </EmptyState>
      ) : (
        <>
          <p className="lead">
            <Link to="/?filter=subscribing">加入中のプランの投稿を見る</Link>
          </p>
          <ul className="rows">
            {subscriptions.map((each) => (
              <SubscriptionRow key={each.subscription_id} subscription={each} is_over={each.is_over} />
            ))}
          </ul>
        </>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => `/my/subscriptions${n > 1 ? `?page=${n}` : ""}`} />
      <Unready
        feature="subscriptions"
        title="加入と解約"
        will={["プランに入る、プランを変える、解約する", "次の支払日を確かめる、支払い方法を変える"]}
      />
    </>
  );
}

function SubscriptionRow({ subscription, is_over }: { subscription: Subscription; is_over: boolean }) {
  const { membership, creator, status, paid_until, created_at } = subscription;
  const { membership_id, title, amount, active_state } = membership;
  return (
    <PersonRow user={creator}>
      <p className="plan-title">
        <Link to={`/${creator.link_id}/plans/${membership_id}`}>{title}</Link>{" "}
        <Badge tone={status === "active" && !is_over ? undefined : "quiet"}>
          {is_over ? "終了" : SUBSCRIPTION_STATUSES[status]}
        </Badge>
      </p>
      <p>
        <Price amount={amount} /> / 月
      </p>
      <p className="row-note">
        <DateTime iso={created_at} format="date" /> から、
        <DateTime iso={paid_until} format="date" /> まで支払い済み
        {active_state === "inactive" && "（プランの募集は終了しています）"}
      </p>
    </PersonRow>
  );
}
