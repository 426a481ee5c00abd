import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { splitKey } from "../storage/personal-data.ts";

export const exports: Domain["exports"] = {
  reports: {
    select: (me, after, limit) => sql`SELECT subject_type || ' ' || subject_id AS key, json_object(
        'subject_type', subject_type, 'subject_id', subject_id, 'reason', reason, 'detail', detail,
        'processing_status', processing_status, 'decision', decision, 'created_at', created_at) AS item
      FROM reports WHERE reporter_user_id = ${me}
        AND (subject_type, subject_id) > (${splitKey(after)[0]}, ${splitKey(after)[1]})
      ORDER BY subject_type, subject_id ${limit}`,
  },
};
