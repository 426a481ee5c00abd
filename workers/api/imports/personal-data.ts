import { sql } from "kysely";
import { deleteByKey, type Erasure, type ExportProfile, ownList, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  deleteByKey(
    "import_items",
    ["import_id", "position"],
    ({ user_id }) => sql`import_id IN (SELECT import_id FROM imports WHERE user_id = ${user_id})`,
  ),
  deleteByKey(
    "imports",
    ["import_id"],
    whereLeaver("user_id"),
    () => sql`NOT EXISTS (SELECT 1 FROM import_items WHERE import_items.import_id = imports.import_id)`,
  ),
  deleteByKey("imported_posts", ["user_id", "source_key"], whereLeaver("user_id")),
  deleteByKey("imported_newsletters", ["user_id", "source_key"], whereLeaver("user_id")),
  deleteByKey("imported_radios", ["user_id", "source_key"], whereLeaver("user_id")),
];

export const exportProfile: ExportProfile = (me) => {
  const report = sql`json_object('import_id', import_id, 'kind', kind, 'file_name', file_name, 'bytes', bytes,
    'status', status, 'restores_status', restores_status, 'overwrites_profile', overwrites_profile, 'created_at', created_at, 'completed_at', completed_at)`;
  const letter = sql`json_object('source_key', source_key, 'newsletter_id', newsletter_id)`;
  const radio = sql`json_object('source_key', source_key, 'radio_id', radio_id)`;
  const source = sql`json_object('source_key', source_key, 'event_id', event_id)`;
  return sql`SELECT json_object('imports', ${ownList("imports", me, report)},
    'imported_posts', ${ownList("imported_posts", me, source)},
    'imported_newsletters', ${ownList("imported_newsletters", me, letter)},
    'imported_radios', ${ownList("imported_radios", me, radio)}) AS item`;
};
