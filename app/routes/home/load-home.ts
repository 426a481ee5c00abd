import { redirect } from "react-router";
import { listFollowingActivities } from "../../../workers/contract/activities.ts";
import { listFollowedEvents, listNewestEvents } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { listGenres } from "../../../workers/contract/references.ts";
import { getTopStats } from "../../../workers/contract/stats.ts";
import { recommendUsers } from "../../../workers/contract/users.ts";
import { isTimelineFilter } from "../../browser/timeline-filter.ts";
import type { V4 } from "../../v4/client.ts";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { radioPath } from "../creator/radio-path.ts";
import { chooseEvents } from "./newest.ts";

const TIMELINE_SIZE = 10;
const ACTIVITIES = 8;
const RECOMMENDED = 6;
/**
 * A member who follows fewer creators than this sees the recommendations above the timeline. More than 1, so that they
 * do not move after the first follow.
 */
const FEW_FOLLOWINGS = 3;
/** How many posts chooseEvents() chooses from. */
const NEWEST = 24;

/** Loads a visitor's home page. A part that the API fails to answer is null. */
export async function loadVisitorHome(v4: V4, search: URLSearchParams) {
  // Only a member's timeline has pages, so redirect a visitor's page number to the home page.
  if (search.has("page")) throw redirect("/");
  const [recommended, newest, stats, listed] = await Promise.all([
    v4.part(recommendUsers, { query: { limit: RECOMMENDED } }),
    v4.part(listNewestEvents, { query: { limit: NEWEST } }),
    v4.part(getTopStats, { query: {} }),
    v4.part(listGenres, {}),
  ]);
  return {
    kind: "visitor" as const,
    users:
      recommended?.users.map(({ user_id, link_id, name, bio, icon_image }) => ({
        user_id,
        link_id,
        name,
        bio,
        icon_image,
      })) ?? null,
    events: newest && chooseEvents(newest.events),
    stats,
    genres: listed?.genres ?? null,
  };
}

/** Returns what a member's home page reads, by its address. */
function memberHomeInputs(url: URL) {
  const page = pageNumber(url);
  const wanted = url.searchParams.get("filter");
  const filter = isTimelineFilter(wanted) ? wanted : "all";
  const after = id.safeParse(url.searchParams.get("after")).data;
  return {
    page,
    filter,
    recommended: { query: { limit: RECOMMENDED } },
    timeline: { query: { filter, page_number: page, page_size: TIMELINE_SIZE } },
    activities: { query: { filter, first: ACTIVITIES, after } },
  };
}

/** Begins the reads of a member's home page, so that they share a call with the member's profile. */
export function beginMemberHome(v4: V4, url: URL): void {
  const { recommended, timeline, activities } = memberHomeInputs(url);
  v4.beginPart(recommendUsers, recommended);
  v4.beginPart(listFollowedEvents, timeline);
  v4.beginPart(listFollowingActivities, activities);
}

/** The words of an empty timeline. They come with the page's data, so that its script is short. */
const EMPTY = {
  all: { title: "まだ投稿がありません", words: "フォロー中のクリエイターが投稿すると、ここに並びます。" },
  subscribing: { title: "加入中のプランの投稿はありません", words: "フォロー中のすべての投稿を見る" },
} as const;

/** Loads a member's home page. A part that the API fails to answer is null. */
export async function loadMemberHome(v4: V4, url: URL, followings_count: number | null) {
  const { page, filter, ...inputs } = memberHomeInputs(url);
  const [recommended, timeline, activities] = await Promise.all([
    v4.part(recommendUsers, inputs.recommended),
    v4.part(listFollowedEvents, inputs.timeline),
    v4.part(listFollowingActivities, inputs.activities),
  ]);
  if (timeline) refuseEmptyPage(page, timeline.events);
  return {
    kind: "member" as const,
    users: recommended?.users ?? null,
    timeline,
    empty: EMPTY[filter],
    on_air:
      activities?.on_air.map(({ radio_id, title, user }) => ({
        path: radioPath({ link_id: user.link_id, radio_id }),
        words: `${user.name}さん：${title}`,
      })) ?? [],
    activities: activities?.activities ?? null,
    last_activity_id: activities?.has_next ? activities.activities.at(-1)?.activity_id : undefined,
    page,
    filter,
    is_new_here: followings_count === 0,
    is_choosing: followings_count !== null && followings_count < FEW_FOLLOWINGS && page === 1,
  };
}

export type VisitorHomeData = Awaited<ReturnType<typeof loadVisitorHome>> & { is_incomplete: boolean };
export type MemberHomeData = Awaited<ReturnType<typeof loadMemberHome>>;
