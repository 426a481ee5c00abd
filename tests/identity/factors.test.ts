import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  call2,
  changeCode,
  codeOf,
  factorsOf,
  newNumber,
  pendingOf,
  provenAccount,
  signedInBefore,
  textedCode,
  totpCode,
  withTotp,
} from "./factor-people.ts";
import { call, general, problemCode, refresh, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

interface TotpSession {
  sharedSecretKey: string;
  sessionInfo: string;
}
const startTotp = async (idToken: string) => {
  const { body } = await call2(identity, "mfaEnrollment:start", { idToken, totpEnrollmentInfo: {} });
  return body.totpSessionInfo as TotpSession;
};
const finalizeTotp = (idToken: string, sessionInfo: string, verificationCode: string) =>
  call2(identity, "mfaEnrollment:finalize", { idToken, totpVerificationInfo: { sessionInfo, verificationCode } });
const startPhone = (idToken: string, phoneNumber: string) =>
  call2(identity, "mfaEnrollment:start", { idToken, phoneEnrollmentInfo: { phoneNumber, recaptchaToken: "x" } });
const sessionOf = ({ body }: Awaited<ReturnType<typeof startPhone>>) =>
  (body.phoneSessionInfo as { sessionInfo: string }).sessionInfo;
const finalizePhone = (idToken: string, sessionInfo: string, code: string) =>
  call2(identity, "mfaEnrollment:finalize", { idToken, phoneVerificationInfo: { sessionInfo, code } });

async function mailsTo(email: string): Promise<{ kind: string; gaps: string }[]> {
  const response = await identity.fetch("/emulator/v1/projects/demo-ofuse/mails");
  const { mails } = (await response.json()) as { mails: { recipient: string; kind: string; gaps: string }[] };
  return mails.filter(({ recipient }) => recipient === email);
}

async function withPhone(email: string) {
  const { idToken } = await provenAccount(identity, email);
  const number = newNumber();
  const session = sessionOf(await startPhone(idToken, number));
  const { body } = await finalizePhone(idToken, session, await textedCode(identity, number));
  return { email, number, idToken: String(body.idToken) };
}

test("enrolling an authenticator app ends other sign-ins, keeps this one with the factor, and notifies the owner", async () => {
  const email = "enrols-totp@example.jp";
  const person = await provenAccount(identity, email);
  const elsewhere = await signIn(identity, email);
  const started = await call2(identity, "mfaEnrollment:start", { idToken: person.idToken, totpEnrollmentInfo: {} });
  expect(started.body.totpSessionInfo).toMatchObject({
    sharedSecretKey: expect.stringMatching(/^[A-Z2-7]{32,}$/),
    verificationCodeLength: 6,
    hashingAlgorithm: "SHA1",
    periodSec: 30,
    finalizeEnrollmentTime: expect.any(String),
  });
  const { sharedSecretKey, sessionInfo } = started.body.totpSessionInfo as TotpSession;
  const { body } = await call2(identity, "mfaEnrollment:finalize", {
    idToken: person.idToken,
    displayName: "iPhone",
    totpVerificationInfo: { sessionInfo, verificationCode: await totpCode(sharedSecretKey) },
  });
  expect(body).toMatchObject({ totpAuthInfo: {} });
  const [factor] = await factorsOf(identity, String(body.idToken));
  expect(factor).toMatchObject({ displayName: "iPhone", totpInfo: {} });
  expect(decodeJwt(String(body.idToken)).firebase).toMatchObject({
    sign_in_provider: "password",
    sign_in_second_factor: "totp",
    second_factor_identifier: factor?.mfaEnrollmentId,
  });
  expect((await refresh(identity, String(body.refreshToken))).status).toBe(200);
  for (const { refreshToken } of [person, elsewhere]) {
    expect((await refresh(identity, refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
  }
  expect((await mailsTo(email))[0]).toMatchObject({ kind: "factor_added" });
});

test("the stored secret is unreadable, and useless for another account", async () => {
  const [victim, thief] = [await withTotp(identity, "sealed@example.jp"), await withTotp(identity, "swaps@example.jp")];
  const readFactors = async () =>
    JSON.stringify((await identity.database.prepare("SELECT * FROM factors").all()).results);
  expect(await readFactors()).not.toContain(victim.secret);
  await identity.database
    .prepare(
      "UPDATE factors SET sealed_secret = (SELECT sealed_secret FROM factors WHERE factor_id = ?) WHERE factor_id = ?",
    )
    .bind(thief.factor_id, victim.factor_id)
    .run();
  const reply = await call2(identity, "mfaSignIn:finalize", {
    mfaPendingCredential: await pendingOf(identity, victim.email),
    mfaEnrollmentId: victim.factor_id,
    totpVerificationInfo: { verificationCode: await totpCode(thief.secret) },
  });
  expect(reply.body).not.toHaveProperty("idToken");
});

test("an enrolled telephone shows only its last digits", async () => {
  const { email, number, idToken } = await withPhone("enrols-sms@example.jp");
  const [factor] = await factorsOf(identity, idToken);
  expect(factor?.phoneInfo).toBe(`+********${number.slice(-4)}`);
  expect((await mailsTo(email))[0]?.gaps).not.toContain(number);
  expect(codeOf(await startPhone(idToken, number))).toBe("SECOND_FACTOR_EXISTS");
});

test("five wrong codes end an enrolment, even in parallel", async () => {
  const { idToken } = await provenAccount(identity, "five-wrong@example.jp");
  const { sharedSecretKey, sessionInfo } = await startTotp(idToken);
  const code = await totpCode(sharedSecretKey);
  const guesses = await Promise.all(
    Array.from({ length: 9 }, () => finalizeTotp(idToken, sessionInfo, changeCode(changeCode(changeCode(code))))),
  );
  expect(guesses.map(codeOf).sort()).toEqual([
    ...Array.from({ length: 5 }, () => "INVALID_CODE"),
    ...Array.from({ length: 4 }, () => "SESSION_EXPIRED"),
  ]);
  expect(codeOf(await finalizeTotp(idToken, sessionInfo, code))).toBe("SESSION_EXPIRED");
});

describe("an enrolment is refused", () => {
  test("if the address is not proven", async () => {
    const { idToken } = await signUp(identity, "unproven@example.jp");
    const reply = await call2(identity, "mfaEnrollment:start", { idToken, totpEnrollmentInfo: {} });
    expect(codeOf(reply)).toBe("UNVERIFIED_EMAIL");
    expect(codeOf(await startPhone(idToken, newNumber()))).toBe("UNVERIFIED_EMAIL");
  });

  test("if the sign-in is older than five minutes, or was by a custom token, which any ID token can create", async () => {
    const { localId, refreshToken, idToken } = await provenAccount(identity, "late@example.jp");
    const { token } = (await (await general(identity, "GET", "/auth/custom-token", idToken)).json()) as {
      token: string;
    };
    const custom = await call(identity, "signInWithCustomToken", { token, returnSecureToken: true });
    expect(codeOf(await startPhone(String(custom.body.idToken), newNumber()))).toBe("CREDENTIAL_TOO_OLD_LOGIN_AGAIN");
    await signedInBefore(identity, localId, 6 * 60_000);
    const { body } = await refresh(identity, refreshToken);
    expect(codeOf(await startPhone(String(body.id_token), newNumber()))).toBe("CREDENTIAL_TOO_OLD_LOGIN_AGAIN");
  });

  test("with the session or the code of another account, or of another use", async () => {
    const [mine, theirs] = [
      await provenAccount(identity, "mine@example.jp"),
      await provenAccount(identity, "theirs@example.jp"),
    ];
    const { sharedSecretKey, sessionInfo } = await startTotp(theirs.idToken);
    expect(codeOf(await finalizeTotp(mine.idToken, sessionInfo, await totpCode(sharedSecretKey)))).toBe(
      "INVALID_SESSION_INFO",
    );
    const number = newNumber();
    const session = sessionOf(await startPhone(theirs.idToken, number));
    const code = await textedCode(identity, number);
    expect(codeOf(await finalizePhone(mine.idToken, session, code))).toBe("INVALID_SESSION_INFO");
    // A code sent for enrolment must not sign in, and the other way round.
    expect(codeOf(await call(identity, "signInWithPhoneNumber", { sessionInfo: session, code }))).toBe(
      "INVALID_SESSION_INFO",
    );
    const { body } = await call(identity, "sendVerificationCode", { phoneNumber: number });
    const reply = await finalizePhone(theirs.idToken, String(body.sessionInfo), await textedCode(identity, number));
    expect(codeOf(reply)).toBe("INVALID_SESSION_INFO");
  });

  test("for a second app, and for a sixth factor", async () => {
    const { idToken } = await withTotp(identity, "many@example.jp");
    expect(codeOf(await call2(identity, "mfaEnrollment:start", { idToken, totpEnrollmentInfo: {} }))).toBe(
      "SECOND_FACTOR_EXISTS",
    );
    let token = idToken;
    for (let n = 0; n < 4; n++) {
      const number = newNumber();
      const session = sessionOf(await startPhone(token, number));
      token = String((await finalizePhone(token, session, await textedCode(identity, number))).body.idToken);
    }
    expect(codeOf(await startPhone(token, newNumber()))).toBe("SECOND_FACTOR_LIMIT_EXCEEDED");
  });
});

describe("removing a factor", () => {
  test("ends other sign-ins, deletes the recovery codes with the last factor, and notifies the owner", async () => {
    const { idToken, refreshToken, factor_id, email } = await withTotp(identity, "withdraws@example.jp");
    await general(identity, "POST", "/auth/recovery-codes", idToken);
    const { body } = await call2(identity, "mfaEnrollment:withdraw", { idToken, mfaEnrollmentId: factor_id });
    expect(decodeJwt(String(body.idToken)).firebase).not.toHaveProperty("sign_in_second_factor");
    expect(await factorsOf(identity, String(body.idToken))).toEqual([]);
    expect((await refresh(identity, refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
    expect((await mailsTo(email))[0]).toMatchObject({ kind: "factor_removed" });
    const counted = await general(identity, "GET", "/auth/recovery-codes", String(body.idToken));
    expect(await counted.json()).toEqual({ count: 0 });
    await signIn(identity, email);
  });

  test("is refused for another account's factor, and without a recent sign-in", async () => {
    const mine = await withTotp(identity, "keeps@example.jp");
    const theirs = await withTotp(identity, "keeps-too@example.jp");
    const withdrawFactor = (idToken: string) =>
      call2(identity, "mfaEnrollment:withdraw", { idToken, mfaEnrollmentId: theirs.factor_id });
    expect(codeOf(await withdrawFactor(mine.idToken))).toBe("MFA_ENROLLMENT_NOT_FOUND");
    await signedInBefore(identity, theirs.localId, 6 * 60_000);
    const { body } = await refresh(identity, theirs.refreshToken);
    expect(codeOf(await withdrawFactor(String(body.id_token)))).toBe("CREDENTIAL_TOO_OLD_LOGIN_AGAIN");
    expect(await factorsOf(identity, String(body.id_token))).toHaveLength(1);
  });
});

describe("recovery codes", () => {
  const makeCodes = async (idToken: string) => general(identity, "POST", "/auth/recovery-codes", idToken);

  test("are ten, random and readable, and new ones replace them", async () => {
    const { idToken } = await withTotp(identity, "recovery@example.jp");
    const made = await makeCodes(idToken);
    expect(made.status).toBe(201);
    const { codes } = (await made.json()) as { codes: string[] };
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){2}[0-9a-hjkmnp-tv-z]{4}$/);
    const { results } = await identity.database.prepare("SELECT * FROM recovery_codes").all();
    expect(JSON.stringify(results)).not.toContain(codes[0]);
    await makeCodes(idToken);
    expect(await (await general(identity, "GET", "/auth/recovery-codes", idToken)).json()).toEqual({ count: 10 });
  });

  test("are created only for an account with a second factor and a recent sign-in", async () => {
    const none = await provenAccount(identity, "no-factor@example.jp");
    const refused = await makeCodes(none.idToken);
    expect([refused.status, await problemCode(refused)]).toEqual([409, "second_factor_missing"]);
    const late = await withTotp(identity, "late-codes@example.jp");
    await signedInBefore(identity, late.localId, 6 * 60_000);
    const { body } = await refresh(identity, late.refreshToken);
    const too_late = await makeCodes(String(body.id_token));
    expect([too_late.status, await problemCode(too_late)]).toEqual([403, "recent_sign_in_required"]);
  });
});
