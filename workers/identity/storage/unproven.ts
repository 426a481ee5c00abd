import { type Expression, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { Identity } from "./database.ts";
import type { AccountTable } from "./schema.ts";

/**
 * Accounts whose address nobody has proven. A stranger may have created such an account, so it ends when another person
 * proves the address. Its password, links, telephone, factors, sign-ins and codes must not lead into that person's
 * account. So the person gets a new account with a new id, and no old token works. Source: Sudhodanan and Paverd,
 * "Pre-hijacked accounts", USENIX Security 2022.
 */

/** How long an account may hold an unproven address. Source: decisions, "Proof of an address". */
const UNPROVEN_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the statements that end the unproven account of an address, if there is one.
 *
 * An account with another sign-in method belongs to the person of that telephone or provider. It loses only the
 * address, and every sign-in so far. An account that an operator disabled stays, or its person could register again.
 *
 * @param proof a query that finds a row only if the address was proven.
 * @param prover the account that gets the address; it stays.
 */
export function endUnproven(identity: Identity, email: string, proof: Expression<unknown>, prover = "") {
  const held = sql<boolean>`email = ${email} AND email_verified = 0 AND disabled = 0 AND local_id <> ${prover}
    AND EXISTS ${proof}`;
  return endAccountsWhere(identity, held);
}

/**
 * Returns the statements that end every account that has held an address for seven days without proof. A disabled account
 * stays, as in {@link endUnproven}.
 */
export function expireUnproven(identity: Identity) {
  const latest = isoTime(identity.now_ms - UNPROVEN_MS);
  return endAccountsWhere(
    identity,
    sql<boolean>`email IS NOT NULL AND email_verified = 0 AND disabled = 0
      AND coalesce(password_updated_at, created_at) <= ${latest}`,
  );
}

function endAccountsWhere({ db, now }: Identity, is_ended: Expression<boolean>) {
  const has_other_way = sql<boolean>`(phone_number IS NOT NULL
    OR EXISTS (SELECT 1 FROM linked_identities AS other WHERE other.local_id = accounts.local_id))`;
  const ended = db.selectFrom("accounts").select("accounts.local_id").where(is_ended);
  return [
    // Mails to a deleted account stay in the outbox, because they went to the address's owner.
    db.updateTable("mails").set({ local_id: null }).where("local_id", "in", ended),
    db
      .deleteFrom("accounts")
      .where(is_ended)
      .where(({ not }) => not(has_other_way)),
    db.updateTable("sign_ins").set({ revoked_at: now }).where("revoked_at", "is", null).where("local_id", "in", ended),
    db
      .updateTable("accounts")
      // The account's codes end together with the address that they were made for.
      .set({ email: null, password_hash: null, password_updated_at: null, signs_in_by_email: 0, valid_since: now })
      .where(is_ended),
  ] as const;
}

/**
 * Returns the statements that replace the unproven account of an address by a new account of the address's owner. The
 * last one returns the new account, or no row if there was nothing to replace.
 *
 * @param held a query for the account that is replaced, if the address was proven.
 * @param account the new account's id, and its values besides the address.
 */
export function replaceUnproven(
  identity: Identity,
  email: string,
  held: Expression<{ local_id: string }>,
  account: Pick<AccountTable, "local_id"> &
    Partial<Pick<AccountTable, "password_hash" | "password_updated_at">> & { signs_in_by_email?: 1 },
) {
  const { db, now } = identity;
  const { local_id } = account;
  const made = db.selectFrom("accounts as made").select("made.local_id").where("made.local_id", "=", local_id);
  return [
    // Insert the new account without its address: the unproven account has the address until the next statements remove
    // it.
    db
      .insertInto("accounts")
      .columns(["local_id", "valid_since", "created_at"])
      .expression((eb) =>
        eb
          .selectFrom("accounts as unproven")
          .select([eb.val(local_id).as("local_id"), eb.val(now).as("valid_since"), eb.val(now).as("created_at")])
          .where("unproven.email_verified", "=", 0)
          .where("unproven.disabled", "=", 0)
          .where("unproven.local_id", "in", held as Expression<unknown> as Expression<string>),
      ),
    ...endUnproven(identity, email, made),
    db
      .updateTable("accounts")
      .set({ ...account, email, email_verified: 1 })
      .where("local_id", "=", local_id)
      .returningAll(),
  ] as const;
}
