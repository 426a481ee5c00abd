import { data, Link, redirect } from "react-router";
import { listMembershipEvents } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { getMembership } from "../../../workers/contract/memberships.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { EventCard } from "../../post/event-card.tsx";
import { v4Context } from "../../request/context.ts";
import { toQuery } from "../../request/to.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/plan.ts";
import { useCreator } from "./creator.ts";
import { Joining, PlanPicture, PlanPrice } from "./plan-parts.tsx";
import { feedLinks } from "./preview.ts";

export const meta: Route.MetaFunction = (args) => {
  const { creator, share_picture } = args.matches[1]?.loaderData ?? {};
  const plan = args.loaderData?.plan;
  return pageMeta(
    args,
    creator &&
      plan && {
        title: `${plan.title}（${creator.name}さんのプラン）`,
        description: `月額${groupDigits(plan.amount)}円（税込）。${plan.description}`,
        share_picture,
        alternates: feedLinks(creator),
        kept_query: ["page"],
      },
  );
};

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const { membership_id } = params;
  if (!id.safeParse(membership_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const [found, { membership: plan }, { events, has_next }] = await Promise.all([
    v4.send(getUser, { query: { link_id: params.link_id } }),
    v4.read(getMembership, { params: { membership_id }, query: {} }),
    v4.read(listMembershipEvents, { params: { membership_id }, query: { page_number: page } }),
  ]);
  if (!found.ok && found.refusal.code !== "not_found") throw v4.failure(found.refusal);
  // A plan has one address. Redirect a path with the link_id of another creator, or with one that nobody has any more.
  if (!found.ok || plan.user_id !== found.answer.user.user_id) {
    const { user } = await v4.read(getUser, { query: { user_id: plan.user_id } });
    throw redirect(`/${user.link_id}/plans/${membership_id}${url.search}`, 301);
  }
  refuseEmptyPage(page, events);
  return { plan, events, page, has_next, query: toQuery(url) };
}

export default function CreatorPlan({ loaderData }: Route.ComponentProps) {
  const { plan, events, page, has_next, query } = loaderData;
  const { creator, is_own, joined_plans } = useCreator();
  const path = `/${creator.link_id}/plans`;
  return (
    <>
      <p className="back">
        <Link to={path}>
          <bdi>{creator.name}</bdi>さんのプランの一覧へ
        </Link>
      </p>
      <section className="card prose">
        <PlanPicture plan={plan} />
        <h1 className="plan-title">{plan.title}</h1>
        <PlanPrice plan={plan} />
        <Paragraphs text={plan.description} />
        <Joining plan={plan} is_own={is_own} joined_plans={joined_plans} query={query} />
      </section>
      <section aria-labelledby="opens-title">
        <h2 id="opens-title" className="section-title">
          このプランで読める投稿
        </h2>
        {events.length === 0 ? (
          <EmptyState title="このプランの投稿は、まだありません" />
        ) : (
          <ul className="event-list event-grid">
            {events.map((event) => (
              <EventCard key={event.event_id} event={event} category={null} is_first={false} />
            ))}
          </ul>
        )}
        <Pager
          page={page}
          has_next={has_next}
          hrefOf={(n) => `${path}/${plan.membership_id}${n > 1 ? `${query || "?"}${query && "&"}page=${n}` : query}`}
        />
      </section>
    </>
  );
}
