import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import type { IdentityClaims } from "../../verifier/index.ts";
import { countAttempt } from "../provider/attempts.ts";
import { listFactors } from "../provider/factors.ts";
import { mailDeletion } from "../provider/owner-mails.ts";
import { replaceRecoveryCodes } from "../provider/recovery-codes.ts";
import { Refusal } from "../provider/refusal.ts";
import { type Proof, requireRecentProof, revokeSessions } from "../provider/sessions.ts";
import { commit, type Identity } from "../storage/database.ts";
import { dropOldestKeys } from "../storage/sign-out-keys.ts";
import { notifySignedOut } from "../watch/tell.ts";

/**
 * Ends every sign-in of the account: its refresh tokens stop working and its key counts as used.
 *
 * @param next_key the account's next key, if Firebase has it already.
 */
export async function revokeRefreshTokens(identity: Identity, local_id: string, next_key?: string): Promise<void> {
  const { db, now } = identity;
  await commit(
    identity,
    db
      .updateTable("accounts")
      .set({ valid_since: now, ...(next_key && { key_for_global_sign_out: next_key }) })
      .where("local_id", "=", local_id),
    revokeSessions(identity, local_id),
  );
  notifySignedOut(identity, local_id);
}

/**
 * Signs out every sign-in that shares the key. Repeating it changes nothing. Drops the account's oldest keys beyond its
 * limit. A trigger ends our own sign-ins and gives the account its next key (0004_shared_sign_out_keys.sql).
 *
 * @param next_key the account's next key, if Firebase has it already.
 */
export async function registerSignOutKey(
  identity: Identity,
  local_id: string,
  key: string,
  next_key?: string,
): Promise<void> {
  const { db, now } = identity;
  await commit(
    identity,
    db
      .insertInto("global_sign_outs")
      .values({ local_id, key, registered_at: now })
      .onConflict((conflict) => conflict.columns(["local_id", "key"]).doNothing()),
    dropOldestKeys(identity, local_id, key),
    // Firebase's tokens carry no key if they were made before Firebase had the key. The date in `valid_since` ends
    // these tokens.
    ...(next_key
      ? [
          db
            .updateTable("accounts")
            .set({ valid_since: now, key_for_global_sign_out: next_key })
            .where("local_id", "=", local_id),
        ]
      : []),
  );
  notifySignedOut(identity, local_id);
}

/**
 * Ends one sign-in that we keep. The key that it shares with other sign-ins stays valid. Returns false when the account
 * has no such sign-in.
 */
export async function endSignIn(identity: Identity, local_id: string, sign_in_id: string): Promise<boolean> {
  const { db, now } = identity;
  const ended = await db
    .updateTable("sign_ins")
    .set({ revoked_at: now })
    .where("local_id", "=", local_id)
    .where("sign_in_id", "=", sign_in_id)
    .where("revoked_at", "is", null)
    .returning("sign_in_id")
    .executeTakeFirst();
  if (ended) notifySignedOut(identity, local_id);
  return ended !== undefined;
}

/** Sets the personal id that new ID tokens carry. Throws the problem `not_found` for an unknown account. */
export async function updatePibId({ db }: Identity, local_id: string, pib_id: string): Promise<void> {
  const updated = await db
    .updateTable("accounts")
    .set({ pib_id })
    .where("local_id", "=", local_id)
    .returning("local_id")
    .executeTakeFirst();
  if (!updated) throw new Problem("not_found");
}

/**
 * Marks the row of an account that Firebase deleted as closed. The row must stay: older tokens are valid for up to an
 * hour, and would otherwise create the row again.
 *
 * @param owner whose proven address gets a mail. The row has no address.
 */
export async function closeAdoptedAccount(
  identity: Identity,
  local_id: string,
  owner: Pick<IdentityClaims, "email" | "email_verified"> = {},
): Promise<void> {
  const { db, now } = identity;
  const open = db.selectFrom("accounts").select("local_id").where("local_id", "=", local_id).where("disabled", "=", 0);
  await commit(
    identity,
    ...(owner.email && owner.email_verified ? [mailDeletion(identity, owner.email, open)] : []),
    db.updateTable("accounts").set({ disabled: 1, pib_id: null, valid_since: now }).where("local_id", "=", local_id),
  );
  notifySignedOut(identity, local_id);
}

/** Creates a row for an account that Firebase keeps. Its sign-out keys refer to the row. */
export async function adoptAccount({ db, now }: Identity, claims: IdentityClaims): Promise<void> {
  const { sub: local_id, keyForGlobalSignOut: key_for_global_sign_out } = claims;
  await db
    .insertInto("accounts")
    .values({ local_id, valid_since: isoTime(0), created_at: now, key_for_global_sign_out })
    .onConflict((conflict) => conflict.column("local_id").doNothing())
    .execute();
}

/**
 * Creates ten recovery codes. Throws the problems `recent_sign_in_required`, `too_many_requests` and, for an account
 * without a second factor, `second_factor_missing`.
 */
export async function createRecoveryCodes(
  identity: Identity,
  { account, claims }: Pick<Proof, "account" | "claims">,
): Promise<string[]> {
  try {
    requireRecentProof(identity, { account, claims, auth_time: claims.auth_time });
  } catch (error) {
    throw error instanceof Refusal ? new Problem("recent_sign_in_required") : error;
  }
  const factors = await listFactors(identity, account.local_id);
  if (factors.length === 0) throw new Problem("second_factor_missing");
  await countAttempt(identity, "account_recovery_codes", account.local_id).catch((error: unknown) => {
    throw error instanceof Refusal ? new Problem("too_many_requests", { retry_after_s: 60 * 60 }) : error;
  });
  return replaceRecoveryCodes(identity, account);
}
