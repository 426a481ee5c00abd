import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [deleteByKey("newsletters", ["newsletter_id"], whereLeaver("user_id"))];

export const exports: Domain["exports"] = {
  newsletters: {
    select: (me, after, limit) => sql`SELECT newsletter_id AS key, json_object('newsletter_id', newsletter_id,
        'title', title, 'body', body, 'fan_scope', fan_scope, 'membership_id', membership_id, 'status', status,
        'publish_at', publish_at, 'published_at', published_at, 'created_at', created_at) AS item
      FROM newsletters WHERE user_id = ${me} AND newsletter_id > ${after ?? ""} ORDER BY newsletter_id ${limit}`,
  },
};
