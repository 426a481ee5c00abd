import { type IdentityClaims, signInIdOf } from "../../verifier/index.ts";
import type { Identity } from "../storage/database.ts";

/** How many marks one query looks up, within D1's limit of bound parameters. */
const MARKS_AT_ONCE = 45;

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
  const account = await db
    .selectFrom("accounts")
    .select("disabled")
    .where("local_id", "=", local_id)
    .executeTakeFirst();
  if (!account || account.disabled) return [...marks];
  const ended: string[] = [];
  for (let at = 0; at < marks.length; at += MARKS_AT_ONCE) {
    const some = marks.slice(at, at + MARKS_AT_ONCE);
    const rows = await db
      .selectFrom("global_sign_outs")
      .select("key as mark")
      .where("local_id", "=", local_id)
      .where("key", "in", some)
      .union(
        db
          .selectFrom("sign_ins")
          .select("sign_in_id as mark")
          .where("local_id", "=", local_id)
          .where("revoked_at", "is not", null)
          .where("sign_in_id", "in", some),
      )
      .execute();
    ended.push(...rows.map(({ mark }) => mark));
  }
  return ended;
}
