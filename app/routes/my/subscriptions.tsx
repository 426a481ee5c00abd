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
import { toneOf } from "./plan-state.ts";
import { isEnding, isOver, labelOf, SUBSCRIPTIONS_PATH } from "./subscription-words.ts";
import { isUnreadable, UNREADABLE } from "./unreadable-plan.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "加入中のプラン", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const query = { page_number: page };
  const { subscriptions, has_next } = await context.get(v4Context).read(listSubscriptions, { query });
  refuseEmptyPage(page, subscriptions);
  const now_ms = Date.now();
  return {
    subscriptions: subscriptions.map((each) => ({ ...each, is_over: isOver(each, now_ms) })),
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
      <Pager page={page} has_next={has_next} hrefOf={(n) => `${SUBSCRIPTIONS_PATH}${n > 1 ? `?page=${n}` : ""}`} />
      <p>
        <Link to="/my/settings/payments">お支払い方法</Link>
      </p>
    </>
  );
}

function SubscriptionRow({ subscription, is_over }: { subscription: Subscription; is_over: boolean }) {
  const { subscription_id, membership, creator, status, paid_until, next_charge, is_billed } = subscription;
  const { title, amount, active_state } = membership;
  const is_unreadable = isUnreadable({ subscription, is_over });
  return (
    <PersonRow user={creator}>
      <p className="plan-title">
        <Link to={`${SUBSCRIPTIONS_PATH}/${subscription_id}`}>{title}</Link>{" "}
        <Badge tone={toneOf(status, status === "active" && !isEnding(subscription) && !is_over && !is_unreadable)}>
          {is_unreadable ? UNREADABLE : labelOf({ subscription, is_over })}
        </Badge>
      </p>
      <p>
        <Price amount={amount} /> / 月
      </p>
      <p className="row-note">
        {next_charge ? (
          <>
            次のお支払い <DateTime iso={next_charge.charged_at} format="date" />
          </>
        ) : (
          <>
            <DateTime iso={paid_until} /> まで{periodEnd({ is_over, is_unreadable })}
          </>
        )}
      </p>
      {status === "past_due" && is_billed && (
        <Link to="/my/settings/payments" aria-label={`カードを確認する：${title}`}>
          カードを確認する
        </Link>
      )}
      {!next_charge && status !== "past_due" && active_state === "inactive" && (
        <Link to={`/${creator.link_id}/plans`} aria-label={`ほかのプランを見る（${creator.name}さん）`}>
          ほかのプランを見る
        </Link>
      )}
    </PersonRow>
  );
}

function periodEnd({ is_over, is_unreadable }: { is_over: boolean; is_unreadable: boolean }) {
  if (is_unreadable) return "お支払い済みですが、いまは限定の投稿を読めません";
  return is_over ? "お支払い済みでした" : "読めます";
}
