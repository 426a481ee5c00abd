import type { Expression } from "kysely";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, Flag } from "../storage/schema.ts";
import { endUnproven } from "../storage/unproven.ts";
import { notifySignedOut } from "../watch/tell.ts";
import { forgetSignInFailures } from "./attempts.ts";
import { signIn } from "./commands.ts";
import type { SignInWithEmailLinkInput } from "./input.ts";
import { isAddressFree, refuseCode, refuseTaken, runWithCode } from "./oob-codes.ts";
import { findAccountByEmail } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { newLocalId, normaliseEmail } from "./rules.ts";
import { accountOfIdToken, continueSession, type Proof, requireRecentProof } from "./sessions.ts";

/** Sign-in by a mailed link. A person who has the link and can name its address reads that mailbox. */

/**
 * Handles `accounts:signInWithEmailLink`: signs in, and creates an account if the address has none. With `idToken`,
 * gives that account the address. Throws MISSING_EMAIL, MISSING_OOB_CODE, INVALID_EMAIL (mailed to another address),
 * INVALID_OOB_CODE, EXPIRED_OOB_CODE, EMAIL_EXISTS, OPERATION_NOT_ALLOWED (the account has another address) and the
 * refusals of a sign-in.
 */
export async function signInWithEmailLink(identity: Identity, input: SignInWithEmailLinkInput) {
  if (!input.email) throw new Refusal("MISSING_EMAIL");
  if (!input.oobCode) throw new Refusal("MISSING_OOB_CODE");
  const email = normaliseEmail(input.email);
  const kind = "identitytoolkit#EmailLinkSigninResponse";
  return runWithCode(identity, input.oobCode, async ({ code_hash, request_type, email: recipient }) => {
    if (request_type !== "EMAIL_SIGNIN") throw new Refusal("INVALID_OOB_CODE");
    if (recipient !== email) {
      throw new Refusal("INVALID_EMAIL", "The email provided does not match the sign-in email address.");
    }
    if (input.idToken) {
      const proof = await accountOfIdToken(identity, input.idToken);
      const account = await giveAddress(identity, proof, email, code_hash);
      const tokens = await continueSession(identity, account, proof.claims);
      return { kind, email, localId: account.local_id, isNewUser: false, ...tokens };
    }
    const { account, isNewUser } = await accountByLink(identity, email, code_hash);
    const tokens = await signIn(identity, account, { sign_in_provider: "emailLink" });
    return { kind, email, localId: account.local_id, isNewUser, ...tokens };
  });
}

/**
 * Returns the account that has proven the address, or a new one. It never signs in to an unproven account, which a
 * stranger may have prepared.
 */
async function accountByLink(identity: Identity, email: string, code_hash: string) {
  const { db, now } = identity;
  const holder = await findAccountByEmail(identity, email);
  if (holder?.disabled) throw new Refusal("USER_DISABLED");
  const used = selectValidLink(identity, code_hash);
  const [, , , , [known], [made]] = await commit(
    identity,
    ...endUnproven(identity, email, used.select("held.code_hash")),
    db
      .updateTable("accounts")
      .set({ signs_in_by_email: 1 })
      .where("email", "=", email)
      .where("disabled", "=", 0)
      .where(({ exists }) => exists(used.select("held.code_hash")))
      .returningAll(),
    db
      .insertInto("accounts")
      .columns(["local_id", "email", "email_verified", "signs_in_by_email", "valid_since", "created_at"])
      .expression((eb) =>
        used.select([
          eb.val(newLocalId()).as("local_id"),
          "held.email",
          eb.val<Flag>(1).as("email_verified"),
          eb.val<Flag>(1).as("signs_in_by_email"),
          eb.val(now).as("valid_since"),
          eb.val(now).as("created_at"),
        ]),
      )
      .onConflict((conflict) => conflict.column("email").doNothing())
      .returningAll(),
    await forgetSignInFailures(identity, email),
    endLinks(identity, code_hash),
  );
  const account = known ?? made;
  if (!account) return refuseCode(identity, code_hash);
  if (holder && !known) notifySignedOut(identity, holder.local_id);
  return { account, isNewUser: !known };
}

/** Gives the signed-in account the proven address. */
async function giveAddress(identity: Identity, proof: Proof, email: string, code_hash: string): Promise<Account> {
  const { db } = identity;
  const { local_id } = proof.account;
  requireRecentProof(identity, proof);
  if (proof.account.email && proof.account.email !== email) throw new Refusal("OPERATION_NOT_ALLOWED");
  const [, , , , [linked]] = await commit(
    identity,
    ...endUnproven(identity, email, selectValidLink(identity, code_hash).select("held.code_hash"), local_id),
    db
      .updateTable("accounts")
      .set({ email, email_verified: 1, signs_in_by_email: 1 })
      .where("local_id", "=", local_id)
      .where("disabled", "=", 0)
      .where((eb) => eb.or([eb("email", "is", null), eb("email", "=", email)]))
      .where(isAddressFree(email, local_id))
      .where(({ exists }) => exists(selectValidLink(identity, code_hash).select("held.code_hash")))
      .returningAll(),
    endLinks(identity, code_hash),
  );
  return linked ?? refuseTaken(identity, { code_hash, local_id }, email);
}

/** Returns a query for the link's code while it is valid. */
function selectValidLink({ db, now }: Identity, code_hash: string) {
  return db
    .selectFrom("oob_codes as held")
    .where("held.code_hash", "=", code_hash)
    .where("held.request_type", "=", "EMAIL_SIGNIN")
    .where("held.expires_at", ">", now);
}

/**
 * Returns the statement that ends this link and the other links to its address, if the link was valid and had its
 * effect.
 */
function endLinks(identity: Identity, code_hash: string) {
  const done = selectValidLink(identity, code_hash)
    .innerJoin("accounts as proven", "proven.email", "held.email")
    .select("held.email")
    .where("proven.email_verified", "=", 1);
  return identity.db
    .deleteFrom("oob_codes")
    .where("request_type", "=", "EMAIL_SIGNIN")
    .where("email", "in", done as Expression<string>);
}
