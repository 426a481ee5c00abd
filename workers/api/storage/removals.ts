import { type RawBuilder, sql } from "kysely";

/**
 * SQL for the id of the removal of a post or a letter that is in force, or null. Its owner finds the reason and the appeal there.
 *
 * @param subject_id the column with the id, with its table.
 */
export function removalOf(
  subject_type: "event" | "ofuse",
  subject_id: `${string}.${string}`,
): RawBuilder<string | null> {
  return sql<string | null>`(SELECT removal_id FROM removals WHERE removals.subject_type = ${subject_type}
    AND removals.subject_id = ${sql.ref(subject_id)} AND removals.given_back_at IS NULL)`;
}
