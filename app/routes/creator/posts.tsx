import { data, Link } from "react-router";
import { listUserEventCategories, listUserEvents } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { EventCard } from "../../post/event-card.tsx";
import { v4Context } from "../../request/context.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/posts.ts";
import { CategoryFilter } from "./category-filter.tsx";
import { useCreator } from "./creator.ts";
import { POSTS_ANCHOR } from "./event-path.ts";
import { FollowForm } from "./follow-form.tsx";
import { LetterForm } from "./letter-form.tsx";
import { PlanTeaser } from "./plan-teaser.tsx";
import { aboutCategory, aboutCreator } from "./preview.ts";

export const meta: Route.MetaFunction = (args) => {
  const { creator, share_picture } = args.matches[1]?.loaderData ?? {};
  const { category, categories = [] } = args.loaderData ?? {};
  const chosen = categories.find(({ event_category_id }) => event_category_id === category);
  if (!creator || !args.loaderData) return pageMeta(args, undefined);
  if (!chosen) return pageMeta(args, { ...aboutCreator(creator, share_picture), kept_query: ["page"] });
  return pageMeta(args, aboutCategory(creator, chosen.title, share_picture));
};

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getUser, { query: { link_id: params.link_id } });
  const { user_id } = user;
  const category = chosenCategory(url);
  const [list, { event_categories }] = await Promise.all([
    v4.read(listUserEvents, { params: { user_id }, query: { page_number: page, event_category_id: category } }),
    v4.read(listUserEventCategories, { params: { user_id }, query: { "expand[]": "events_count" } }),
  ]);
  // Answer 404 for a category that is not this creator's.
  if (category && !event_categories.some(({ event_category_id }) => event_category_id === category)) {
    throw data(null, { status: 404 });
  }
  refuseEmptyPage(page, list.events);
  return {
    events: list.events,
    categories: event_categories.filter(
      ({ events_count, event_category_id }) => (events_count ?? 0) > 0 || event_category_id === category,
    ),
    category: category ?? null,
    page,
    has_next: list.has_next,
  };
}

function chosenCategory(url: URL): string | undefined {
  const asked = url.searchParams.get("category");
  if (asked === null) return;
  const { data: chosen } = id.safeParse(asked);
  if (!chosen) throw data(null, { status: 404 });
  return chosen;
}

export default function CreatorPosts({ loaderData }: Route.ComponentProps) {
  const { events, categories, category, page, has_next } = loaderData;
  const { creator, memberships, is_own } = useCreator();
  const path = `/${creator.link_id}`;
  return (
    <div className="columns creator-columns">
      <section className="creator-posts" id={POSTS_ANCHOR} aria-labelledby="posts-title">
        <h2 id="posts-title" className="visually-hidden">
          投稿
        </h2>
        <CategoryFilter path={path} categories={categories} chosen={category} />
        {events.length === 0 ? (
          <NoPosts is_in_category={category !== null} />
        ) : (
          <ul className="event-list">
            {events.map((event, index) => (
              <EventCard
                key={event.event_id}
                event={event}
                category={category}
                is_first={index === 0 && !creator.cover_image}
              />
            ))}
          </ul>
        )}
        <Pager page={page} has_next={has_next} hrefOf={(n) => hrefOf(path, category, n)} />
      </section>
      <PlanTeaser link_id={creator.link_id} memberships={memberships} />
      {!is_own && creator.accepts_free_ofuses && !creator.is_blocked && (
        <section className="card letter-card">
          <h2 className="section-title">ofuseを送る</h2>
          <LetterForm />
          <ButtonLink to={`${path}/ofuse`} variant="gray-outline" size="sm" is_block>
            みんなのofuseを読む
          </ButtonLink>
        </section>
      )}
    </div>
  );
}

/** An empty list: invites the owner to write, the visitor to follow, and links from an empty category to all posts. */
function NoPosts({ is_in_category }: { is_in_category: boolean }) {
  const { creator, is_own, idempotency_key } = useCreator();
  if (is_in_category) {
    return (
      <EmptyState title="このカテゴリーの投稿はありません">
        <p>
          <Link to={`/${creator.link_id}#${POSTS_ANCHOR}`}>すべての投稿を見る</Link>
        </p>
      </EmptyState>
    );
  }
  if (is_own) {
    return (
      <EmptyState title="まだ投稿がありません">
        <p>絵でも、ひとことでも。最初の投稿がここに並びます。</p>
        <p>
          <ButtonLink to="/my/posts/new">最初の投稿をする</ButtonLink>
        </p>
      </EmptyState>
    );
  }
  if (creator.is_followed || creator.is_blocked) return <EmptyState title="まだ投稿がありません" />;
  return (
    <EmptyState title="まだ投稿がありません">
      <p>フォローしておくと、最初の投稿がタイムラインに届きます。</p>
      <FollowForm creator={creator} idempotency_key={idempotency_key} variant="primary-outline" />
    </EmptyState>
  );
}

/** Writes the query in the order that shared-pages.ts accepts: category before page. */
function hrefOf(path: string, category: string | null, page: number): string {
  const query = new URLSearchParams();
  if (category) query.set("category", category);
  if (page > 1) query.set("page", String(page));
  return `${path}${query.size > 0 ? `?${query}` : ""}#${POSTS_ANCHOR}`;
}
