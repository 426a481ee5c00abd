import { commit, type Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { Refusal } from "./refusal.ts";
import { askSecondFactor } from "./second-factors.ts";
import { newSession, openSession, type ProofOfPerson, sessionAnswer } from "./sessions.ts";

/**
 * Signs in whoever has proven to own the account: gives the token fields of the answer, or those that ask for a second
 * factor. A custom token stands for a sign-in that was whole, and asks for none.
 * Throws USER_DISABLED, INVALID_LOGIN_CREDENTIALS (the account changed since).
 */
export async function signIn(identity: Identity, account: Account, proof: ProofOfPerson) {
  if (account.disabled) throw new Refusal("USER_DISABLED");
  if (proof.sign_in_provider !== "custom") {
    const asked = await askSecondFactor(identity, account, proof);
    if (asked) return asked;
  }
  const { db, now } = identity;
  const session = await newSession(identity, account.local_id, proof);
  const [[opened]] = await commit(
    identity,
    ...openSession(identity, session, account.valid_since),
    db.updateTable("accounts").set({ last_sign_in_at: now }).where("local_id", "=", account.local_id),
  );
  // Between the proof and this write the account was disabled, deleted or given another password.
  if (!opened) throw new Refusal("INVALID_LOGIN_CREDENTIALS");
  return sessionAnswer(identity, account, session);
}
