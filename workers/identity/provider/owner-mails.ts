import { type Expression, sql } from "kysely";
import { writeMail } from "../mails/commands.ts";
import type { Identity } from "../storage/database.ts";

/** Mails to the owner of an account about a change that a thief could make too. */

/**
 * Returns the statement that mails the owner if the account has this new password. It follows the statement that sets the
 * password. An unproven address may be a stranger's, and gets nothing.
 */
export function mailPasswordChange(
  identity: Identity,
  { local_id, email, password_hash }: { local_id: string; email: string; password_hash: string },
) {
  const changed = identity.db
    .selectFrom("accounts")
    .select("local_id")
    .where("local_id", "=", local_id)
    .where("email", "=", email)
    .where("email_verified", "=", 1)
    .where("password_hash", "=", password_hash);
  const mail = { kind: "password_changed", recipient: email, local_id, gaps: {} } as const;
  return writeMail(identity, mail, { only_if: sql`EXISTS ${changed}` });
}

/**
 * Returns the statement that mails the owner of an account that the next statement deletes. The mail names no account:
 * it would be deleted with it.
 *
 * @param held a query for the account, if it still exists and its address is proven.
 */
export function mailDeletion(identity: Identity, recipient: string, held: Expression<unknown>) {
  const mail = { kind: "account_deleted", recipient, local_id: null, gaps: {} } as const;
  return writeMail(identity, mail, { only_if: sql`EXISTS ${held}` });
}
