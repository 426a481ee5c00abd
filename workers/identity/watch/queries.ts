import { sql } from "kysely";
import { type IdentityClaims, signInIdOf } from "../../verifier/index.ts";
import type { Identity } from "../storage/database.ts";

/** Returns a token's marks: the id of its sign-in, and the key that the account's sign-ins share. */
export function marksOf(claims: IdentityClaims): string[] {
  const { keyForGlobalSignOut: key } = claims;
  return [signInIdOf(claims), ...(key ? [key] : [])];
}

/**
 * Returns the marks whose sign-ins have ended: registered keys, revoked sign-ins, and every mark of a deleted or
 * disabled account. We keep no rows of Firebase's sign-ins; the id of an ended sign-in is registered like a key.
 */
export async function findEndedMarks({ db }: Identity, local_id: string, marks: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`SELECT mark.value FROM json_each(${JSON.stringify(marks)}) AS mark
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE local_id = ${local_id} AND disabled = 0)
      OR EXISTS (SELECT 1 FROM global_sign_outs AS used WHERE used.local_id = ${local_id} AND used.key = mark.value)
      OR EXISTS (SELECT 1 FROM sign_ins
        WHERE sign_in_id = mark.value AND local_id = ${local_id} AND revoked_at IS NOT NULL)`.execute(db);
  return rows.map(({ value }) => value);
}
