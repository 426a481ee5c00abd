import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { splitKey } from "../storage/personal-data.ts";

/**
 * What the person reported, and then what of theirs operators took down, with their appeals. The word `removal` sorts after
 * the types of subjects. SQLite reads the halves of a UNION ALL one after the other, each in the order of its index.
 */
export const exports: Domain["exports"] = {
  reports: {
    select: (me, after, limit) => sql`SELECT key, item FROM (
        SELECT subject_type || ' ' || subject_id AS key, json_object(
          'subject_type', subject_type, 'subject_id', subject_id, 'reason', reason, 'detail', detail,
          'processing_status', processing_status, 'decision', decision, 'created_at', created_at) AS item
        FROM reports WHERE reporter_user_id = ${me}
          AND (subject_type, subject_id) > (${splitKey(after)[0]}, ${splitKey(after)[1]})
        ORDER BY subject_type, subject_id ${limit})
      UNION ALL SELECT key, item FROM (
        SELECT 'removal ' || removal_id AS key, json_object(
          'removal_id', removal_id, 'subject_type', subject_type, 'subject_id', subject_id, 'note', note,
          'removed_at', removed_at, 'given_back_at', given_back_at, 'appeal', appeal, 'appealed_at', appealed_at,
          'appeal_decision', appeal_decision, 'appeal_note', appeal_note, 'answered_at', answered_at) AS item
        FROM removals WHERE owner_user_id = ${me}
          AND removal_id > iif(${splitKey(after)[0]} = 'removal', ${splitKey(after)[1]}, '')
        ORDER BY removal_id ${limit})
      ${limit}`,
  },
};
