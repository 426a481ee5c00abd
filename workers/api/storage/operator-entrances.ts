import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Database } from "./database.ts";

/**
 * Writes an audit row when an account is let in as an operator for the first time. The claim that makes it an operator
 * is given where this database has no row of it: at the site's first start, or in Firebase.
 */
export async function recordEntrance(
  database: Database,
  { name, uid, now_ms, request_id }: { name: string; uid: string; now_ms: number; request_id: string },
): Promise<void> {
  // The condition repeats that of the index word for word: SQLite takes no parameter in it.
  await sql`INSERT INTO operator_acts (act_id, operator, operation, subject, input, request_id, acted_at)
    VALUES (${newId(now_ms)}, ${name}, 'enterDesk', ${uid}, '{}', ${request_id}, ${isoTime(now_ms)})
    ON CONFLICT (subject) WHERE operation = 'enterDesk' DO NOTHING`.execute(database);
}
