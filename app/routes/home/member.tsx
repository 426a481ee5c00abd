import { useEffect } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import type { Activity } from "../../../workers/contract/activities.ts";
import { timelineSettings } from "../../browser/stored-keys.ts";
import { isTimelineFilter, type TimelineFilter } from "../../browser/timeline-filter.ts";
import { AvatarLink, calledOf, NameLink, senderOf } from "../../people/avatar.tsx";
import { PersonLink } from "../../people/person.tsx";
import { Banner } from "../../ui/banner.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { FollowForm } from "../creator/follow-form.tsx";
import { AuthoredCard } from "./authored-card.tsx";
import type { MemberHomeData } from "./load-home.ts";
import { RecentCreator } from "./recent-creator.tsx";

/** A member's home page: recent posts of followed creators, and recommended creators. */
export function MemberHome({ home }: { home: MemberHomeData }) {
  const { users, timeline, activities, last_activity_id, page, filter, is_new_here, is_choosing } = home;
  useLastFilter();
  const recommended = users && users.length > 0 && <Recommended users={users} is_strip={is_choosing} />;
  return (
    <div className="page">
      <h1 className="visually-hidden">ホーム</h1>
      {home.on_air.map(({ path, words }) => (
        <p key={path} className="on-air">
          <Link to={path}>
            <span className="badge badge-new">放送中</span> {words}
          </Link>
        </p>
      ))}
      {is_choosing && recommended}
      <div className="columns">
        <section aria-labelledby="timeline-title">
          <h2 id="timeline-title" className="page-title">
            フォロー中の新着
          </h2>
          {!is_new_here && <Filters filter={filter} />}
          {timeline === null ? (
            <Banner>ただいま投稿を読み込めません。少し時間をおいてから、ページを読み直してください。</Banner>
          ) : timeline.events.length === 0 ? (
            <NoEvents {...home} />
          ) : (
            <ul className="event-list">
              {timeline.events.map((event, index) => (
                <AuthoredCard key={event.event_id} event={event} is_first={index === 0} />
              ))}
            </ul>
          )}
          {timeline && <Pager page={page} has_next={timeline.has_next} hrefOf={(n) => pathOf(filter, { page: n })} />}
        </section>
        <aside className="home-aside">
          {activities && activities.length > 0 && (
            <section className="card" aria-labelledby="activities-title">
              <h2 id="activities-title" className="section-title">
                最近の活動
              </h2>
              <ul className="activities">
                {activities.map((activity) => (
                  <ActivityItem key={activity.activity_id} activity={activity} />
                ))}
              </ul>
              {last_activity_id && (
                <p>
                  <Link to={pathOf(filter, { page, after: last_activity_id })} preventScrollReset>
                    以前の活動を見る
                  </Link>
                </p>
              )}
            </section>
          )}
          {!is_choosing && recommended}
          <RecentCreator />
        </aside>
      </div>
    </div>
  );
}

/** Recommended creators. `is_strip`: a row above the page, which scrolls sideways on a phone. */
function Recommended({ users, is_strip }: { users: NonNullable<MemberHomeData["users"]>; is_strip: boolean }) {
  return (
    <section aria-labelledby="recommended-title">
      <h2 id="recommended-title" className={is_strip ? "page-title" : "section-title"}>
        おすすめのクリエイター
      </h2>
      <ul className={is_strip ? "suggestions suggestions-strip" : "suggestions"}>
        {users.map((user) => (
          <li key={user.user_id} className="card suggestion">
            <PersonLink user={user} />
            <FollowForm creator={user} idempotency_key={null} variant="primary-outline" size="sm" />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The address of the page. It always names the filter: without it, useLastFilter() would apply the last filter. */
function pathOf(filter: TimelineFilter, { page = 1, after }: { page?: number; after?: string } = {}): string {
  const search = new URLSearchParams({ filter });
  if (page > 1) search.set("page", String(page));
  if (after) search.set("after", after);
  return `/?${search}`;
}

function Filters({ filter }: { filter: TimelineFilter }) {
  const linkTo = (own: TimelineFilter, name: string) => (
    <Link to={pathOf(own)} aria-current={own === filter ? "page" : undefined}>
      {name}
    </Link>
  );
  return (
    <nav className="tabs home-filters" aria-label="表示する投稿">
      {linkTo("all", "すべて")}
      {linkTo("subscribing", "加入中のプラン")}
    </nav>
  );
}

function NoEvents({ filter, is_new_here, empty }: MemberHomeData) {
  if (is_new_here) {
    return (
      <EmptyState title="ここに、好きな人の新しい投稿が並びます">
        <p>ひとりフォローするだけで、新しい投稿を見逃さなくなります。</p>
        <p>
          <ButtonLink to="/search" variant="primary-outline">
            クリエイターを探す
          </ButtonLink>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={empty.title}>
      <p>{filter === "all" ? empty.words : <Link to={pathOf("all")}>{empty.words}</Link>}</p>
    </EmptyState>
  );
}

function ActivityItem({ activity }: { activity: Activity }) {
  const { user, event, ofuse, created_at } = activity;
  const { link_id, name, icon_image } = user;
  return (
    <li className="activity">
      <AvatarLink link_id={link_id} image={icon_image} size={32} />
      <div>
        <p>
          <NameLink link_id={link_id}>{name}</NameLink>さんが
          {event && (
            <>
              「<Link to={`/${link_id}/events/${event.event_id}`}>{event.title}</Link>」を公開しました
            </>
          )}
          {ofuse && (
            <>
              、<bdi>{calledOf(senderOf(ofuse))}</bdi>が公開した
              <Link to={`/${link_id}/ofuse`}>ofuse</Link>に返信しました
            </>
          )}
        </p>
        <DateTime iso={created_at} />
      </div>
    </li>
  );
}

/** Stores the filter in localStorage, and applies it again when the address has no filter. */
function useLastFilter(): void {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const named = search.get("filter");
  const is_plain = search.size === 0;
  useEffect(() => {
    if (isTimelineFilter(named)) {
      timelineSettings.write({ filter: named });
      return;
    }
    const { filter: last } = timelineSettings.read();
    if (is_plain && last !== "all") navigate(pathOf(last), { replace: true });
  }, [named, is_plain, navigate]);
}
