import { type RawBuilder, sql } from "kysely";
import type { Activity, FollowedOnAir } from "../../contract/activities.ts";
import { isoTime } from "../../kernel/clock.ts";
import { creationOf } from "../../kernel/ids.ts";
import { loadEventSummaries, selectFollowedAuthors, selectTimelineIds } from "../events/queries.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isLetterEnabled, isOnPage, loadPublicOfuses } from "../ofuses/queries.ts";
import { listFollowedOnAir } from "../radios/queries.ts";
import { readUser, userJson } from "../users/queries.ts";

interface ActivityRow {
  type: Activity["type"];
  activity_id: string;
  /** The person who acted, as JSON from `userJson`. */
  person: string;
  at: string;
}

/**
 * Lists what the people whom the caller follows did, latest first, after the activity `after`, and what they have on air. Activities
 * are published posts, and replies to letters whose senders made them public.
 *
 * No activity rows are stored. The query picks the page from the timeline and from the index of replies, which it stops
 * reading for each author at the first row too old for the page. An activity has the id of its post or letter. One
 * statement picks the page, then one statement per type loads what is shown.
 */
export async function listFollowingActivities(
  context: RequestContext,
  user_id: string,
  { filter, after, first }: { filter: "all" | "subscribing"; after?: string; first: number },
): Promise<{ activities: Activity[]; has_next: boolean; on_air: FollowedOnAir[] }> {
  const { database } = context;
  const authors = selectFollowedAuthors(context, user_id, filter);
  const limit = first + 1;
  const isOlder = (moment: string, id: string): RawBuilder<unknown> =>
    after === undefined ? sql`1` : sql`(${sql.ref(moment)}, ${sql.ref(id)}) < (${momentOf(after)}, ${after})`;
  const posts = selectTimelineIds(authors, user_id, {
    limit,
    offset: 0,
    isWanted: isOlder("published_at", "event_id"),
  });
  const reading_on_air = listFollowedOnAir(context, user_id);
  const reading = sql<ActivityRow>`
    SELECT type, activity_id, at, ${userJson("chosen.user_id")} AS person FROM (
      SELECT * FROM (
        SELECT 'event_published' AS type, event_id AS activity_id, user_id, published_at AS at FROM events
        WHERE event_id IN ${posts})
      UNION ALL SELECT * FROM (
        SELECT 'ofuse_replied', ofuse_id, receiver_user_id, replied_at FROM ofuses
        WHERE receiver_user_id IN (${authors}) AND is_public = 1 AND replied_at IS NOT NULL
          AND ${isLetterEnabled} AND ${isOnPage(context)} AND ${isOlder("replied_at", "ofuse_id")}
        ORDER BY replied_at DESC, ofuse_id DESC LIMIT ${limit})
      ORDER BY at DESC, activity_id DESC LIMIT ${limit}
    ) AS chosen ORDER BY at DESC, activity_id DESC`.execute(database);
  const [{ rows }, on_air] = await Promise.all([reading, reading_on_air]);
  const chosen = rows.slice(0, first);
  const idsOf = (type: Activity["type"]) =>
    chosen.filter((row) => row.type === type).map(({ activity_id }) => activity_id);
  const [events, ofuses] = await Promise.all([
    loadEventSummaries(context, idsOf("event_published")),
    loadPublicOfuses(context, idsOf("ofuse_replied")),
  ]);
  const activities = chosen.flatMap(({ type, activity_id, person, at }): Activity[] => {
    const event = events.get(activity_id) ?? null;
    const ofuse = ofuses.get(activity_id) ?? null;
    // The post or letter was withdrawn after the page was picked.
    if (!(event ?? ofuse)) return [];
    return [{ activity_id, type, user: readUser(person), event, ofuse, created_at: at }];
  });
  return { activities, has_next: rows.length > first, on_air };
}

/**
 * SQL for the moment at which the post was published or the letter answered. If it was deleted since, this is the moment
 * at which it was written, so that the list does not end there. The same holds for a letter that was answered after its
 * receiver hid it: nobody else learns of that answer.
 */
function momentOf(id: string): RawBuilder<unknown> {
  return sql`(SELECT COALESCE(
    (SELECT published_at FROM events WHERE event_id = ${id}),
    (SELECT replied_at FROM ofuses
      WHERE ofuse_id = ${id} AND is_public = 1 AND (hidden_at IS NULL OR replied_at <= hidden_at)),
    ${isoTime(creationOf(id))}))`;
}
