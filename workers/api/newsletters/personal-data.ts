import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import {
  type Departure,
  deleteByKey,
  type Erasure,
  type ExportProfile,
  exportedPerson,
  type Leaver,
  ownList,
  whereLeaver,
} from "../storage/personal-data.ts";

/** Cancels all scheduled newsletters of the leaver in one statement. */
export function departWriter({ user_id }: Leaver): Departure {
  const cancel = sql`UPDATE newsletters SET status = 'draft', publish_at = NULL
    WHERE user_id = ${user_id} AND status = 'scheduled'`;
  return { statements: [cancel] };
}

export const erasures: Erasure[] = [
  deleteByKey("newsletter_stops", ["user_id", "creator_user_id"], whereLeaver("user_id")),
  deleteByKey("newsletter_stops", ["user_id", "creator_user_id"], whereLeaver("creator_user_id")),
  deleteByKey("newsletter_refusals", ["user_id"], whereLeaver("user_id")),
  deleteByKey("newsletters", ["newsletter_id"], whereLeaver("user_id")),
];

export const exports: Domain["exports"] = {
  newsletters: {
    select: (me, after, limit) => sql`SELECT newsletter_id AS key, json_object('newsletter_id', newsletter_id,
        'title', title, 'body', body, 'document', json(document), 'images', json(pictures), 'fan_scope', fan_scope,
        'membership_id', membership_id, 'status', status, 'publish_at', coalesce(publish_at, planned_at), 'published_at', published_at,
        'receivers_count', receivers_count, 'sent_count', sent_count, 'bounced_count', bounced_count,
        'unsubscribed_count', unsubscribed_count, 'created_at', created_at) AS item
      FROM newsletters WHERE user_id = ${me} AND newsletter_id > ${after ?? ""} ORDER BY newsletter_id ${limit}`,
    page_size: 20,
  },
};

/** The creators whose newsletters the person stopped, and since when the person gets none at all. */
export const exportProfile: ExportProfile = (me) => {
  const stop = sql`json_object('person', json(${exportedPerson("creator_user_id")}), 'stopped_at', stopped_at)`;
  return sql`SELECT json_object('newsletter_stops', ${ownList("newsletter_stops", me, stop)},
    'newsletters_refused_at', (SELECT refused_at FROM newsletter_refusals WHERE user_id = ${me})) AS item`;
};
