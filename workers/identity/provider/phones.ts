import { sql } from "kysely";
import { commit, type Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { countAttempt } from "./attempts.ts";
import { signIn } from "./commands.ts";
import type { SignInWithPhoneNumberInput } from "./input.ts";
import { mailOwner, nameSignInMethod } from "./owner-mails.ts";
import { checkPhoneNumber, sendPhoneCode, takePhoneCode } from "./phone-codes.ts";
import { findAccountByPhone } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { newLocalId } from "./rules.ts";
import {
  accountOfIdToken,
  continueSession,
  newSession,
  openSession,
  type Proof,
  requireRecentProof,
  sessionAnswer,
} from "./sessions.ts";

/** Sign-in by telephone. Source: https://docs.cloud.google.com/identity-platform/docs/reference/rest/v1/accounts */

/**
 * Handles `accounts:sendVerificationCode`. The answer is the same for every number, whether or not an account has it.
 */
export async function sendVerificationCode(identity: Identity, phoneNumber: string | undefined) {
  const phone_number = checkPhoneNumber(phoneNumber);
  return { sessionInfo: await sendPhoneCode(identity, phone_number, null, { for: "sign_in" }) };
}

/**
 * Handles `accounts:signInWithPhoneNumber`. With `idToken`, gives that account the number; with `REAUTH`, creates no
 * account.
 */
export async function signInWithPhoneNumber(identity: Identity, input: SignInWithPhoneNumberInput) {
  const proof = input.idToken ? await accountOfIdToken(identity, input.idToken) : null;
  if (proof) requireRecentProof(identity, proof);
  const { detail } = await takePhoneCode(identity, input, (sent) => sent.detail.for === "sign_in");
  const { phone_number: phoneNumber } = detail;
  if (proof) return { isNewUser: false, phoneNumber, ...(await linkNumber(identity, proof, phoneNumber)) };
  const account = await findAccountByPhone(identity, phoneNumber);
  if (!account) {
    if (input.operation === "REAUTH") throw new Refusal("USER_NOT_FOUND");
    return { isNewUser: true, phoneNumber, ...(await createAccount(identity, phoneNumber)) };
  }
  const answer = await signIn(identity, account, { sign_in_provider: "phone" });
  return { isNewUser: false, phoneNumber, localId: account.local_id, ...answer };
}

async function createAccount(identity: Identity, phone_number: string) {
  const { db, now, client } = identity;
  if (client.address) await countAttempt(identity, "address_sign_up", client.address);
  const local_id = newLocalId();
  const session = await newSession(identity, local_id, { sign_in_provider: "phone" });
  const [[account]] = await commit(
    identity,
    db
      .insertInto("accounts")
      .values({ local_id, phone_number, valid_since: now, last_sign_in_at: now, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll(),
    ...openSession(identity, session, now),
  );
  // A parallel request with another code for the same number has created the account already.
  if (!account) throw new Refusal("PHONE_NUMBER_EXISTS");
  return { localId: local_id, ...(await sessionAnswer(identity, account, session)) };
}

/** Gives the account the number, and mails its owner. Throws PHONE_NUMBER_EXISTS when another account has it. */
async function linkNumber(identity: Identity, { account, claims }: Proof, phone_number: string) {
  const owner = await findAccountByPhone(identity, phone_number);
  if (owner && owner.local_id !== account.local_id) throw new Refusal("PHONE_NUMBER_EXISTS");
  const linked = await setNumber(identity, account, phone_number);
  if (!linked) throw new Refusal("PHONE_NUMBER_EXISTS");
  return { localId: linked.local_id, ...(await continueSession(identity, linked, claims)) };
}

/** Stores the number. Returns undefined when another account took the number meanwhile. */
async function setNumber(identity: Identity, account: Account, phone_number: string): Promise<Account | undefined> {
  const { local_id } = account;
  const is_free = sql<boolean>`NOT EXISTS (SELECT 1 FROM accounts AS other
    WHERE other.phone_number = ${phone_number} AND other.local_id <> ${local_id})`;
  const method = nameSignInMethod(identity, "phone", { ...account, phone_number });
  const is_new = sql<boolean>`phone_number IS NOT ${phone_number} AND ${is_free}`;
  const [, [linked]] = await commit(
    identity,
    mailOwner(identity, account, "sign_in_method_added", { method }, is_new),
    identity.db
      .updateTable("accounts")
      .set({ phone_number })
      .where("local_id", "=", local_id)
      .where(is_free)
      .returningAll(),
  );
  return linked;
}
