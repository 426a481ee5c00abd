import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call2, codeOf, pendingOf, totpCode, withTotp } from "./factor-people.ts";
import { call, PASSWORD, refresh, refusal, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

/**
 * What members can do after the clock was ahead for a while and has been set right. The tests move the rows that were
 * written meanwhile, because the worker's clock is the machine's.
 */

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity({ SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: "3" });
});
afterAll(() => identity.stop());

const AHEAD_DAYS = 365;
const moved = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, '+${AHEAD_DAYS} days')`;
const runSql = (sql: string, ...values: string[]) =>
  identity.database
    .prepare(sql)
    .bind(...values)
    .run();

/** Sets the clock right: the steps of the clock were last done in the future. */
async function mendClock(): Promise<void> {
  await identity.runScheduled();
  await runSql(`UPDATE clock_runs SET ended_at = ${moved("ended_at")}, done_at = ${moved("done_at")}`);
  await identity.runScheduled();
}

test("a member who changed her password and signed in meanwhile signs in again, and stays signed in", async () => {
  const email = "ahead@example.jp";
  const before = await signUp(identity, email);
  const { sub } = decodeJwt(before.idToken);
  await runSql(`UPDATE accounts SET valid_since = ${moved("valid_since")} WHERE local_id = ?`, String(sub));
  const meanwhile = await signIn(identity, email);
  await runSql(
    `UPDATE sign_ins SET signed_in_at = ${moved("signed_in_at")}, last_used_at = ${moved("last_used_at")}
      WHERE local_id = ? AND revoked_at IS NULL`,
    String(sub),
  );
  const lookUp = async (idToken: string) => refusal(identity, "lookup", { idToken });
  expect(await lookUp((await signIn(identity, email)).idToken)).toBe("TOKEN_EXPIRED");

  await mendClock();
  expect(await lookUp((await signIn(identity, email)).idToken)).toBeUndefined();
  expect((await refresh(identity, before.refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
  const refreshed = await refresh(identity, meanwhile.refreshToken);
  expect(refreshed.status).toBe(200);
  expect(await lookUp(String(refreshed.body.id_token))).toBeUndefined();
});

test("a code of the authenticator app is accepted again, and only once", async () => {
  const person = await withTotp(identity, "ahead-app@example.jp");
  const steps = (AHEAD_DAYS * 24 * 60 * 60) / 30;
  await runSql(
    "UPDATE factors SET last_step = unixepoch() / 30 + ? WHERE factor_id = ?",
    String(steps),
    person.factor_id,
  );
  const enterCode = async (verificationCode: string) =>
    call2(identity, "mfaSignIn:finalize", {
      mfaPendingCredential: await pendingOf(identity, person.email),
      mfaEnrollmentId: person.factor_id,
      totpVerificationInfo: { verificationCode },
    });
  expect(codeOf(await enterCode(await totpCode(person.secret, 0)))).toBe("INVALID_CODE");
  await mendClock();
  // The codes of the present step and before may have been used.
  const next = await totpCode(person.secret, 1);
  expect((await enterCode(next)).status).toBe(200);
  expect(codeOf(await enterCode(next))).toBe("INVALID_CODE");
});

test("wrong passwords of meanwhile lock the account for an hour, and not for as long as the clock was ahead", async () => {
  const email = "ahead-locked@example.jp";
  await signUp(identity, email);
  const enterWrong = () => refusal(identity, "signInWithPassword", { email, password: "a wrong guess" });
  for (let guess = 0; guess < 3; guess++) expect(await enterWrong()).toBe("INVALID_LOGIN_CREDENTIALS");
  await runSql(`UPDATE attempts SET attempted_at = ${moved("attempted_at")}`);
  await mendClock();
  expect(await enterWrong()).toBe("TOO_MANY_ATTEMPTS_TRY_LATER");
  // An hour passes.
  await runSql("UPDATE attempts SET attempted_at = strftime('%Y-%m-%dT%H:%M:%fZ', attempted_at, '-61 minutes')");
  expect((await call(identity, "signInWithPassword", { email, password: PASSWORD })).status).toBe(200);
});

test("the signing key is replaced after thirty days, although the last one was made meanwhile", async () => {
  const readKeys = async () =>
    (await identity.database.prepare("SELECT generation, created_at, signs_from FROM signing_keys").all()).results;
  await signUp(identity, "ahead-keys@example.jp");
  const [first] = await readKeys();
  await identity.database
    .prepare(
      `INSERT INTO signing_keys (generation, kid, public_jwk, sealed_private_jwk, signs_from, created_at)
        SELECT generation + 1, 'of-the-future', public_jwk, sealed_private_jwk, ${moved("signs_from")}, ${moved("created_at")}
        FROM signing_keys`,
    )
    .run();
  await mendClock();
  const keys = await readKeys();
  expect(keys).toHaveLength(2);
  const [, later] = keys;
  expect(keys[0]).toEqual(first);
  expect(Date.parse(String(later?.created_at))).toBeLessThanOrEqual(Date.now());
  const tomorrow_ms = Date.now() + 24 * 60 * 60 * 1000;
  expect(Date.parse(String(later?.signs_from))).toBeLessThanOrEqual(tomorrow_ms);
});
