import { listUserEvents } from "../../../workers/contract/events.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { v4Context } from "../../middleware/context.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { EventCard } from "../../ui/event-card.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/posts.ts";
import { useCreator } from "./creator.ts";
import { LetterForm } from "./letter-form.tsx";
import { PlanTeaser } from "./plan-teaser.tsx";

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getUser, { query: { link_id: params.link_id } });
  const list = await v4.read(listUserEvents, {
    params: { user_id: user.user_id },
    query: { page_number: page },
  });
  refuseEmptyPage(page, list.events);
  return { events: list.events, page, has_next: list.has_next };
}

export default function CreatorPosts({ loaderData }: Route.ComponentProps) {
  const { events, page, has_next } = loaderData;
  const { creator, memberships, is_own, viewer_id, idempotency_key } = useCreator();
  const path = `/${creator.link_id}`;
  return (
    <div className="columns creator-columns">
      {memberships[0] && <PlanTeaser link_id={creator.link_id} membership={memberships[0]} />}
      <section className="creator-posts" aria-labelledby="posts-title">
        <h2 id="posts-title" className="visually-hidden">
          投稿
        </h2>
        {events.length === 0 ? (
          <EmptyState title="まだ投稿がありません">
            <p>
              {is_own
                ? "最初の投稿をすると、ここに並びます。"
                : "フォローしておくと、最初の投稿がタイムラインに届きます。"}
            </p>
          </EmptyState>
        ) : (
          <ul className="event-list">
            {events.map((event, index) => (
              <EventCard key={event.event_id} event={event} is_first={index === 0 && !creator.cover_image} />
            ))}
          </ul>
        )}
        <Pager page={page} has_next={has_next} hrefOf={(n) => (n === 1 ? path : `${path}?page=${n}`)} />
      </section>
      {!is_own && creator.accepts_free_ofuses && !creator.is_blocked && (
        <section className="card letter-card">
          <h2 className="section-title">ofuseを送る</h2>
          <LetterForm creator={creator} viewer_id={viewer_id} idempotency_key={idempotency_key} />
          <ButtonLink to={`${path}/ofuse`} variant="gray-outline" size="sm" is_block>
            みんなのofuseを読む
          </ButtonLink>
        </section>
      )}
    </div>
  );
}
