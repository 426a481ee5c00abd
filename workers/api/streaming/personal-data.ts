import { sql } from "kysely";
import { deleteByKey, type Erasure, type ExportProfile, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  deleteByKey("overlay_heartbeats", ["user_id", "overlay_id"], whereLeaver("user_id")),
  deleteByKey("overlay_letters", ["user_id", "number"], whereLeaver("user_id")),
  deleteByKey("overlays", ["user_id"], whereLeaver("user_id")),
];

/** What a person's overlays show, and when their address was made. */
export const exportProfile: ExportProfile = (me) =>
  sql`SELECT json_object('overlays', (SELECT json_object('settings', json(settings),
    'token_created_at', token_created_at) FROM overlays WHERE user_id = ${me})) AS item`;
