import { sql } from "kysely";
import { deleteByKey, type Erasure, type ExportProfile, ownList, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [deleteByKey("event_drafts", ["draft_id"], whereLeaver("user_id"))];

export const exportProfile: ExportProfile = (me) => {
  const draft = sql`json_object('draft_id', draft_id, 'event_id', event_id, 'kind', kind, 'fields', json(fields),
    'created_at', created_at, 'updated_at', updated_at)`;
  return sql`SELECT json_object('drafts', ${ownList("event_drafts", me, draft)}) AS item`;
};
