import { sql } from "kysely";
import { deleteByKey, type Erasure, type ExportProfile, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [deleteByKey("reaction_settings", ["user_id"], whereLeaver("user_id"))];

export const exportProfile: ExportProfile = (me) => sql`SELECT json_object('reactions',
    (SELECT json_object('free_ofuse_message', free_ofuse_message, 'paid_ofuse_message', paid_ofuse_message,
      'subscription_message', subscription_message) FROM reaction_settings WHERE user_id = ${me})) AS item`;
