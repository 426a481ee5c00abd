import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { listFactors } from "../provider/factors.ts";
import { replaceRecoveryCodes } from "../provider/recovery-codes.ts";
import { Refusal } from "../provider/refusal.ts";
import { requireRecentProof, revokeSessions } from "../provider/sessions.ts";
import { commit, type Identity } from "../storage/database.ts";
import { dropOldestKeys } from "../storage/sign-out-keys.ts";
import { tellSignedOut } from "../watch/tell.ts";
import type { Caller } from "./bearer.ts";

/** Ends every sign-in of the account: no refresh token works any longer. */
export async function revokeRefreshTokens(identity: Identity, local_id: string): Promise<void> {
  const { db, now } = identity;
  await commit(
    identity,
    db.updateTable("accounts").set({ valid_since: now }).where("local_id", "=", local_id),
    revokeSessions(identity, local_id),
  );
  tellSignedOut(identity, local_id);
}

/** Signs out the one sign-in that carries the key; again changes nothing. Of too many keys the oldest go. */
export async function registerSignOutKey(identity: Identity, local_id: string, key: string): Promise<void> {
  const { db, now } = identity;
  await commit(
    identity,
    db
      .insertInto("global_sign_outs")
      .values({ local_id, key, registered_at: now })
      .onConflict((conflict) => conflict.columns(["local_id", "key"]).doNothing()),
    dropOldestKeys(identity, local_id, key),
    db
      .updateTable("sign_ins")
      .set({ revoked_at: now })
      .where("local_id", "=", local_id)
      .where("key_for_global_sign_out", "=", key)
      .where("revoked_at", "is", null),
  );
  tellSignedOut(identity, local_id);
}

/** Sets the personal id, which new ID tokens carry. Throws the problem `not_found` for an unknown account. */
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
 * Closes the row of an account that Firebase has deleted. It stays: tokens made before are good for up to an hour, and would
 * otherwise bring it back.
 */
export async function closeAdopted(identity: Identity, local_id: string): Promise<void> {
  const { db, now } = identity;
  await db
    .updateTable("accounts")
    .set({ disabled: 1, pib_id: null, valid_since: now })
    .where("local_id", "=", local_id)
    .execute();
  tellSignedOut(identity, local_id);
}

/** Keeps a row for an account that Firebase keeps, so that its sign-out keys have something to belong to. */
export async function adoptAccount({ db, now }: Identity, local_id: string): Promise<void> {
  await db
    .insertInto("accounts")
    .values({ local_id, valid_since: isoTime(0), created_at: now })
    .onConflict((conflict) => conflict.column("local_id").doNothing())
    .execute();
}

/**
 * Ten new recovery codes. Throws the problems `recent_sign_in_required` and, where there is no second factor they could stand
 * in for, `second_factor_missing`.
 */
export async function createRecoveryCodes(identity: Identity, { account, claims }: Caller): Promise<string[]> {
  try {
    requireRecentProof(identity, { account, claims, auth_time: claims.auth_time });
  } catch (error) {
    throw error instanceof Refusal ? new Problem("recent_sign_in_required") : error;
  }
  const factors = await listFactors(identity, account.local_id);
  if (factors.length === 0) throw new Problem("second_factor_missing");
  return replaceRecoveryCodes(identity, account.local_id);
}
