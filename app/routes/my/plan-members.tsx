import { data, Link } from "react-router";
import { listMembershipSubscriptions, listOwnMemberships } from "../../../workers/contract/memberships.ts";
import { SUBSCRIPTION_STATUSES } from "../../../workers/contract/subscription-words.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { PersonRow } from "../../people/person.tsx";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/plan-members.ts";
import { PLANS_PATH, toneOf } from "./plan-state.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "プランのメンバー", is_unlisted: true });

export async function loader({ params, url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const page = pageNumber(url);
  const [{ memberships }, { subscriptions, has_next }] = await Promise.all([
    v4.read(listOwnMemberships, {}),
    v4.read(listMembershipSubscriptions, { params, query: { page_number: page } }),
  ]);
  refuseEmptyPage(page, subscriptions);
  const plan = memberships.find(({ membership_id }) => membership_id === params.membership_id);
  if (!plan) throw data(null, { status: 404 });
  return { plan, subscriptions, has_next, page };
}

export default function PlanMembers({ loaderData }: Route.ComponentProps) {
  const { plan, subscriptions, has_next, page } = loaderData;
  return (
    <>
      <p className="back">
        <Link to={PLANS_PATH}>プランの一覧へ戻る</Link>
      </p>
      <h1 className="page-title">「{plan.title}」のメンバー</h1>
      {subscriptions.length === 0 ? (
        <EmptyState title="まだメンバーはいません" />
      ) : (
        <ul className="rows">
          {subscriptions.map(({ subscription_id, user, status, is_ending, paid_until, member_since }) => (
            <PersonRow key={subscription_id} user={user}>
              <p className="row">
                <Badge tone={toneOf(status, status === "active" && !is_ending)}>
                  {status === "active" && is_ending ? "期間の終わりで終了" : SUBSCRIPTION_STATUSES[status]}
                </Badge>
                <span className="row-note">
                  <DateTime iso={member_since} format="date" /> から、
                  <DateTime iso={paid_until} format="date" /> まで支払い済み
                </span>
              </p>
            </PersonRow>
          ))}
        </ul>
      )}
      <Pager
        page={page}
        has_next={has_next}
        hrefOf={(n) => `${PLANS_PATH}/${plan.membership_id}/members${n > 1 ? `?page=${n}` : ""}`}
      />
    </>
  );
}
