import { type RawBuilder, sql } from "kysely";
import type { Activity } from "../../contract/activities.ts";
import { authorsFollowed, isReported, loadEventSummaries } from "../events/queries.ts";
import type { RequestContext } from "../http/request-context.ts";
import { loadPublicOfuses } from "../ofuses/queries.ts";
import { readUser, userJson } from "../users/queries.ts";

interface Chosen {
  type: Activity["type"];
  activity_id: string;
  /** The person, as JSON. */
  person: string;
  at: string;
}

/**
 * What those the caller follows did, latest first, after the one already seen: posts published, and answers to letters
 * whose senders made them public. Nothing of it is written down when it happens: like the timeline, the page is chosen
 * from the indexes of what was done, each author left at the first thing too old for it. An activity has the id of what
 * it is about; after one that is no more there is nothing. One statement chooses, one loads what is shown of each kind.
 */
export async function listFollowingActivities(
  context: RequestContext,
  user_id: string,
  { filter, after, first }: { filter: "all" | "subscribing"; after?: string; first: number },
): Promise<{ activities: Activity[]; has_next: boolean }> {
  const { database } = context;
  const authors = authorsFollowed(context, user_id, filter);
  const limit = first + 1;
  const older = (moment: string, id: string): RawBuilder<unknown> =>
    after === undefined ? sql`1` : sql`(${sql.ref(moment)}, ${sql.ref(id)}) < (${momentOf(after)}, ${after})`;
  const { rows } = await sql<Chosen>`
    SELECT type, activity_id, at, ${userJson("chosen.user_id")} AS person FROM (
      SELECT * FROM (
        SELECT 'event_published' AS type, event_id AS activity_id, user_id, published_at AS at FROM events
        WHERE user_id IN (${authors}) AND status = 'published' AND ${older("published_at", "event_id")}
          AND NOT (${isReported("event_id", user_id)})
        ORDER BY published_at DESC, event_id DESC LIMIT ${limit})
      UNION ALL SELECT * FROM (
        SELECT 'ofuse_replied', ofuse_id, receiver_user_id, replied_at FROM ofuses
        WHERE receiver_user_id IN (${authors}) AND is_public = 1 AND hidden_at IS NULL AND replied_at IS NOT NULL
          AND ${older("replied_at", "ofuse_id")}
        ORDER BY replied_at DESC, ofuse_id DESC LIMIT ${limit})
      ORDER BY at DESC, activity_id DESC LIMIT ${limit}
    ) AS chosen ORDER BY at DESC, activity_id DESC`.execute(database);
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
    // Taken back since the page was chosen.
    if (!(event ?? ofuse)) return [];
    return [{ activity_id, type, user: readUser(person), event, ofuse, created_at: at }];
  });
  return { activities, has_next: rows.length > first };
}

/** When the thing of this id was done; null, before which nothing is, where there is none. */
function momentOf(id: string): RawBuilder<unknown> {
  return sql`(SELECT COALESCE(
    (SELECT published_at FROM events WHERE event_id = ${id}),
    (SELECT replied_at FROM ofuses WHERE ofuse_id = ${id} AND is_public = 1)))`;
}
