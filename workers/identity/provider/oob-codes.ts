import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, OobRequestType } from "../storage/schema.ts";
import { tellSignedOut } from "../watch/tell.ts";
import type { SendOobCodeInput } from "./input.ts";
import { oobMail } from "./mail-copy.ts";
import { hashPassword } from "./passwords.ts";
import { findAccountByEmail } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { actionLink, checkNewPassword, normaliseEmail } from "./rules.ts";
import { accountOfIdToken, revokeSessions } from "./sessions.ts";

/** Out-of-band codes: mailed, kept hashed, good once. */

const HOUR_MS = 60 * 60 * 1000;
const CODE_BYTES = 32;
const codes: Record<Extract<OobRequestType, "VERIFY_EMAIL" | "PASSWORD_RESET">, { mode: string; life_ms: number }> = {
  VERIFY_EMAIL: { mode: "verifyEmail", life_ms: 24 * HOUR_MS },
  PASSWORD_RESET: { mode: "resetPassword", life_ms: HOUR_MS },
};

/**
 * `accounts:sendOobCode`. A reset asked for an unknown address is answered like any other.
 * Throws MISSING_REQ_TYPE, INVALID_REQ_TYPE, MISSING_EMAIL, INVALID_EMAIL and what an ID token may be refused for.
 */
export async function sendOobCode(identity: Identity, input: SendOobCodeInput) {
  const kind = "identitytoolkit#GetOobConfirmationCodeResponse";
  if (!input.requestType) throw new Refusal("MISSING_REQ_TYPE");
  if (input.requestType === "VERIFY_EMAIL") {
    const { account } = await accountOfIdToken(identity, input.idToken);
    if (!account.email) throw new Refusal("MISSING_EMAIL");
    await mailCode(identity, account, account.email, "VERIFY_EMAIL", input.continueUrl);
    return { kind, email: account.email };
  }
  if (input.requestType !== "PASSWORD_RESET") throw new Refusal("INVALID_REQ_TYPE");
  if (!input.email) throw new Refusal("MISSING_EMAIL");
  const email = normaliseEmail(input.email);
  const account = await findAccountByEmail(identity, email);
  if (account && !account.disabled) await mailCode(identity, account, email, "PASSWORD_RESET", input.continueUrl);
  return { kind, email };
}

async function mailCode(
  identity: Identity,
  account: Account,
  recipient: string,
  request_type: keyof typeof codes,
  continue_url: string | undefined,
): Promise<void> {
  const { db, env, now, now_ms } = identity;
  const { mode, life_ms } = codes[request_type];
  const code = randomSecret(CODE_BYTES);
  const { local_id } = account;
  const copy = oobMail(request_type, actionLink(env.ACTION_URL, mode, code, continue_url));
  await commit(
    identity,
    db.insertInto("oob_codes").values({
      code_hash: await sha256Hex(code),
      local_id,
      email: account.email,
      request_type,
      expires_at: isoTime(now_ms + life_ms),
      created_at: now,
    }),
    db.insertInto("mails").values({ mail_id: newId(now_ms), local_id, recipient, ...copy, created_at: now }),
  );
}

/** Marks the address verified. Throws INVALID_OOB_CODE, EXPIRED_OOB_CODE. */
export async function verifyEmail(identity: Identity, oobCode: string): Promise<Account> {
  const { db } = identity;
  const code_hash = await sha256Hex(oobCode);
  // The batch is one transaction: whoever comes second no longer finds the code and updates nothing.
  const [[account]] = await commit(
    identity,
    db
      .updateTable("accounts")
      .set({ email_verified: 1 })
      .where("local_id", "in", ownerOf(identity, code_hash, "VERIFY_EMAIL"))
      .returningAll(),
    db
      .deleteFrom("oob_codes")
      .where("code_hash", "=", code_hash)
      .where("request_type", "=", "VERIFY_EMAIL")
      .where("expires_at", ">", identity.now),
  );
  return account ?? refuseCode(identity, code_hash);
}

/**
 * `accounts:resetPassword`: with `newPassword` sets it and ends every sign-in; without, tells what the code is for.
 * Throws MISSING_OOB_CODE, INVALID_OOB_CODE, EXPIRED_OOB_CODE, and what a new password may be refused for.
 */
export async function resetPassword(identity: Identity, oobCode: string | undefined, newPassword: string | undefined) {
  if (!oobCode) throw new Refusal("MISSING_OOB_CODE");
  const code_hash = await sha256Hex(oobCode);
  const found = await findCode(identity, code_hash);
  if (!found) return refuseCode(identity, code_hash);
  const answer = {
    kind: "identitytoolkit#ResetPasswordResponse",
    email: found.email ?? undefined,
    requestType: found.request_type,
  };
  if (newPassword === undefined) return answer;
  checkNewPassword(newPassword);
  if (found.request_type !== "PASSWORD_RESET") throw new Refusal("INVALID_OOB_CODE");
  await setPasswordByCode(identity, code_hash, found.local_id, await hashPassword(newPassword));
  return answer;
}

async function setPasswordByCode(identity: Identity, code_hash: string, local_id: string, password_hash: string) {
  const { db, now } = identity;
  const [[changed]] = await commit(
    identity,
    db
      .updateTable("accounts")
      // Whoever reads the mailbox has shown that the address is theirs.
      .set({ password_hash, password_updated_at: now, valid_since: now, email_verified: 1 })
      .where("local_id", "in", ownerOf(identity, code_hash, "PASSWORD_RESET"))
      .where("disabled", "=", 0)
      .returning("local_id"),
    revokeSessions(identity, local_id),
    // Older mails' codes end with this one: they would undo what the person has just chosen.
    db
      .deleteFrom("oob_codes")
      .where("request_type", "=", "PASSWORD_RESET")
      .where("local_id", "in", ownerOf(identity, code_hash, "PASSWORD_RESET")),
  );
  if (!changed) await refuseCode(identity, code_hash);
  tellSignedOut(identity, local_id);
}

/** The account that holds this code while it is good. */
function ownerOf({ db, now }: Identity, code_hash: string, request_type: OobRequestType) {
  return db
    .selectFrom("oob_codes as held")
    .select("held.local_id")
    .where("held.code_hash", "=", code_hash)
    .where("held.request_type", "=", request_type)
    .where("held.expires_at", ">", now);
}

function findCode({ db, now }: Identity, code_hash: string) {
  return db
    .selectFrom("oob_codes")
    .innerJoin("accounts", "accounts.local_id", "oob_codes.local_id")
    .select(["accounts.local_id", "accounts.email", "oob_codes.request_type"])
    .where("code_hash", "=", code_hash)
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

/** Says why a code was no good: expired, if it is still known; used or never given otherwise. */
async function refuseCode({ db, now }: Identity, code_hash: string): Promise<never> {
  const expired = await db
    .selectFrom("oob_codes")
    .select("code_hash")
    .where("code_hash", "=", code_hash)
    .where("expires_at", "<=", now)
    .executeTakeFirst();
  throw new Refusal(expired ? "EXPIRED_OOB_CODE" : "INVALID_OOB_CODE");
}
