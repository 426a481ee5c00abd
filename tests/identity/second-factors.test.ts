import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { seal } from "../../workers/identity/storage/sealing.ts";
import { waitUntil } from "../support/wait.ts";
import {
  call2,
  changeCode,
  codeOf,
  type Enrolled,
  forgetSteps,
  newNumber,
  pendingOf,
  textedCode,
  totpCode,
  withTotp,
} from "./factor-people.ts";
import { call, general, type Reply } from "./people.ts";
import { type RunningIdentity, startIdentity, unbound } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const finishSignIn = (pending: string, { factor_id }: Pick<Enrolled, "factor_id">, verificationCode: string) =>
  call2(identity, "mfaSignIn:finalize", {
    mfaPendingCredential: pending,
    mfaEnrollmentId: factor_id,
    totpVerificationInfo: { verificationCode },
  });
const successesOf = (replies: Reply[]) => replies.filter(({ status }) => status === 200);
const runSql = (sql: string, ...values: string[]) =>
  identity.database
    .prepare(sql)
    .bind(...values)
    .run();

/** Enrols a telephone as well. Returns the account's newest token and the number. */
async function addPhone(idToken: string) {
  const number = newNumber();
  const started = await call2(identity, "mfaEnrollment:start", {
    idToken,
    phoneEnrollmentInfo: { phoneNumber: number },
  });
  const { sessionInfo } = started.body.phoneSessionInfo as { sessionInfo: string };
  const code = await textedCode(identity, number);
  const { body } = await call2(identity, "mfaEnrollment:finalize", {
    idToken,
    phoneVerificationInfo: { sessionInfo, code },
  });
  const { second_factor_identifier } = decodeJwt(String(body.idToken)).firebase as { second_factor_identifier: string };
  return { idToken: String(body.idToken), number, factor_id: second_factor_identifier };
}

test("a password alone issues no token; with the app's code it does, and the token says so", async () => {
  const person = await withTotp(identity, "two-steps@example.jp");
  const { email } = person;
  const { body } = await call(identity, "signInWithPassword", { email, password: "correct horse battery" });
  expect(body).toMatchObject({
    localId: person.localId,
    mfaInfo: [{ mfaEnrollmentId: person.factor_id, displayName: "スマートフォン", totpInfo: {} }],
  });
  expect(body).not.toHaveProperty("idToken");
  expect(body).not.toHaveProperty("refreshToken");
  const reply = await finishSignIn(String(body.mfaPendingCredential), person, await totpCode(person.secret));
  expect(decodeJwt(String(reply.body.idToken)).firebase).toMatchObject({
    sign_in_provider: "password",
    sign_in_second_factor: "totp",
    second_factor_identifier: person.factor_id,
  });
});

test("a code works once, even with another pending credential or in parallel", async () => {
  const person = await withTotp(identity, "replay@example.jp");
  const pendings = await Promise.all([1, 2, 3, 4].map(() => pendingOf(identity, person.email)));
  const code = await totpCode(person.secret);
  const replies = await Promise.all(pendings.map((pending) => finishSignIn(pending, person, code)));
  expect(successesOf(replies)).toHaveLength(1);
  expect(codeOf(await finishSignIn(await pendingOf(identity, person.email), person, code))).toBe("INVALID_CODE");
  // The code also voids older ones, but not the next.
  expect(
    codeOf(await finishSignIn(await pendingOf(identity, person.email), person, await totpCode(person.secret, -1))),
  ).toBe("INVALID_CODE");
  const next = await finishSignIn(await pendingOf(identity, person.email), person, await totpCode(person.secret, 1));
  expect(next.status).toBe(200);
});

test("the code that enrolled the app does not sign in as well", async () => {
  const person = await withTotp(identity, "enrol-replay@example.jp");
  await identity.database
    .prepare("UPDATE factors SET last_step = ? WHERE factor_id = ?")
    .bind(Math.floor(Date.now() / 30_000) + 1, person.factor_id)
    .run();
  const reply = await finishSignIn(await pendingOf(identity, person.email), person, await totpCode(person.secret));
  expect(codeOf(reply)).toBe("INVALID_CODE");
});

test("a pending credential allows one sign-in and five guesses", async () => {
  const person = await withTotp(identity, "five@example.jp");
  const used = await pendingOf(identity, person.email);
  expect((await finishSignIn(used, person, await totpCode(person.secret))).status).toBe(200);
  await forgetSteps(identity);
  expect(codeOf(await finishSignIn(used, person, await totpCode(person.secret)))).toBe(
    "INVALID_MFA_PENDING_CREDENTIAL",
  );
  const guessed = await pendingOf(identity, person.email);
  const bad = changeCode(changeCode(changeCode(await totpCode(person.secret))));
  const replies = await Promise.all(Array.from({ length: 9 }, () => finishSignIn(guessed, person, bad)));
  expect(replies.map(codeOf).sort()).toEqual([
    ...Array.from({ length: 5 }, () => "INVALID_CODE"),
    ...Array.from({ length: 4 }, () => "INVALID_MFA_PENDING_CREDENTIAL"),
  ]);
  expect(codeOf(await finishSignIn(guessed, person, await totpCode(person.secret)))).toBe(
    "INVALID_MFA_PENDING_CREDENTIAL",
  );
});

describe("a pending credential is void", () => {
  test.each<[string, (person: Enrolled) => Promise<unknown>, string]>([
    [
      "once the account is disabled",
      ({ localId }) => runSql("UPDATE accounts SET disabled = 1 WHERE local_id = ?", localId),
      "USER_DISABLED",
    ],
    [
      "once the password has changed",
      ({ idToken }) => call(identity, "update", { idToken, password: "another password", returnSecureToken: true }),
      "INVALID_MFA_PENDING_CREDENTIAL",
    ],
    [
      "once every device was signed out",
      ({ idToken }) => general(identity, "DELETE", "/auth/refresh-token", idToken),
      "INVALID_MFA_PENDING_CREDENTIAL",
    ],
    [
      "once the account is deleted",
      ({ idToken }) => general(identity, "POST", "/users/unsubscribe", idToken),
      "INVALID_MFA_PENDING_CREDENTIAL",
    ],
    [
      "after ten minutes",
      () => runSql("UPDATE challenges SET expires_at = ?", new Date().toISOString()),
      "INVALID_MFA_PENDING_CREDENTIAL",
    ],
  ])("%s", async (name, change, code) => {
    const person = await withTotp(identity, `${name.replaceAll(" ", "-")}@example.jp`);
    const pending = await pendingOf(identity, person.email);
    await change(person);
    expect(codeOf(await finishSignIn(pending, person, await totpCode(person.secret)))).toBe(code);
  });
});

test("another account's factor, or its code, is refused", async () => {
  const [mine, theirs] = [await withTotp(identity, "m@example.jp"), await withTotp(identity, "t@example.jp")];
  const pending = await pendingOf(identity, theirs.email);
  expect(codeOf(await finishSignIn(pending, mine, await totpCode(mine.secret)))).toBe("MFA_ENROLLMENT_NOT_FOUND");
  expect(codeOf(await finishSignIn(pending, theirs, await totpCode(mine.secret)))).toBe("INVALID_CODE");
});

describe("a second factor by SMS", () => {
  const startSms = (pending: string, factor_id: string) =>
    call2(identity, "mfaSignIn:start", { mfaPendingCredential: pending, mfaEnrollmentId: factor_id });
  const sessionOf = ({ body }: Reply) => (body.phoneResponseInfo as { sessionInfo: string }).sessionInfo;
  const enterCode = (pending: string, sessionInfo: string, code: string) =>
    call2(identity, "mfaSignIn:finalize", {
      mfaPendingCredential: pending,
      phoneVerificationInfo: { sessionInfo, code },
    });

  test("the code sent to the factor signs in, once, and only its own sign-in", async () => {
    const person = await withTotp(identity, "sms@example.jp");
    const { number, factor_id } = await addPhone(person.idToken);
    const [pending, other] = [await pendingOf(identity, person.email), await pendingOf(identity, person.email)];
    const session = sessionOf(await startSms(pending, factor_id));
    const code = await textedCode(identity, number);
    expect(codeOf(await enterCode(other, session, code))).toBe("INVALID_SESSION_INFO");
    const reply = await enterCode(pending, session, code);
    expect(decodeJwt(String(reply.body.idToken)).firebase).toMatchObject({
      sign_in_second_factor: "phone",
      second_factor_identifier: factor_id,
    });
    expect(codeOf(await enterCode(other, session, code))).toBe("INVALID_SESSION_INFO");
    // An app has no telephone to send to.
    expect(codeOf(await startSms(other, person.factor_id))).toBe("INVALID_ARGUMENT");
  });

  test("the telephone of the first factor does not count as the second", async () => {
    const person = await withTotp(identity, "one-phone@example.jp");
    const { number, idToken, factor_id } = await addPhone(person.idToken);
    const sendCode = async () => {
      const { body } = await call(identity, "sendVerificationCode", { phoneNumber: number });
      return { sessionInfo: body.sessionInfo, code: await textedCode(identity, number) };
    };
    await call(identity, "signInWithPhoneNumber", { ...(await sendCode()), idToken });
    const asked = await call(identity, "signInWithPhoneNumber", await sendCode());
    expect(asked.body.mfaInfo).toMatchObject([{ mfaEnrollmentId: person.factor_id }]);
    expect(codeOf(await startSms(String(asked.body.mfaPendingCredential), factor_id))).toBe("MFA_ENROLLMENT_NOT_FOUND");
    await runSql("DELETE FROM factors WHERE factor_id = ?", person.factor_id);
    expect(codeOf(await call(identity, "signInWithPhoneNumber", await sendCode()))).toBe("UNSUPPORTED_FIRST_FACTOR");
  });
});

describe("a recovery code", () => {
  const enterRecoveryCode = (pending: string, recoveryCode: string) =>
    call2(identity, "mfaSignIn:recover", { mfaPendingCredential: pending, recoveryCode });
  const codesOf = async ({ idToken }: Enrolled) =>
    ((await (await general(identity, "POST", "/auth/recovery-codes", idToken)).json()) as { codes: [string, string] })
      .codes;

  test("signs in once, however it is typed, and notifies the owner", async () => {
    const person = await withTotp(identity, "lost@example.jp");
    const [code] = await codesOf(person);
    const typed = ` ${code.toUpperCase().replaceAll("-", " ").replaceAll("0", "O").replaceAll("1", "l")}`;
    const pendings = await Promise.all([1, 2, 3].map(() => pendingOf(identity, person.email)));
    const replies = await Promise.all(pendings.map((pending) => enterRecoveryCode(pending, typed)));
    expect(successesOf(replies)).toHaveLength(1);
    const firebase = decodeJwt(String(successesOf(replies)[0]?.body.idToken)).firebase;
    expect(firebase).toMatchObject({ sign_in_second_factor: "recovery" });
    expect(codeOf(await enterRecoveryCode(await pendingOf(identity, person.email), code))).toBe("INVALID_CODE");
    const { mails } = (await (await identity.fetch("/emulator/v1/projects/demo-ofuse/mails")).json()) as {
      mails: { recipient: string; kind: string; gaps: string }[];
    };
    expect(mails.find(({ recipient }) => recipient === person.email)).toMatchObject({
      kind: "recovery_code_used",
      gaps: JSON.stringify({ codes_left: 9 }),
    });
  });

  test("signs in when the app's secret cannot be read, which is a refusal and a line of the log", async () => {
    const person = await withTotp(identity, "lost-key@example.jp");
    const [code] = await codesOf(person);
    const lost = { ...identity.bindings, ...unbound, DB: identity.database, ENCRYPTION_KEY: "another key" };
    await runSql(
      "UPDATE factors SET sealed_secret = ? WHERE factor_id = ?",
      await seal(lost, person.localId, person.secret),
      person.factor_id,
    );
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const pending = await pendingOf(identity, person.email);
    const refused = await finishSignIn(pending, person, await totpCode(person.secret));
    expect([refused.status, codeOf(refused)]).toEqual([400, "UNREADABLE_SECOND_FACTOR"]);
    const request_id = refused.headers.get("x-request-id");
    await waitUntil(() => expect(String(logged.mock.calls)).toContain(String(request_id)));
    expect(String(logged.mock.calls)).toContain("JWEDecryptionFailed");
    logged.mockRestore();
    expect((await enterRecoveryCode(pending, code)).status).toBe(200);
  });

  test("is refused for another account, or after its replacement", async () => {
    const [mine, theirs] = [await withTotp(identity, "r1@example.jp"), await withTotp(identity, "r2@example.jp")];
    const [old] = await codesOf(theirs);
    await codesOf(theirs);
    const [foreign] = await codesOf(mine);
    const pending = await pendingOf(identity, theirs.email);
    for (const code of [old, foreign, "", "0000-0000-0000"]) {
      expect((await enterRecoveryCode(pending, code)).body, code).not.toHaveProperty("idToken");
    }
  });
});

test("guesses are limited for the account over all pending credentials, and right codes do not count", async () => {
  const strict = await startIdentity({ SECOND_FACTOR_FAILURES_PER_ACCOUNT_HOUR: "6" });
  try {
    const person = await withTotp(strict, "guessed@example.jp");
    const enterCode = async (code: string) =>
      call2(strict, "mfaSignIn:finalize", {
        mfaPendingCredential: await pendingOf(strict, person.email),
        mfaEnrollmentId: person.factor_id,
        totpVerificationInfo: { verificationCode: code },
      });
    for (let n = 0; n < 8; n++) {
      expect((await enterCode(await totpCode(person.secret))).status).toBe(200);
      await forgetSteps(strict);
    }
    const bad = changeCode(changeCode(changeCode(await totpCode(person.secret))));
    const replies = await Promise.all(Array.from({ length: 10 }, () => enterCode(bad)));
    expect(replies.map(codeOf).sort()).toEqual([
      ...Array.from({ length: 6 }, () => "INVALID_CODE"),
      ...Array.from({ length: 4 }, () => "TOO_MANY_ATTEMPTS_TRY_LATER"),
    ]);
    expect(codeOf(await enterCode(await totpCode(person.secret)))).toBe("TOO_MANY_ATTEMPTS_TRY_LATER");
  } finally {
    await strict.stop();
  }
});

test("a stranger with the password who guesses at the factor does not lock out known networks", async () => {
  const strict = await startIdentity({ SECOND_FACTOR_FAILURES_PER_ACCOUNT_HOUR: "6" });
  try {
    const person = await withTotp(strict, "besieged@example.jp");
    const enterFrom = async (address: string, code: string) => {
      const input = {
        mfaPendingCredential: await pendingOf(strict, person.email),
        mfaEnrollmentId: person.factor_id,
        totpVerificationInfo: { verificationCode: code },
      };
      const reply = await call2(strict, "mfaSignIn:finalize", input, { "cf-connecting-ip": address });
      await forgetSteps(strict);
      return codeOf(reply);
    };
    const [home, elsewhere] = ["192.0.2.1", "198.51.100.1"];
    expect(await enterFrom(home, await totpCode(person.secret))).toBeUndefined();
    const bad = changeCode(changeCode(changeCode(await totpCode(person.secret))));
    for (let n = 0; n < 6; n++) expect(await enterFrom(elsewhere, bad)).toBe("INVALID_CODE");
    expect(await enterFrom(elsewhere, await totpCode(person.secret))).toBe("TOO_MANY_ATTEMPTS_TRY_LATER");
    expect(await enterFrom(home, await totpCode(person.secret))).toBeUndefined();
    for (let n = 0; n < 6; n++) await enterFrom(home, bad);
    expect(await enterFrom(home, bad), "known networks have a limit too").toBe("TOO_MANY_ATTEMPTS_TRY_LATER");
  } finally {
    await strict.stop();
  }
});

test("codes are limited for a number, and one address cannot use up the limit", async () => {
  const strict = await startIdentity({
    CODES_PER_NUMBER_HOUR: "6",
    CODES_PER_NUMBER_AND_ADDRESS_HOUR: "3",
    CODES_PER_ADDRESS_HOUR: "5",
  });
  try {
    const number = newNumber();
    const sendCode = (address: string, phoneNumber = number) =>
      call(strict, "sendVerificationCode", { phoneNumber }, { "cf-connecting-ip": address });
    const flood = await Promise.all(Array.from({ length: 5 }, () => sendCode("192.0.2.1")));
    expect(successesOf(flood)).toHaveLength(3);
    expect((await sendCode("192.0.2.2")).status).toBe(200);
    expect(successesOf(await Promise.all([1, 2, 3, 4].map(() => sendCode("192.0.2.3"))))).toHaveLength(2);
    expect(codeOf(await sendCode("192.0.2.4"))).toBe("TOO_MANY_ATTEMPTS_TRY_LATER");
    const others = await Promise.all(Array.from({ length: 7 }, () => sendCode("192.0.2.5", newNumber())));
    expect(successesOf(others)).toHaveLength(5);
  } finally {
    await strict.stop();
  }
});
