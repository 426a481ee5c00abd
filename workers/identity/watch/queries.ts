import type { Identity } from "../storage/database.ts";

/** D1's bound parameters. */
const KEYS_AT_ONCE = 90;

/**
 * Which of these keys' sign-ins have ended: registered, revoked, or of an account that is gone or disabled. A key that no
 * sign-in of ours has, one of Firebase's, ends by being registered.
 */
export async function findEndedKeys({ db }: Identity, local_id: string, keys: readonly string[]): Promise<string[]> {
  const account = await db
    .selectFrom("accounts")
    .select("disabled")
    .where("local_id", "=", local_id)
    .executeTakeFirst();
  if (!account || account.disabled) return [...keys];
  const ended: string[] = [];
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const some = keys.slice(at, at + KEYS_AT_ONCE);
    const rows = await db
      .selectFrom("global_sign_outs")
      .select("key")
      .where("local_id", "=", local_id)
      .where("key", "in", some)
      .union(
        db
          .selectFrom("sign_ins")
          .select("key_for_global_sign_out as key")
          .where("local_id", "=", local_id)
          .where("revoked_at", "is not", null)
          .where("key_for_global_sign_out", "in", some),
      )
      .execute();
    ended.push(...rows.map(({ key }) => key));
  }
  return ended;
}
