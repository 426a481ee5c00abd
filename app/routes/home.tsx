import { Link } from "react-router";
import { listFollowedEvents } from "../../workers/contract/events.ts";
import { recommendUsers } from "../../workers/contract/users.ts";
import { v4Context, viewerContext } from "../middleware/context.ts";
import { pageMeta } from "../shell/page-meta.ts";
import { RecentCreator } from "../shell/recent-creator.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { EventCard } from "../ui/event-card.tsx";
import type { Route } from "./+types/home.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ファンレターで創作を応援" });

const TIMELINE_SIZE = 10;

export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const is_member = context.get(viewerContext) !== null;
  const [{ users }, timeline] = await Promise.all([
    v4.read(recommendUsers, { query: { limit: 6 } }),
    is_member ? v4.read(listFollowedEvents, { query: { page_size: TIMELINE_SIZE } }) : null,
  ]);
  return { users, events: timeline?.events ?? null };
}

export default function Home({ loaderData }: Route.ComponentProps) {
  const { users, events } = loaderData;
  return (
    <div className="page">
      {events === null ? (
        <section className="hero">
          <h1>
            好きの気持ちを、
            <br />
            手紙にして届けよう。
          </h1>
          <p>ofuse（オフセ）は、クリエイターに短い手紙と応援を送れるサービスです。</p>
          <p className="hero-actions">
            <Link to="/signup" className="button button-lg">
              無料ではじめる
            </Link>
            <Link to="/login" className="button button-lg button-gray-outline">
              ログイン
            </Link>
          </p>
        </section>
      ) : (
        <section>
          <h1 className="page-title">フォロー中の新着</h1>
          {events.length === 0 ? (
            <p className="empty-state">まだ投稿がありません。気になるクリエイターをフォローしてみましょう。</p>
          ) : (
            <ul className="event-list event-grid">
              {events.map((event) => (
                <EventCard key={event.event_id} event={event} with_author />
              ))}
            </ul>
          )}
        </section>
      )}
      {users.length > 0 && (
        <section>
          <h2 className="section-title">おすすめのクリエイター</h2>
          <ul className="people">
            {users.map((user) => (
              <li key={user.user_id}>
                <Link to={`/${user.link_id}`} className="card person">
                  <Avatar image={user.icon_image} size={48} />
                  <span className="person-text">
                    <span className="person-name">{user.name}</span>
                    <span className="person-bio">{user.bio}</span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {events !== null && <RecentCreator />}
    </div>
  );
}
