import { isoTime } from "../../kernel/clock.ts";
import { randomSecret } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, Factor } from "../storage/schema.ts";
import { seal, unseal } from "../storage/sealing.ts";
import { tellSignedOut } from "../watch/tell.ts";
import { guessAt, isKnownChallenge, startChallenge, takeChallenge } from "./challenges.ts";
import { factorAddedMail, factorRemovedMail } from "./factor-copy.ts";
import type { FinalizeEnrolmentInput, StartEnrolmentInput, WithdrawFactorInput } from "./input.ts";
import type { MailCopy } from "./mail-copy.ts";
import { checkPhoneNumber, sendPhoneCode, takePhoneCode } from "./phone-codes.ts";
import { Refusal } from "./refusal.ts";
import { checkDisplayName } from "./rules.ts";
import {
  accountOfIdToken,
  newSession,
  openSession,
  type Proof,
  proofOfClaims,
  requireRecentProof,
  revokeSessions,
  sessionAnswer,
} from "./sessions.ts";
import { fromBase32, newTotpSecret, stepOfCode, TOTP } from "./totp.ts";

/**
 * Second factors: kept, taken on and given up. Both changes end every other sign-in and are told by mail.
 * Source: https://docs.cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment
 */

const MAX_FACTORS = 5;
const ENROLMENT_MS = 10 * 60 * 1000;

/** The account's second factors, the oldest first. */
export function listFactors({ db }: Identity, local_id: string): Promise<Factor[]> {
  return db
    .selectFrom("factors")
    .selectAll()
    .where("local_id", "=", local_id)
    .orderBy("enrolled_at")
    .orderBy("factor_id")
    .execute();
}

/** Firebase's MfaEnrollment; of a number the last four digits are shown. */
export function mfaInfoOf(factors: Factor[]) {
  return factors.map(({ factor_id, display_name, enrolled_at, phone_number }) => ({
    mfaEnrollmentId: factor_id,
    displayName: display_name ?? undefined,
    enrolledAt: enrolled_at,
    ...(phone_number ? { phoneInfo: maskedNumber(phone_number) } : { totpInfo: {} }),
  }));
}

/** `+*******5678`. */
function maskedNumber(phone_number: string): string {
  return phone_number.replace(/\d(?=\d{4})/g, "*");
}

/** `mfaEnrollment:start`. */
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
      verificationCodeLength: TOTP.digits,
      hashingAlgorithm: TOTP.algorithm,
      periodSec: TOTP.period_s,
      sessionInfo: await startChallenge(identity, challenge),
      finalizeEnrollmentTime: isoTime(identity.now_ms + ENROLMENT_MS),
    },
  };
}

/** `mfaEnrollment:finalize`. */
export async function finalizeEnrolment(identity: Identity, input: FinalizeEnrolmentInput) {
  const proof = await accountOfIdToken(identity, input.idToken);
  const display_name = checkDisplayName(input.displayName ?? "");
  const factor = await provenFactor(identity, proof.account, input);
  const answer = await addFactor(identity, proof, { ...factor, display_name });
  return { ...answer, ...(factor.kind === "totp" ? { totpAuthInfo: {} } : { phoneAuthInfo: {} }) };
}

type ProvenFactor = Pick<Factor, "kind" | "sealed_secret" | "last_step" | "phone_number">;

async function provenFactor(
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
  const challenge = await guessAt(identity, "totp_enrolment", totp.sessionInfo);
  if (!challenge) {
    const known = await isKnownChallenge(identity, "totp_enrolment", totp.sessionInfo);
    throw new Refusal(known ? "SESSION_EXPIRED" : "INVALID_SESSION_INFO");
  }
  if (challenge.local_id !== local_id) throw new Refusal("INVALID_SESSION_INFO");
  const { sealed_secret } = challenge.detail;
  const secret = fromBase32(await unseal(identity.env, local_id, sealed_secret));
  const last_step = await stepOfCode(secret, totp.verificationCode, identity.now_ms);
  if (last_step === null) throw new Refusal("INVALID_CODE");
  if (!(await takeChallenge(identity, "totp_enrolment", totp.sessionInfo))) throw new Refusal("SESSION_EXPIRED");
  return { kind: "totp", sealed_secret, last_step, phone_number: null };
}

/** All or nothing: the factor is there, every other sign-in is over, and a new one goes on that has shown it. */
async function addFactor(
  identity: Identity,
  { account, claims }: Proof,
  factor: ProvenFactor & Pick<Factor, "display_name">,
) {
  const { db, now } = identity;
  const { local_id, valid_since } = account;
  const factor_id = randomSecret();
  const session = await newSession(identity, local_id, {
    ...proofOfClaims(claims),
    second_factor: { kind: factor.kind, factor_id },
  });
  const [[added], [changed]] = await commit(
    identity,
    db
      .insertInto("factors")
      .columns([
        "factor_id",
        "local_id",
        "kind",
        "display_name",
        "sealed_secret",
        "last_step",
        "phone_number",
        "enrolled_at",
      ])
      .expression((eb) =>
        eb
          .selectFrom("accounts")
          .select([
            eb.val(factor_id).as("factor_id"),
            "local_id",
            eb.val(factor.kind).as("kind"),
            eb.val(factor.display_name).as("display_name"),
            eb.val(factor.sealed_secret).as("sealed_secret"),
            eb.val(factor.last_step).as("last_step"),
            eb.val(factor.phone_number).as("phone_number"),
            eb.val(now).as("enrolled_at"),
          ])
          .where("local_id", "=", local_id)
          .where("valid_since", "=", valid_since)
          .where("email_verified", "=", 1)
          .where("disabled", "=", 0),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning("factor_id"),
    db
      .updateTable("accounts")
      .set({ valid_since: now })
      .where("local_id", "in", (eb) =>
        eb.selectFrom("factors").select("factors.local_id").where("factor_id", "=", factor_id),
      )
      .returningAll(),
    revokeSessions(identity, local_id),
    ...openSession(identity, session, now),
    noticeMail(identity, account, factorAddedMail(nameOf(factor))),
  );
  if (!added || !changed) throw new Refusal("SECOND_FACTOR_EXISTS");
  tellSignedOut(identity, local_id);
  return sessionAnswer(identity, changed, session);
}

/** `mfaEnrollment:withdraw`. With the last factor its recovery codes go. */
export async function withdrawFactor(identity: Identity, input: WithdrawFactorInput) {
  const proof = await accountOfIdToken(identity, input.idToken);
  const { account, claims } = proof;
  requireRecentProof(identity, proof);
  if (!input.mfaEnrollmentId) throw new Refusal("MISSING_MFA_ENROLLMENT_ID");
  const factors = await listFactors(identity, account.local_id);
  const factor = factors.find(({ factor_id }) => factor_id === input.mfaEnrollmentId);
  if (!factor) throw new Refusal("MFA_ENROLLMENT_NOT_FOUND");

  const { db, now } = identity;
  const { local_id, valid_since } = account;
  const { second_factor, ...first } = proofOfClaims(claims);
  const shown = second_factor?.factor_id !== factor.factor_id ? second_factor : undefined;
  const session = await newSession(identity, local_id, { ...first, second_factor: shown });
  const [[changed]] = await commit(
    identity,
    db
      .updateTable("accounts")
      .set({ valid_since: now })
      .where("local_id", "=", local_id)
      .where("valid_since", "=", valid_since)
      .where("disabled", "=", 0)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("factors")
            .select("factor_id")
            .where("factor_id", "=", factor.factor_id)
            .whereRef("factors.local_id", "=", "accounts.local_id"),
        ),
      )
      .returningAll(),
    db
      .deleteFrom("factors")
      .where("factor_id", "=", factor.factor_id)
      .where("local_id", "in", (eb) =>
        eb
          .selectFrom("accounts")
          .select("accounts.local_id")
          .where("accounts.local_id", "=", local_id)
          .where("valid_since", "=", now),
      ),
    db
      .deleteFrom("recovery_codes")
      .where("local_id", "=", local_id)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("factors").select("factor_id").where("factors.local_id", "=", local_id))),
      ),
    revokeSessions(identity, local_id),
    ...openSession(identity, session, now),
    noticeMail(identity, account, factorRemovedMail(nameOf(factor), factors.length - 1)),
  );
  if (!changed) throw new Refusal("MFA_ENROLLMENT_NOT_FOUND");
  tellSignedOut(identity, local_id);
  return sessionAnswer(identity, changed, session);
}

function nameOf({ kind, display_name, phone_number }: Pick<Factor, "kind" | "display_name" | "phone_number">): string {
  const what = kind === "totp" ? "認証アプリ" : `SMS（${maskedNumber(phone_number ?? "")}）`;
  return display_name ? `${what} ${display_name}` : what;
}

/** The statement that tells the account's address, provided `valid_since` was set to this moment. */
function noticeMail({ db, now, now_ms }: Identity, account: Account, copy: MailCopy) {
  return db
    .insertInto("mails")
    .columns(["mail_id", "local_id", "recipient", "subject", "text", "created_at"])
    .expression((eb) =>
      eb
        .selectFrom("accounts")
        .select([
          eb.val(newId(now_ms)).as("mail_id"),
          "local_id",
          "email as recipient",
          eb.val(copy.subject).as("subject"),
          eb.val(copy.text).as("text"),
          eb.val(now).as("created_at"),
        ])
        .where("local_id", "=", account.local_id)
        .where("valid_since", "=", now)
        .where("email", "is not", null)
        .$narrowType<{ recipient: string }>(),
    );
}
