import { type IdentityClaims, signInIdOf } from "../../verifier/index.ts";
import type { Identity } from "../storage/database.ts";

/** D1's bound parameters. */
const MARKS_AT_ONCE = 45;

/** What a token says of its sign-in: which one it is, and the key that the account's sign-ins share. */
export function marksOf(claims: IdentityClaims): string[] {
  const { keyForGlobalSignOut: key } = claims;
  return [signInIdOf(claims), ...(key ? [key] : [])];
}

/**
 * Which of these marks stand for sign-ins that have ended: keys that were registered, sign-ins that were revoked, all of an
 * account that is gone or disabled. Of Firebase's sign-ins we keep no rows: one that was ended by itself is registered as a
 * key is.
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
