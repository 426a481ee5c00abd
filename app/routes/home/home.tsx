import { redirect } from "react-router";
import { listFollowingActivities } from "../../../workers/contract/activities.ts";
import { listFollowedEvents, listNewestEvents } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { listGenres } from "../../../workers/contract/references.ts";
import { getTopStats } from "../../../workers/contract/stats.ts";
import { recommendUsers } from "../../../workers/contract/users.ts";
import { isTimelineFilter } from "../../browser/timeline-filter.ts";
import { incompleteContext, v4Context, viewerContext } from "../../request/context.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import type { V4 } from "../../v4/client.ts";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/home.ts";
import { MemberHome } from "./member.tsx";
import { chooseEvents } from "./newest.ts";
import { VisitorHome } from "./visitor.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ファンレターで創作を応援" });

const TIMELINE_SIZE = 10;
const ACTIVITIES = 8;
const RECOMMENDED = 6;
/** Of these, no more than a few by one creator are shown. */
const NEWEST = 24;

/** Never fails for want of the API: what it says is left out, and the page is not kept for others. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const viewer = context.get(viewerContext);
  const home = viewer
    ? await memberHome(v4, url, viewer.profile?.followings_count ?? null)
    : await visitorHome(v4, url.searchParams);
  const is_incomplete = Object.values(home).includes(null);
  if (is_incomplete) context.set(incompleteContext, true);
  return { ...home, is_incomplete };
}

async function visitorHome(v4: V4, search: URLSearchParams) {
  // A member's timeline has pages; what a visitor sees has one.
  if (search.has("page")) throw redirect("/");
  const [recommended, newest, stats, listed] = await Promise.all([
    v4.part(recommendUsers, { query: { limit: RECOMMENDED } }),
    v4.part(listNewestEvents, { query: { limit: NEWEST } }),
    v4.part(getTopStats, {}),
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

async function memberHome(v4: V4, url: URL, followings_count: number | null) {
  const page = pageNumber(url);
  const wanted = url.searchParams.get("filter");
  const filter = isTimelineFilter(wanted) ? wanted : "all";
  const after = id.safeParse(url.searchParams.get("after")).data;
  const [recommended, timeline, activities] = await Promise.all([
    v4.part(recommendUsers, { query: { limit: RECOMMENDED } }),
    v4.part(listFollowedEvents, { query: { filter, page_number: page, page_size: TIMELINE_SIZE } }),
    v4.part(listFollowingActivities, { query: { filter, first: ACTIVITIES, after } }),
  ]);
  if (timeline) refuseEmptyPage(page, timeline.events);
  return {
    kind: "member" as const,
    users: recommended?.users ?? null,
    timeline,
    activities,
    page,
    filter,
    followings_count,
  };
}

export type HomeData = Awaited<ReturnType<typeof loader>>;
export type VisitorHomeData = Extract<HomeData, { kind: "visitor" }>;
export type MemberHomeData = Extract<HomeData, { kind: "member" }>;

export default function Home({ loaderData }: Route.ComponentProps) {
  return loaderData.kind === "visitor" ? <VisitorHome home={loaderData} /> : <MemberHome home={loaderData} />;
}
