import { type Expression, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { writeMail } from "../mails/commands.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, OobRequestType } from "../storage/schema.ts";
import { endUnproven, replaceUnproven } from "../storage/unproven.ts";
import { notifySignedOut } from "../watch/tell.ts";
import { countAddressAttempt, forgetAttempts, forgetSignInFailures } from "./attempts.ts";
import { mailOwner, mailPasswordChange } from "./owner-mails.ts";
import { hashPassword } from "./passwords.ts";
import { findAccount, findAccountByEmail } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { actionLink, checkNewPassword, newLocalId } from "./rules.ts";
import { revokeSessions } from "./sessions.ts";

/**
 * Applies out-of-band codes. A code is stored hashed and works once, while the account still has the address the code
 * was made for.
 */

const HOUR_MS = 60 * 60 * 1000;
export const CODE_BYTES = 32;
/** Lifetime of each kind of code, in milliseconds. */
export const CODE_LIFETIMES_MS: Record<OobRequestType, number> = {
  VERIFY_EMAIL: 24 * HOUR_MS,
  PASSWORD_RESET: HOUR_MS,
  EMAIL_SIGNIN: HOUR_MS,
  VERIFY_AND_CHANGE_EMAIL: 24 * HOUR_MS,
  // The lifetime of a link that undoes a thief's change of address. It is long because the victim may be on holiday.
  RECOVER_EMAIL: 7 * 24 * HOUR_MS,
};

interface FoundCode {
  code_hash: string;
  request_type: OobRequestType;
  local_id: string | null;
  email: string | null;
  new_email: string | null;
}

/**
 * Runs `work` with a valid code. An invalid code counts against the client's network address.
 * Throws INVALID_OOB_CODE, EXPIRED_OOB_CODE, TOO_MANY_ATTEMPTS_TRY_LATER and what `work` throws.
 */
export async function runWithCode<T>(
  identity: Identity,
  oobCode: string,
  work: (code: FoundCode) => Promise<T>,
): Promise<T> {
  const attempts = await countAddressAttempt(identity, "address_link");
  const code_hash = await sha256Hex(oobCode);
  const found = await findCode(identity, code_hash);
  if (!found) return refuseCode(identity, code_hash);
  const done = await work(found);
  if (attempts.length > 0) await forgetAttempts(identity, attempts).execute();
  return done;
}

/**
 * Handles `accounts:update` with a code: proves, changes or restores the address. Returns the account that then has the
 * address.
 *
 * @param prover the account whose ID token came with the code. The code proves who reads the mailbox; the ID token
 * proves who asked for the mail.
 */
export function applyCode(identity: Identity, oobCode: string, prover: string | null): Promise<Account> {
  return runWithCode(identity, oobCode, (code) => {
    if (code.request_type === "VERIFY_EMAIL") return verifyEmail(identity, code, prover);
    if (code.request_type === "VERIFY_AND_CHANGE_EMAIL") return changeEmail(identity, code, prover);
    if (code.request_type === "RECOVER_EMAIL") return recoverEmail(identity, code);
    throw new Refusal("INVALID_OOB_CODE");
  });
}

/**
 * Proves the address. Without a sign-in of the account, a stranger may have asked for the mail: the mailbox's owner
 * then gets a new account.
 */
async function verifyEmail(identity: Identity, code: FoundCode, prover: string | null): Promise<Account> {
  const { local_id, email } = code;
  if (!local_id || !email) throw new Refusal("INVALID_OOB_CODE");
  const owner = ownerOf(identity, code);
  const prove = identity.db
    .updateTable("accounts")
    .set({ email_verified: 1 })
    .where("local_id", "in", owner)
    .returningAll();
  // The batch is one transaction: of two parallel requests, the second no longer finds the code and updates nothing.
  if (prover === local_id) {
    const [[account]] = await commit(identity, prove, endCodes(identity, code));
    return account ?? refuseCode(identity, code.code_hash);
  }
  const [, , , , , [made], [known]] = await commit(
    identity,
    ...replaceUnproven(identity, email, owner, { local_id: newLocalId() }),
    prove,
    endCodes(identity, code),
  );
  if (made) notifySignedOut(identity, local_id);
  return made ?? known ?? refuseCode(identity, code.code_hash);
}

/**
 * Changes the address, only with a sign-in of the account. Otherwise the owner of the new mailbox, by opening a mail,
 * could give their address to a stranger's account, or take over the account of a member who mistyped. The old address,
 * if proven, gets a link that undoes the change. An account that had an address must sign in again, as with Firebase.
 */
async function changeEmail(identity: Identity, code: FoundCode, prover: string | null): Promise<Account> {
  const { db, now } = identity;
  const { local_id, email, new_email } = code;
  if (!local_id || !new_email) throw new Refusal("INVALID_OOB_CODE");
  const owner = ownerOf(identity, code);
  if (prover !== local_id) {
    if (!(await owner.executeTakeFirst())) return refuseCode(identity, code.code_hash);
    throw new Refusal("MISSING_ID_TOKEN", "Sign in to the account whose address this changes.");
  }
  const [, , , , , , [changed]] = await commit(
    identity,
    ...endUnproven(identity, new_email, owner, local_id),
    ...(await mailUndoLink(identity, code, new_email, local_id)),
    db
      .updateTable("accounts")
      .set({ email: new_email, email_verified: 1, ...(email && { valid_since: now }) })
      .where("local_id", "in", owner)
      .where("disabled", "=", 0)
      .where(isAddressFree(new_email, local_id))
      .returningAll(),
    revokeSessions(identity, local_id),
    endCodes(identity, code),
  );
  notifySignedOut(identity, local_id);
  return changed ?? refuseTaken(identity, code, new_email);
}

/**
 * Returns the statements that mail the old address a link to undo the change. They write only if the change that
 * follows them will happen.
 */
async function mailUndoLink(identity: Identity, code: FoundCode, new_email: string, local_id: string) {
  const { db, env, now, now_ms } = identity;
  const secret = randomSecret(CODE_BYTES);
  const code_hash = await sha256Hex(secret);
  const link = actionLink(env.ACTION_URL, "recoverEmail", secret);
  // The code was made for the account's present address (see ownerOf).
  const recipient = code.email ?? "";
  const changing = db
    .selectFrom("accounts")
    .where("local_id", "in", ownerOf(identity, code))
    .where("email_verified", "=", 1)
    .where("disabled", "=", 0)
    .where("email", "<>", new_email)
    .where(isAddressFree(new_email, local_id));
  return [
    db
      .insertInto("oob_codes")
      .columns(["code_hash", "request_type", "local_id", "email", "new_email", "expires_at", "created_at"])
      .expression((eb) =>
        changing.select([
          eb.val(code_hash).as("code_hash"),
          eb.val<OobRequestType>("RECOVER_EMAIL").as("request_type"),
          "local_id",
          "email",
          eb.val(new_email).as("new_email"),
          eb.val(isoTime(now_ms + CODE_LIFETIMES_MS.RECOVER_EMAIL)).as("expires_at"),
          eb.val(now).as("created_at"),
        ]),
      ),
    writeMail(
      identity,
      { kind: "email_changed", recipient, local_id, gaps: { link } },
      { only_if: sql`EXISTS ${changing.select("local_id")}` },
    ),
  ] as const;
}

/**
 * Restores the old address and ends every sign-in. Removes what a thief may have added to come back: the password, all
 * links and the telephone, because a thief may set them before changing the address, and factors newer than the change.
 * The mailbox can set a new password. An older second factor stays: an old mailbox alone must not remove it. Mails the
 * address that the account loses, because the old mailbox may be the stolen one.
 */
async function recoverEmail(identity: Identity, code: FoundCode): Promise<Account> {
  const { db, now } = identity;
  const { local_id, email } = code;
  if (!local_id || !email) throw new Refusal("INVALID_OOB_CODE");
  const owner = ownerOf(identity, code);
  const current = await findAccount(identity, local_id);
  if (!current) return refuseCode(identity, code.code_hash);
  const is_restored = sql<boolean>`local_id IN ${owner} AND disabled = 0 AND email <> ${email}
    AND ${isAddressFree(email, local_id)}`;
  const held = db.selectFrom("oob_codes as held").where("held.code_hash", "=", code.code_hash);
  const changed_at = held.select("held.created_at");
  const restored = db
    .selectFrom("accounts as restored")
    .select("restored.local_id")
    .where("restored.local_id", "in", owner)
    .where("restored.email", "=", email);
  const [, , , , , [account]] = await commit(
    identity,
    ...endUnproven(identity, email, owner, local_id),
    mailOwner(identity, current, "email_restored", {}, is_restored),
    db
      .updateTable("accounts")
      .set({
        email,
        email_verified: 1,
        phone_number: null,
        password_hash: null,
        password_updated_at: null,
        valid_since: now,
      })
      .where("local_id", "in", owner)
      .where("disabled", "=", 0)
      .where(isAddressFree(email, local_id))
      .returningAll(),
    revokeSessions(identity, local_id),
    db.deleteFrom("linked_identities").where("local_id", "in", restored),
    db.deleteFrom("factors").where("local_id", "in", restored).where("enrolled_at", ">=", changed_at),
    db.deleteFrom("recovery_codes").where("local_id", "in", restored).where("created_at", ">=", changed_at),
    // Keep links that restore still older addresses: after two changes by a thief, the thief has the link of the later
    // change.
    db
      .deleteFrom("oob_codes")
      .where("local_id", "in", restored)
      .where((eb) => eb.or([eb("request_type", "<>", "RECOVER_EMAIL"), eb("created_at", ">=", changed_at)])),
  );
  notifySignedOut(identity, local_id);
  return account ?? refuseTaken(identity, code, email);
}

/**
 * Handles `accounts:resetPassword`. With `newPassword`, sets the password and ends every sign-in. Without it, returns
 * what the code is for. Throws MISSING_OOB_CODE, INVALID_OOB_CODE, EXPIRED_OOB_CODE, and the refusals of a new
 * password.
 */
export async function resetPassword(identity: Identity, oobCode: string | undefined, newPassword: string | undefined) {
  if (!oobCode) throw new Refusal("MISSING_OOB_CODE");
  return runWithCode(identity, oobCode, async (code) => {
    if (newPassword !== undefined) {
      checkNewPassword(newPassword);
      if (code.request_type !== "PASSWORD_RESET") throw new Refusal("INVALID_OOB_CODE");
      await setPasswordByCode(identity, code, await hashPassword(newPassword));
    }
    return {
      kind: "identitytoolkit#ResetPasswordResponse",
      // For a sign-in link, the person must type the address. A forwarded link alone must not sign in.
      email: code.request_type === "EMAIL_SIGNIN" ? undefined : (code.email ?? undefined),
      newEmail: code.new_email ?? undefined,
      requestType: code.request_type,
    };
  });
}

/** Sets the password. The code also proves the address, because the person with the code reads the mailbox. */
async function setPasswordByCode(identity: Identity, code: FoundCode, password_hash: string): Promise<void> {
  const { db, now } = identity;
  const { local_id, email } = code;
  if (!local_id || !email) throw new Refusal("INVALID_OOB_CODE");
  const password = { password_hash, password_updated_at: now, signs_in_by_email: 1 } as const;
  const owner = ownerOf(identity, code);
  const [, , , , , [made], [changed]] = await commit(
    identity,
    ...replaceUnproven(identity, email, owner, { local_id: newLocalId(), ...password }),
    db
      .updateTable("accounts")
      .set({ ...password, valid_since: now })
      .where("local_id", "in", owner)
      .where("disabled", "=", 0)
      .returning("local_id"),
    revokeSessions(identity, local_id),
    // Codes of older mails end too, because they would undo this change.
    endCodes(identity, code),
    await forgetSignInFailures(identity, email),
    mailPasswordChange(identity, { local_id, email, password_hash }),
  );
  if (!made && !changed) await refuseCode(identity, code.code_hash);
  notifySignedOut(identity, local_id);
}

/**
 * Returns a query for the account of a valid code: not used, not expired, and the account's address is unchanged. A
 * change of address also ends with the sign-in that asked for it, in case a thief asked and was signed out.
 */
function ownerOf({ db, now }: Identity, { code_hash, request_type }: FoundCode) {
  return db
    .selectFrom("oob_codes as held")
    .innerJoin("accounts as owner", "owner.local_id", "held.local_id")
    .select("owner.local_id")
    .where("held.code_hash", "=", code_hash)
    .where("held.request_type", "=", request_type)
    .where("held.expires_at", ">", now)
    .where((eb) =>
      eb.or([
        eb("held.request_type", "<>", "VERIFY_AND_CHANGE_EMAIL"),
        eb("held.created_at", ">=", eb.ref("owner.valid_since")),
      ]),
    )
    .where((eb) =>
      eb.or([eb("held.request_type", "=", "RECOVER_EMAIL"), eb("owner.email", "is", eb.ref("held.email"))]),
    );
}

/** Returns the statement that ends this code and the others of its kind, if the code was valid. */
function endCodes(identity: Identity, code: FoundCode) {
  const held = identity.db
    .selectFrom("oob_codes as held")
    .select("held.local_id")
    .where("held.code_hash", "=", code.code_hash)
    .where("held.expires_at", ">", identity.now);
  return identity.db
    .deleteFrom("oob_codes")
    .where("request_type", "=", code.request_type)
    .where("local_id", "in", held as Expression<string>);
}

/** Returns a condition: no other account has the address. */
export function isAddressFree(email: string, local_id: string) {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM accounts AS other WHERE other.email = ${email} AND other.local_id <> ${local_id})`;
}

async function findCode(identity: Identity, code_hash: string): Promise<FoundCode | undefined> {
  const { db, now } = identity;
  return db
    .selectFrom("oob_codes")
    .leftJoin("accounts", "accounts.local_id", "oob_codes.local_id")
    .select(["code_hash", "request_type", "oob_codes.local_id", "oob_codes.email", "new_email"])
    .where("code_hash", "=", code_hash)
    .where("expires_at", ">", now)
    .where((eb) =>
      eb.or([
        eb("request_type", "in", ["EMAIL_SIGNIN", "RECOVER_EMAIL"]),
        eb("accounts.email", "is", eb.ref("oob_codes.email")),
      ]),
    )
    .executeTakeFirst();
}

/** Throws the reason why nothing changed: another account took the address, or the code was used a moment ago. */
export async function refuseTaken(
  identity: Identity,
  code: Pick<FoundCode, "code_hash" | "local_id">,
  email: string,
): Promise<never> {
  const holder = await findAccountByEmail(identity, email);
  if (holder && holder.local_id !== code.local_id) throw new Refusal("EMAIL_EXISTS");
  return refuseCode(identity, code.code_hash);
}

/** Throws the reason why a code is invalid: EXPIRED_OOB_CODE while its row exists, INVALID_OOB_CODE otherwise. */
export async function refuseCode({ db, now }: Identity, code_hash: string): Promise<never> {
  const expired = await db
    .selectFrom("oob_codes")
    .select("code_hash")
    .where("code_hash", "=", code_hash)
    .where("expires_at", "<=", now)
    .executeTakeFirst();
  throw new Refusal(expired ? "EXPIRED_OOB_CODE" : "INVALID_OOB_CODE");
}
