import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret } from "../../kernel/digest.ts";
import type { Identity } from "../storage/database.ts";
import type { Account, Factor } from "../storage/schema.ts";
import { seal, unseal } from "../storage/sealing.ts";
import { notifySignedOut } from "../watch/tell.ts";
import { countGuess, isKnownChallenge, startChallenge, takeChallenge } from "./challenges.ts";
import { commitIf, unchangedAccount } from "./commit.ts";
import type { FinalizeEnrolmentInput, StartEnrolmentInput, WithdrawFactorInput } from "./input.ts";
import { mailOwner } from "./owner-mails.ts";
import { checkPhoneNumber, sendPhoneCode, takePhoneCode } from "./phone-codes.ts";
import { Refusal } from "./refusal.ts";
import { checkDisplayName, maskNumber } from "./rules.ts";
import {
  accountOfIdToken,
  newSession,
  openSession,
  type Proof,
  proofOfClaims,
  requireRecentProof,
  revokeSessions,
  type Session,
  sessionAnswer,
} from "./sessions.ts";
import { newTotpSecret, stepOfCode, TOTP_SETTINGS } from "./totp.ts";

/**
 * Adds, lists and removes second factors. Adding or removing a factor ends every other sign-in, and a mail reports it.
 * Source: https://docs.cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment
 */

const MAX_FACTORS = 5;
const ENROLMENT_MS = 10 * 60 * 1000;

/** Lists the account's second factors, oldest first. */
export function listFactors({ db }: Identity, local_id: string): Promise<Factor[]> {
  return db
    .selectFrom("factors")
    .selectAll()
    .where("local_id", "=", local_id)
    .orderBy("enrolled_at")
    .orderBy("factor_id")
    .execute();
}

/** Returns Firebase's MfaEnrollment. It shows only the last four digits of a telephone number. */
export function mfaInfoOf(factors: Factor[]) {
  return factors.map(({ factor_id, display_name, enrolled_at, phone_number }) => ({
    mfaEnrollmentId: factor_id,
    displayName: display_name ?? undefined,
    enrolledAt: enrolled_at,
    ...(phone_number ? { phoneInfo: maskNumber(phone_number) } : { totpInfo: {} }),
  }));
}

/** Handles `mfaEnrollment:start`. */
export async function startEnrolment(identity: Identity, input: StartEnrolmentInput) {
  const proof = await accountOfIdToken(identity, input.idToken);
  const { account } = proof;
  requireRecentProof(identity, proof);
  if (!account.email || !account.email_verified) {
    throw new Refusal("UNVERIFIED_EMAIL", "Need to verify email first before enrolling second factors.");
  }
  const factors = await listFactors(identity, account.local_id);
  if (factors.length >= MAX_FACTORS) throw new Refusal("SECOND_FACTOR_LIMIT_EXCEEDED");
  if (input.phoneEnrollmentInfo) {
    const phone_number = checkPhoneNumber(input.phoneEnrollmentInfo.phoneNumber);
    if (factors.some((factor) => factor.phone_number === phone_number)) throw new Refusal("SECOND_FACTOR_EXISTS");
    const sessionInfo = await sendPhoneCode(identity, phone_number, account.local_id, { for: "enrolment" });
    return { phoneSessionInfo: { sessionInfo } };
  }
  if (!input.totpEnrollmentInfo) throw new Refusal("INVALID_ARGUMENT", "MFA provider not supported!");
  if (factors.some(({ kind }) => kind === "totp")) throw new Refusal("SECOND_FACTOR_EXISTS");
  return startTotpEnrolment(identity, account);
}

async function startTotpEnrolment(identity: Identity, { local_id }: Account) {
  const sharedSecretKey = newTotpSecret();
  const sealed_secret = await seal(identity.env, local_id, sharedSecretKey);
  const challenge = { kind: "totp_enrolment", local_id, detail: { sealed_secret }, life_ms: ENROLMENT_MS } as const;
  return {
    totpSessionInfo: {
      sharedSecretKey,
      verificationCodeLength: TOTP_SETTINGS.digits,
      hashingAlgorithm: TOTP_SETTINGS.algorithm,
      periodSec: TOTP_SETTINGS.period,
      sessionInfo: await startChallenge(identity, challenge),
      finalizeEnrollmentTime: isoTime(identity.now_ms + ENROLMENT_MS),
    },
  };
}

/** Handles `mfaEnrollment:finalize`. */
export async function finalizeEnrolment(identity: Identity, input: FinalizeEnrolmentInput) {
  const proof = await accountOfIdToken(identity, input.idToken);
  const display_name = checkDisplayName(input.displayName ?? "");
  const factor = await proveFactor(identity, proof.account, input);
  const answer = await addFactor(identity, proof, { ...factor, display_name });
  return { ...answer, ...(factor.kind === "totp" ? { totpAuthInfo: {} } : { phoneAuthInfo: {} }) };
}

type ProvenFactor = Pick<Factor, "kind" | "sealed_secret" | "last_step" | "phone_number">;

async function proveFactor(
  identity: Identity,
  { local_id }: Account,
  { totpVerificationInfo: totp, phoneVerificationInfo: phone }: FinalizeEnrolmentInput,
): Promise<ProvenFactor> {
  if (phone) {
    const { detail } = await takePhoneCode(
      identity,
      phone,
      (sent) => sent.local_id === local_id && sent.detail.for === "enrolment",
    );
    return { kind: "phone", phone_number: detail.phone_number, sealed_secret: null, last_step: null };
  }
  if (!totp) throw new Refusal("INVALID_ARGUMENT", "MFA provider not supported!");
  if (!totp.sessionInfo) throw new Refusal("MISSING_SESSION_INFO");
  if (!totp.verificationCode) throw new Refusal("MISSING_CODE");
  const challenge = await countGuess(identity, "totp_enrolment", totp.sessionInfo);
  if (!challenge) {
    const known = await isKnownChallenge(identity, "totp_enrolment", totp.sessionInfo);
    throw new Refusal(known ? "SESSION_EXPIRED" : "INVALID_SESSION_INFO");
  }
  if (challenge.local_id !== local_id) throw new Refusal("INVALID_SESSION_INFO");
  const { sealed_secret } = challenge.detail;
  const secret = await unseal(identity.env, local_id, sealed_secret);
  const last_step = stepOfCode(secret, totp.verificationCode, identity.now_ms);
  if (last_step === null) throw new Refusal("INVALID_CODE");
  if (!(await takeChallenge(identity, "totp_enrolment", totp.sessionInfo))) throw new Refusal("SESSION_EXPIRED");
  return { kind: "totp", sealed_secret, last_step, phone_number: null };
}

/** Adds the factor, ends every other sign-in and opens a new one that has passed the factor. */
async function addFactor(
  identity: Identity,
  { account, claims }: Proof,
  factor: ProvenFactor & Pick<Factor, "display_name">,
) {
  const { db, now } = identity;
  const { local_id } = account;
  const factor_id = randomSecret();
  const session = await newSession(identity, local_id, {
    ...proofOfClaims(claims),
    second_factor: { kind: factor.kind, factor_id },
  });
  // An account has at most one authenticator app, and each number once.
  const same = db
    .selectFrom("factors")
    .select("factor_id")
    .where("local_id", "=", local_id)
    .where("kind", "=", factor.kind)
    .where("phone_number", "is", factor.phone_number);
  const holds = sql`EXISTS ${unchangedAccount(identity, account).where("email_verified", "=", 1)} AND NOT EXISTS ${same}`;
  const [, [changed]] = await commitIf(
    identity,
    [{ code: "SECOND_FACTOR_EXISTS", holds }],
    db.insertInto("factors").values({ ...factor, factor_id, local_id, enrolled_at: now }),
    ...changeCredentials(identity, session),
    mailOwner(identity, account, "factor_added", { factor: nameOf(identity, factor) }),
  );
  notifySignedOut(identity, local_id);
  return sessionAnswer(identity, changed as Account, session);
}

/** Handles `mfaEnrollment:withdraw`. Removing the last factor deletes the account's recovery codes. */
export async function withdrawFactor(identity: Identity, input: WithdrawFactorInput) {
  const proof = await accountOfIdToken(identity, input.idToken);
  const { account, claims } = proof;
  requireRecentProof(identity, proof);
  if (!input.mfaEnrollmentId) throw new Refusal("MISSING_MFA_ENROLLMENT_ID");
  const factors = await listFactors(identity, account.local_id);
  const factor = factors.find(({ factor_id }) => factor_id === input.mfaEnrollmentId);
  if (!factor) throw new Refusal("MFA_ENROLLMENT_NOT_FOUND");

  const { db } = identity;
  const { local_id } = account;
  const { second_factor, ...first } = proofOfClaims(claims);
  const shown = second_factor?.factor_id !== factor.factor_id ? second_factor : undefined;
  const session = await newSession(identity, local_id, { ...first, second_factor: shown });
  const remaining = db.selectFrom("factors").select("factor_id").where("local_id", "=", local_id);
  const holds = sql`EXISTS ${unchangedAccount(identity, account)}
    AND EXISTS ${remaining.where("factor_id", "=", factor.factor_id)}`;
  const [, [changed]] = await commitIf(
    identity,
    [{ code: "MFA_ENROLLMENT_NOT_FOUND", holds }],
    db.deleteFrom("factors").where("factor_id", "=", factor.factor_id),
    ...changeCredentials(identity, session),
    db
      .deleteFrom("recovery_codes")
      .where("local_id", "=", local_id)
      .where(({ not, exists }) => not(exists(remaining))),
    mailOwner(identity, account, "factor_removed", {
      factor: nameOf(identity, factor),
      factors_left: factors.length - 1,
    }),
  );
  notifySignedOut(identity, local_id);
  return sessionAnswer(identity, changed as Account, session);
}

/**
 * Returns the statements that end every sign-in of the account and open this session. The first statement returns the
 * account.
 */
function changeCredentials(identity: Identity, session: Session) {
  const { db, now } = identity;
  const { local_id } = session;
  return [
    db.updateTable("accounts").set({ valid_since: now }).where("local_id", "=", local_id).returningAll(),
    revokeSessions(identity, local_id),
    ...openSession(identity, session, now),
  ] as const;
}

/** Returns what a mail calls the factor, in the language of the request. Its owner may have named it too. */
function nameOf(
  { client: { language } }: Identity,
  { kind, display_name, phone_number }: Pick<Factor, "kind" | "display_name" | "phone_number">,
): string {
  const app = { ja: "認証アプリ", en: "Authenticator app" }[language];
  const what = kind === "totp" ? app : `SMS ${maskNumber(phone_number ?? "")}`;
  return display_name ? `${what} ${display_name}` : what;
}
