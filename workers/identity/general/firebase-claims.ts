import { randomSecret } from "../../kernel/digest.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import type { IdentityClaims } from "../../verifier/index.ts";
import { isProofVoid } from "../provider/rules.ts";
import type { Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { findEndedMarks } from "../watch/queries.ts";
import type { FirebaseAdmin } from "./admin.ts";

/**
 * Writes an account's claims to Firebase. Firebase can only replace all claims, so two writers may undo each other. D1
 * has the right claims: each writer sends all of them, then reads D1 again. So the last write is right (decisions/0018).
 */

/** How often D1 may change while one writer sends, before it gives up. */
const MAX_ROUNDS = 5;

/** Returns the claims that D1 has for the account: none for an unknown account. */
async function readClaims(
  { db }: Identity,
  local_id: string,
): Promise<{ pibId?: string; keyForGlobalSignOut?: string }> {
  const row = await db
    .selectFrom("accounts")
    .select(["pib_id", "key_for_global_sign_out"])
    .where("local_id", "=", local_id)
    .executeTakeFirst();
  return {
    ...(row?.pib_id && { pibId: row.pib_id }),
    ...(row?.key_for_global_sign_out && { keyForGlobalSignOut: row.key_for_global_sign_out }),
  };
}

/**
 * Sends the account's claims to Firebase. Call it after D1 has the claims. Throws the problem `unavailable` when
 * Firebase does not take them.
 */
export async function sendClaims(identity: Identity, admin: FirebaseAdmin, local_id: string): Promise<void> {
  let sent = await readClaims(identity, local_id);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await admin.setClaims(local_id, sent);
    const present = await readClaims(identity, local_id);
    if (present.pibId === sent.pibId && present.keyForGlobalSignOut === sent.keyForGlobalSignOut) return;
    sent = present;
  }
  throw new Problem("unavailable", { cause: new Error("an account's claims changed in every round") });
}

/**
 * Ends every sign-in of the account at Firebase and in D1. Firebase is first, so that a caller can repeat what Firebase
 * refuses: D1 then still accepts the caller's token.
 *
 * @param record ends the sign-ins in D1, and stores the account's next key there.
 */
export async function signOutAtFirebase(
  identity: Identity,
  admin: FirebaseAdmin,
  local_id: string,
  record: (next_key: string) => Promise<void>,
): Promise<void> {
  const keyForGlobalSignOut = randomSecret();
  await admin.signOutEverywhere(local_id, { ...(await readClaims(identity, local_id)), keyForGlobalSignOut });
  await record(keyForGlobalSignOut);
  // Another writer may have sent the used key before D1 had the next one. A failure does not undo the sign-out, and the
  // next sign-in's token sends the claims again.
  await sendClaims(identity, admin, local_id).catch((error) =>
    logUnexpected(error.cause ?? error, `claims-${crypto.randomUUID()}`),
  );
}

/**
 * Returns true when a token of Firebase shows that Firebase lacks the account's claims: the token has no key or a used
 * one, or another personal id than D1. The tokens of a revoked sign-in show nothing.
 */
export async function isMissingClaims(identity: Identity, account: Account, claims: IdentityClaims): Promise<boolean> {
  const { local_id, pib_id, key_for_global_sign_out: key } = account;
  const { keyForGlobalSignOut: carried, pibId } = claims;
  if (isProofVoid(claims.auth_time, account)) return false;
  if (!carried || (pib_id !== null && pibId !== pib_id)) return true;
  return carried !== key && (await findEndedMarks(identity, local_id, [carried])).length > 0;
}
