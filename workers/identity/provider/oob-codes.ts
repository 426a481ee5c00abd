import { type Expression, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { writeMail } from "../mails/commands.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, OobRequestType } from "../storage/schema.ts";
import { endUnproven, replaceUnproven } from "../storage/unproven.ts";
import { tellSignedOut } from "../watch/tell.ts";
import { countAddressAttempt, forgetAttempts, forgetSignInFailures } from "./attempts.ts";
import { hashPassword } from "./passwords.ts";
import { findAccountByEmail } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { actionLink, checkNewPassword, newLocalId } from "./rules.ts";
import { revokeSessions } from "./sessions.ts";

/** Out-of-band codes as they come back: kept hashed, good once, and only while the account has the address they were made for. */

const HOUR_MS = 60 * 60 * 1000;
export const CODE_BYTES = 32;
/** How long each kind is good for, in milliseconds. */
export const lives: Record<OobRequestType, number> = {
  VERIFY_EMAIL: 24 * HOUR_MS,
  PASSWORD_RESET: HOUR_MS,
  EMAIL_SIGNIN: HOUR_MS,
  VERIFY_AND_CHANGE_EMAIL: 24 * HOUR_MS,
  // It undoes what a thief did, whose victim may be on holiday.
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
 * Works with a code that is still good; one that is not counts against the client's address.
 * Throws INVALID_OOB_CODE, EXPIRED_OOB_CODE, TOO_MANY_ATTEMPTS_TRY_LATER and what `work` throws.
 */
export async function withCode<T>(
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
 * `accounts:update` with a code: proves, changes or restores the address. Gives the account that has the address then.
 *
 * @param prover the account whose sign-in came along with the code: the code proves who reads the mailbox, the sign-in who
 * asked for the mail.
 */
export function applyCode(identity: Identity, oobCode: string, prover: string | null): Promise<Account> {
  return withCode(identity, oobCode, (code) => {
    if (code.request_type === "VERIFY_EMAIL") return verifyEmail(identity, code, prover);
    if (code.request_type === "VERIFY_AND_CHANGE_EMAIL") return changeEmail(identity, code, prover);
    if (code.request_type === "RECOVER_EMAIL") return recoverEmail(identity, code);
    throw new Refusal("INVALID_OOB_CODE");
  });
}

/** Without a sign-in of the account, a stranger may have asked for the mail: the mailbox's owner gets an account of their own. */
async function verifyEmail(identity: Identity, code: FoundCode, prover: string | null): Promise<Account> {
  const { local_id, email } = code;
  if (!local_id || !email) throw new Refusal("INVALID_OOB_CODE");
  const owner = ownerOf(identity, code);
  const prove = identity.db
    .updateTable("accounts")
    .set({ email_verified: 1 })
    .where("local_id", "in", owner)
    .returningAll();
  // The batch is one transaction: whoever comes second no longer finds the code and updates nothing.
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
  if (made) tellSignedOut(identity, local_id);
  return made ?? known ?? refuseCode(identity, code.code_hash);
}

/**
 * Only with a sign-in of the account: a mail alone, opened by the owner of the new mailbox, must neither give their address to a
 * stranger's account nor a mistyping member's account to them. The old address, if it was proven, gets a way back. An account
 * that had an address signs in anew, as with Firebase.
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
    ...(await mailWayBack(identity, code, new_email, local_id)),
    db
      .updateTable("accounts")
      .set({ email: new_email, email_verified: 1, ...(email && { valid_since: now }) })
      .where("local_id", "in", owner)
      .where("disabled", "=", 0)
      .where(isFree(new_email, local_id))
      .returningAll(),
    revokeSessions(identity, local_id),
    endCodes(identity, code),
  );
  tellSignedOut(identity, local_id);
  return changed ?? refuseTaken(identity, code, new_email);
}

/** The statements that tell the old address, provided the change that follows them is going to be made. */
async function mailWayBack(identity: Identity, code: FoundCode, new_email: string, local_id: string) {
  const { db, env, now, now_ms } = identity;
  const secret = randomSecret(CODE_BYTES);
  const code_hash = await sha256Hex(secret);
  const link = actionLink(env.ACTION_URL, "recoverEmail", secret);
  // The code was made for the address that the account still has (ownerOf).
  const recipient = code.email ?? "";
  const changing = db
    .selectFrom("accounts")
    .where("local_id", "in", ownerOf(identity, code))
    .where("email_verified", "=", 1)
    .where("disabled", "=", 0)
    .where("email", "<>", new_email)
    .where(isFree(new_email, local_id));
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
          eb.val(isoTime(now_ms + lives.RECOVER_EMAIL)).as("expires_at"),
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
 * Puts the old address back and ends every sign-in, and with them what a thief might enter or undo it by: the links and the
 * telephone, whenever they were set, for a thief may set them before the address; the password and the factors that are
 * younger than the change. An older second factor stays: an old mailbox alone must not take it off.
 */
async function recoverEmail(identity: Identity, code: FoundCode): Promise<Account> {
  const { db, now } = identity;
  const { local_id, email } = code;
  if (!local_id || !email) throw new Refusal("INVALID_OOB_CODE");
  const owner = ownerOf(identity, code);
  const held = db.selectFrom("oob_codes as held").where("held.code_hash", "=", code.code_hash);
  const changed_at = held.select("held.created_at");
  const restored = db
    .selectFrom("accounts as restored")
    .select("restored.local_id")
    .where("restored.local_id", "in", owner)
    .where("restored.email", "=", email);
  const [, , , , [account]] = await commit(
    identity,
    ...endUnproven(identity, email, owner, local_id),
    db
      .updateTable("accounts")
      .set({
        email,
        email_verified: 1,
        phone_number: null,
        password_hash: sql`iif(password_updated_at >= ${changed_at}, NULL, password_hash)`,
        valid_since: now,
      })
      .where("local_id", "in", owner)
      .where("disabled", "=", 0)
      .where(isFree(email, local_id))
      .returningAll(),
    revokeSessions(identity, local_id),
    db.deleteFrom("linked_identities").where("local_id", "in", restored),
    db.deleteFrom("factors").where("local_id", "in", restored).where("enrolled_at", ">=", changed_at),
    db.deleteFrom("recovery_codes").where("local_id", "in", restored).where("created_at", ">=", changed_at),
    // Ways back to older addresses stay: a thief who changed the address twice holds the later one.
    db
      .deleteFrom("oob_codes")
      .where("local_id", "in", restored)
      .where((eb) => eb.or([eb("request_type", "<>", "RECOVER_EMAIL"), eb("created_at", ">=", changed_at)])),
  );
  tellSignedOut(identity, local_id);
  return account ?? refuseTaken(identity, code, email);
}

/**
 * `accounts:resetPassword`: with `newPassword` sets it and ends every sign-in; without, tells what the code is for.
 * Throws MISSING_OOB_CODE, INVALID_OOB_CODE, EXPIRED_OOB_CODE, and what a new password may be refused for.
 */
export async function resetPassword(identity: Identity, oobCode: string | undefined, newPassword: string | undefined) {
  if (!oobCode) throw new Refusal("MISSING_OOB_CODE");
  return withCode(identity, oobCode, async (code) => {
    if (newPassword !== undefined) {
      checkNewPassword(newPassword);
      if (code.request_type !== "PASSWORD_RESET") throw new Refusal("INVALID_OOB_CODE");
      await setPasswordByCode(identity, code, await hashPassword(newPassword));
    }
    return {
      kind: "identitytoolkit#ResetPasswordResponse",
      // Of a link that signs in, the person says the address: a link alone that was passed on must not do.
      email: code.request_type === "EMAIL_SIGNIN" ? undefined : (code.email ?? undefined),
      newEmail: code.new_email ?? undefined,
      requestType: code.request_type,
    };
  });
}

/** Whoever reads the mailbox has shown that the address is theirs. */
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
    // Older mails' codes end with this one: they would undo what the person has just chosen.
    endCodes(identity, code),
    await forgetSignInFailures(identity, email),
  );
  if (!made && !changed) await refuseCode(identity, code.code_hash);
  tellSignedOut(identity, local_id);
}

/**
 * Whose this code is while it is good: not used, not expired, and the account's address is what it was. A change of address is
 * asked for by a sign-in, and ends when every sign-in of its time does: whoever asked may have been thrown out.
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

/** The statement that ends this code and the others of its kind, provided it was good. */
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

/** Whether nobody but this account has the address. */
export function isFree(email: string, local_id: string) {
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

/** Says why nothing was changed: somebody has the address by now, or the code was used a moment ago. */
export async function refuseTaken(
  identity: Identity,
  code: Pick<FoundCode, "code_hash" | "local_id">,
  email: string,
): Promise<never> {
  const holder = await findAccountByEmail(identity, email);
  if (holder && holder.local_id !== code.local_id) throw new Refusal("EMAIL_EXISTS");
  return refuseCode(identity, code.code_hash);
}

/** Says why a code was no good: expired, if it is still known; used or never given otherwise. */
export async function refuseCode({ db, now }: Identity, code_hash: string): Promise<never> {
  const expired = await db
    .selectFrom("oob_codes")
    .select("code_hash")
    .where("code_hash", "=", code_hash)
    .where("expires_at", "<=", now)
    .executeTakeFirst();
  throw new Refusal(expired ? "EXPIRED_OOB_CODE" : "INVALID_OOB_CODE");
}
