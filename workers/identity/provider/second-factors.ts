import { sha256Hex } from "../../kernel/digest.ts";
import { writeMail } from "../mails/commands.ts";
import type { Identity } from "../storage/database.ts";
import type { Account, Factor, SecondFactor } from "../storage/schema.ts";
import { unseal } from "../storage/sealing.ts";
import { countSecondFactor, forgetAttempts } from "./attempts.ts";
import { type Challenge, countGuess, readChallenge, startChallenge, takeChallenge } from "./challenges.ts";
import { listFactors, mfaInfoOf } from "./factors.ts";
import type { FinalizeFactorSignInInput, RecoverInput, StartFactorSignInInput } from "./input.ts";
import { sendPhoneCode, takePhoneCode } from "./phone-codes.ts";
import { findAccount } from "./queries.ts";
import { countRecoveryCodes, takeRecoveryCode } from "./recovery-codes.ts";
import { Refusal } from "./refusal.ts";
import { beginSession, type ProofOfPerson } from "./sessions.ts";
import { stepOfCode } from "./totp.ts";

/**
 * The second half of a sign-in. The first half creates a pending credential. It is valid for ten minutes, five guesses
 * and one sign-in, and only while the account is unchanged.
 * Source: https://docs.cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn
 */

const PENDING_MS = 10 * 60 * 1000;

/**
 * The first factor that needs no second: the person of a custom token passed the second factor in the sign-in that the
 * token was made for.
 */
const NEEDS_NO_SECOND = "custom";

/**
 * Returns the request for a second factor, which is answered instead of tokens. Returns null for an account without a
 * second factor. Throws UNSUPPORTED_FIRST_FACTOR when the only second factor is the telephone of the first factor.
 */
export async function askSecondFactor(identity: Identity, account: Account, proof: ProofOfPerson) {
  if (proof.sign_in_provider === NEEDS_NO_SECOND) return null;
  const factors = await listFactors(identity, account.local_id);
  if (factors.length === 0) return null;
  const usable = factors.filter((factor) => isDifferentTelephone(factor, account, proof.sign_in_provider));
  if (usable.length === 0) {
    throw new Refusal("UNSUPPORTED_FIRST_FACTOR", "The phone number is the second factor of this account.");
  }
  const mfaPendingCredential = await startChallenge(identity, {
    kind: "second_factor",
    local_id: account.local_id,
    detail: { sign_in_provider: proof.sign_in_provider, valid_since: account.valid_since },
    life_ms: PENDING_MS,
  });
  return { mfaPendingCredential, mfaInfo: mfaInfoOf(usable) };
}

/** Returns false when the factor is the telephone that proved the first half. */
function isDifferentTelephone(factor: Factor, account: Account, sign_in_provider: string): boolean {
  return sign_in_provider !== "phone" || factor.phone_number !== account.phone_number;
}

/** Handles `mfaSignIn:start`: sends a code to a telephone that is a second factor. */
export async function startFactorSignIn(identity: Identity, input: StartFactorSignInInput) {
  const { mfaPendingCredential: credential, mfaEnrollmentId } = input;
  if (!credential) {
    throw new Refusal("MISSING_MFA_PENDING_CREDENTIAL", "Request does not have MFA pending credential.");
  }
  if (!mfaEnrollmentId) throw new Refusal("MISSING_MFA_ENROLLMENT_ID", "No second factor identifier is provided.");
  const pending = await readChallenge(identity, "second_factor", credential);
  const account = await findPendingAccount(identity, pending);
  const factor = await findPendingFactor(identity, account, pending, mfaEnrollmentId);
  if (!factor.phone_number) throw new Refusal("INVALID_ARGUMENT", "MFA provider not supported!");
  const sessionInfo = await sendPhoneCode(identity, factor.phone_number, account.local_id, {
    for: "second_factor",
    factor_id: factor.factor_id,
    pending_hash: await sha256Hex(credential),
  });
  return { phoneResponseInfo: { sessionInfo } };
}

/** Handles `mfaSignIn:finalize`. */
export async function finalizeFactorSignIn(identity: Identity, input: FinalizeFactorSignInInput) {
  const { phoneVerificationInfo: phone, totpVerificationInfo: totp, mfaEnrollmentId } = input;
  if (!phone && !totp) throw new Refusal("INVALID_ARGUMENT", "MFA provider not supported!");
  return proveSecondFactor(identity, input.mfaPendingCredential, async (account, pending) => {
    if (phone) {
      const { detail } = await takePhoneCode(
        identity,
        phone,
        (sent) => sent.detail.for === "second_factor" && sent.detail.pending_hash === pending.challenge_hash,
      );
      const factor = await findPendingFactor(identity, account, pending, detail.factor_id);
      return { kind: "phone", factor_id: factor.factor_id };
    }
    if (!mfaEnrollmentId) throw new Refusal("MISSING_MFA_ENROLLMENT_ID", "No second factor identifier is provided.");
    if (!totp?.verificationCode) throw new Refusal("MISSING_CODE");
    const factor = await findPendingFactor(identity, account, pending, mfaEnrollmentId);
    if (!(await takeTotpCode(identity, factor, totp.verificationCode))) throw new Refusal("INVALID_CODE");
    return { kind: "totp", factor_id: factor.factor_id };
  });
}

/**
 * Handles `mfaSignIn:recover`, which Firebase does not have: signs in with a recovery code and notifies the owner by
 * mail.
 */
export async function signInByRecoveryCode(identity: Identity, { mfaPendingCredential, recoveryCode }: RecoverInput) {
  if (!recoveryCode) throw new Refusal("MISSING_CODE");
  return proveSecondFactor(identity, mfaPendingCredential, async (account) => {
    if (!(await takeRecoveryCode(identity, account.local_id, recoveryCode))) throw new Refusal("INVALID_CODE");
    await notifyOfRecovery(identity, account);
    return { kind: "recovery", factor_id: null };
  });
}

type Shown = { kind: SecondFactor; factor_id: string | null };

/**
 * Counts a guess at the second factor, checks it and opens the session. A right guess uses the pending credential up.
 */
async function proveSecondFactor(
  identity: Identity,
  credential: string | undefined,
  look: (account: Account, pending: Challenge<"second_factor">) => Promise<Shown>,
) {
  if (!credential) throw new Refusal("MISSING_MFA_PENDING_CREDENTIAL", "Please set MFA Pending Credential.");
  const pending = await countGuess(identity, "second_factor", credential);
  const account = await findPendingAccount(identity, pending);
  const attempt = await countSecondFactor(identity, account.local_id);
  const second_factor = await look(account, pending as Challenge<"second_factor">);
  const taken = await takeChallenge(identity, "second_factor", credential);
  if (!taken) throw new Refusal("INVALID_MFA_PENDING_CREDENTIAL");
  await forgetAttempts(identity, [attempt]).execute();
  const { sign_in_provider } = taken.detail;
  const { idToken, refreshToken } = await beginSession(identity, account, { sign_in_provider, second_factor });
  return { idToken, refreshToken };
}

/** Returns the account of a pending credential. Throws INVALID_MFA_PENDING_CREDENTIAL, USER_DISABLED. */
async function findPendingAccount(identity: Identity, pending: Challenge<"second_factor"> | null): Promise<Account> {
  const account = pending?.local_id ? await findAccount(identity, pending.local_id) : undefined;
  if (!account) throw new Refusal("INVALID_MFA_PENDING_CREDENTIAL");
  if (account.disabled) throw new Refusal("USER_DISABLED");
  // A new password or a sign-out of every device voids the first half.
  if (account.valid_since !== pending?.detail.valid_since) throw new Refusal("INVALID_MFA_PENDING_CREDENTIAL");
  return account;
}

/** Returns the second factor that the caller chose. Throws MFA_ENROLLMENT_NOT_FOUND. */
async function findPendingFactor(
  identity: Identity,
  account: Account,
  pending: Challenge<"second_factor"> | null,
  factor_id: string | undefined,
): Promise<Factor> {
  const factors = await listFactors(identity, account.local_id);
  const factor = factors.find((each) => each.factor_id === factor_id);
  if (!factor || !isDifferentTelephone(factor, account, pending?.detail.sign_in_provider ?? "")) {
    throw new Refusal("MFA_ENROLLMENT_NOT_FOUND");
  }
  return factor;
}

/**
 * Returns true for a valid TOTP code, and voids the codes of its time step and earlier steps. Throws
 * UNREADABLE_SECOND_FACTOR when ENCRYPTION_KEY is not the one of the enrolment.
 */
async function takeTotpCode({ db, env, now_ms }: Identity, factor: Factor, code: string): Promise<boolean> {
  if (!factor.sealed_secret) return false;
  // A restored site may have lost its ENCRYPTION_KEY. Its people need another way, and not an outage that never ends.
  const secret = await unseal(env, factor.local_id, factor.sealed_secret).catch((cause: unknown) => {
    throw new Refusal("UNREADABLE_SECOND_FACTOR", "The secret of this second factor cannot be read.", { cause });
  });
  const step = stepOfCode(secret, code, now_ms);
  if (step === null) return false;
  const taken = await db
    .updateTable("factors")
    .set({ last_step: step })
    .where("factor_id", "=", factor.factor_id)
    .where((eb) => eb.or([eb("last_step", "is", null), eb("last_step", "<", step)]))
    .returning("factor_id")
    .executeTakeFirst();
  return taken !== undefined;
}

async function notifyOfRecovery(identity: Identity, { local_id, email }: Account): Promise<void> {
  if (!email) return;
  const gaps = { codes_left: await countRecoveryCodes(identity, local_id) };
  await writeMail(identity, { kind: "recovery_code_used", recipient: email, local_id, gaps }).execute();
}
