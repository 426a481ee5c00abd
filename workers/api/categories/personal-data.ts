import { sql } from "kysely";
import { deleteByKey, type Erasure, type ExportProfile, ownList, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  deleteByKey(
    "event_categories",
    ["event_category_id"],
    whereLeaver("user_id"),
    () => sql`NOT EXISTS (SELECT 1 FROM events WHERE events.event_category_id = event_categories.event_category_id)`,
  ),
];

export const exportProfile: ExportProfile = (me) => {
  const category = sql`json_object('event_category_id', event_category_id, 'title', title)`;
  return sql`SELECT json_object('categories', ${ownList("event_categories", me, category)}) AS item`;
};
