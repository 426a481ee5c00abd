import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, whereLeaver } from "../storage/personal-data.ts";

/** A broadcaster may have written thousands, so they are not left to the deletion of their radio. */
export const erasures: Erasure[] = [deleteByKey("radio_captions", ["caption_id"], whereLeaver("user_id"))];

export const exports: Domain["exports"] = {
  radio_captions: {
    select: (me, after, limit) => sql`SELECT caption_id AS key, json_object('caption_id', caption_id,
        'radio_id', radio_id, 'words', words, 'created_at', created_at) AS item
      FROM radio_captions WHERE user_id = ${me} AND caption_id > ${after ?? ""} ORDER BY caption_id ${limit}`,
  },
};
