import { Link } from "react-router";
import { eventStatusFilter, listOwnEvents } from "../../../workers/contract/events.ts";
import { contentTypes } from "../../content-types.ts";
import { v4Context } from "../../middleware/context.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lockNotes } from "../../ui/event-card.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/posts.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "投稿", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const status = eventStatusFilter.safeParse(url.searchParams.get("status")).data;
  const query = { page_number: page, status };
  const { events, has_next } = await context.get(v4Context).read(listOwnEvents, { query });
  refuseEmptyPage(page, events);
  return { events, has_next, page, status: status ?? null };
}

const filters = [
  { status: null, title: "すべて", empty: "まだ投稿がありません" },
  { status: "is_published", title: "公開中", empty: "公開中の投稿はありません" },
  { status: "is_publish_pending", title: "公開予約", empty: "公開予約の投稿はありません" },
  { status: "is_private", title: "非公開", empty: "非公開の投稿はありません" },
] as const;

const states = { published: "公開中", publish_pending: "公開予約", private: "非公開" } as const;
const kinds = { ...Object.fromEntries(contentTypes.map(({ id, title }) => [id, title])), text: "文章" } as Record<
  string,
  string
>;

function pathOf(status: string | null, page = 1): string {
  const search = new URLSearchParams();
  if (status) search.set("status", status);
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `/my/posts?${search}` : "/my/posts";
}

export default function Posts({ loaderData }: Route.ComponentProps) {
  const { events, has_next, page, status } = loaderData;
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">投稿</h1>
        <div className="row">
          <ButtonLink to="/my/comments" size="sm" variant="gray-outline">
            届いたコメント
          </ButtonLink>
          <ButtonLink to="/my/posts/new" size="sm">
            投稿をつくる
          </ButtonLink>
        </div>
      </div>
      <nav className="tabs" aria-label="投稿の状態">
        {filters.map((filter) => (
          <Link
            key={filter.title}
            to={pathOf(filter.status)}
            aria-current={filter.status === status ? "page" : undefined}
          >
            {filter.title}
          </Link>
        ))}
      </nav>
      {events.length === 0 ? (
        <EmptyState title={filters.find((filter) => filter.status === status)?.empty ?? ""} />
      ) : (
        <ul className="rows">
          {events.map((event) => (
            <li key={event.event_id} className="card row">
              <p className="row-text">
                <Link to={`/${event.user.link_id}/events/${event.event_id}`} className="card-link">
                  {event.title}
                </Link>
                <span className="row-note">
                  {kinds[event.kind]}・{lockNotes[event.publish_target_type] || "全員に公開"}
                </span>
              </p>
              <p className="row">
                <span className={event.status === "published" ? "badge badge-new" : "badge"}>
                  {states[event.status]}
                </span>
                {event.status === "published" && event.published_at && (
                  <DateTime iso={event.published_at} format="date" />
                )}
                {event.status === "publish_pending" && event.publish_at && <DateTime iso={event.publish_at} />}
              </p>
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => pathOf(status, n)} />
    </>
  );
}
