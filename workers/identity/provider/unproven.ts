import { type Expression, sql } from "kysely";
import type { Identity } from "../storage/database.ts";

/**
 * What was set on an account before anybody proved its address, set by whoever: it ends when somebody proves it, or the
 * one who came first would share the account of the one whose address it is.
 * Source: Sudhodanan and Paverd, "Pre-hijacked accounts", USENIX Security 2022.
 */

/** The columns of an account at the moment its address is proven; to be set while `email_verified` still says otherwise. */
export const provenColumns = {
  phone_number: sql<string | null>`iif(email_verified, phone_number, NULL)`,
  email_verified: 1 as const,
};

/** The statements that drop what hangs on the account, to be made before its address is marked as proven. */
export function dropUnproven({ db, now }: Identity, owner: Expression<{ local_id: string }>) {
  const unproven = db
    .selectFrom("accounts")
    .select("accounts.local_id")
    .where("accounts.email_verified", "=", 0)
    .where("accounts.local_id", "in", owner as Expression<unknown> as Expression<string>);
  return [
    db.deleteFrom("linked_identities").where("local_id", "in", unproven),
    db.deleteFrom("factors").where("local_id", "in", unproven),
    db.deleteFrom("recovery_codes").where("local_id", "in", unproven),
    db.deleteFrom("challenges").where("local_id", "in", unproven),
    // From where one guesses with a count of one's own.
    db.deleteFrom("known_networks").where("local_id", "in", unproven),
    db
      .updateTable("sign_ins")
      .set({ revoked_at: now })
      .where("revoked_at", "is", null)
      .where("local_id", "in", unproven),
  ] as const;
}
