import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import {
  deleteByKey,
  type Erasure,
  exportedPerson,
  isAfterNewestFirst,
  whereLeaver,
} from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  deleteByKey("relationships", ["follower_id", "following_id"], whereLeaver("follower_id")),
  deleteByKey("relationships", ["follower_id", "following_id"], whereLeaver("following_id")),
];

export const exports: Domain["exports"] = {
  followings: {
    select: (me, after, limit) => sql`SELECT following_id AS key, json_object(
        'person', json(${exportedPerson("following_id")}),
        'receives_notifications', json(iif(receives_notifications, 'true', 'false')), 'created_at', created_at) AS item
      FROM relationships WHERE follower_id = ${me} AND following_id > ${after ?? ""} ORDER BY following_id ${limit}`,
  },
  followers: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || follower_id AS key,
        json_object('person', json(${exportedPerson("follower_id")}), 'created_at', created_at) AS item
      FROM relationships WHERE following_id = ${me} AND ${isAfterNewestFirst("created_at", "follower_id", after)}
      ORDER BY created_at DESC, follower_id ${limit}`,
  },
};
