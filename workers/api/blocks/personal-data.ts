import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, exportedPerson, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  deleteByKey("blocks", ["blocker_id", "blocking_id"], whereLeaver("blocker_id")),
  deleteByKey("blocks", ["blocker_id", "blocking_id"], whereLeaver("blocking_id")),
];

/** A person's data export lists the people they blocked, and never the people who blocked them. */
export const exports: Domain["exports"] = {
  blocks: {
    select: (me, after, limit) => sql`SELECT blocking_id AS key,
        json_object('person', json(${exportedPerson("blocking_id")}), 'created_at', created_at) AS item
      FROM blocks WHERE blocker_id = ${me} AND blocking_id > ${after ?? ""} ORDER BY blocking_id ${limit}`,
  },
};
