import { afterAll, beforeAll, expect, test } from "vitest";
import { changeCode, codeOf, newNumber, textedCode } from "./factor-people.ts";
import { call, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

async function sendCode(phoneNumber: string): Promise<string> {
  const { status, body } = await call(identity, "sendVerificationCode", { phoneNumber, recaptchaToken: "ignored" });
  expect(status).toBe(200);
  return String(body.sessionInfo);
}
const enterCode = (sessionInfo: string, code: string, more = {}) =>
  call(identity, "signInWithPhoneNumber", { sessionInfo, code, ...more });
const claimsOf = (token: unknown) => JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString());

test("a number signs up, and then signs in to the same account, which has no address", async () => {
  const number = newNumber();
  const first = await enterCode(await sendCode(number), await textedCode(identity, number));
  expect(first.body).toMatchObject({ isNewUser: true, phoneNumber: number });
  const claims = claimsOf(first.body.idToken);
  expect(claims).toMatchObject({
    phone_number: number,
    firebase: { sign_in_provider: "phone", identities: { phone: [number] } },
  });
  expect(claims).not.toHaveProperty("email");
  const second = await enterCode(await sendCode(number), await textedCode(identity, number));
  expect(second.body).toMatchObject({ isNewUser: false, localId: first.body.localId });
});

test("a code works once, and only with its session", async () => {
  const number = newNumber();
  const session = await sendCode(number);
  const code = await textedCode(identity, number);
  const other = await sendCode(newNumber());
  if (code !== (await textedCode(identity, number))) throw new Error("both numbers got the same code");
  const parallel = await Promise.all([1, 2, 3, 4].map(() => enterCode(session, code)));
  expect(parallel.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(codeOf(await enterCode(session, code))).toBe("INVALID_SESSION_INFO");
  expect(codeOf(await enterCode(other, code))).toBe("INVALID_CODE");
  expect(codeOf(await enterCode("never given", code))).toBe("INVALID_SESSION_INFO");
});

test("five wrong codes end a session, even in parallel, and the right code is then refused", async () => {
  const number = newNumber();
  const session = await sendCode(number);
  const code = await textedCode(identity, number);
  const guesses = await Promise.all(Array.from({ length: 12 }, () => enterCode(session, changeCode(code))));
  expect(guesses.map(codeOf).sort()).toEqual([
    ...Array.from({ length: 5 }, () => "INVALID_CODE"),
    ...Array.from({ length: 7 }, () => "SESSION_EXPIRED"),
  ]);
  expect(codeOf(await enterCode(session, code))).toBe("SESSION_EXPIRED");
});

test("a code expires after five minutes", async () => {
  const number = newNumber();
  const session = await sendCode(number);
  const row = await identity.database
    .prepare("SELECT created_at, expires_at FROM challenges ORDER BY created_at DESC, rowid DESC LIMIT 1")
    .first<{ created_at: string; expires_at: string }>();
  expect(Date.parse(row?.expires_at ?? "") - Date.parse(row?.created_at ?? "")).toBe(5 * 60_000);
  await identity.database.prepare("UPDATE challenges SET expires_at = ?").bind(new Date().toISOString()).run();
  expect(codeOf(await enterCode(session, await textedCode(identity, number)))).toBe("SESSION_EXPIRED");
});

test("the stored rows reveal neither the code nor the session", async () => {
  const number = newNumber();
  const session = await sendCode(number);
  const code = await textedCode(identity, number);
  const { results } = await identity.database.prepare("SELECT * FROM challenges").all();
  expect(JSON.stringify(results)).not.toContain(session);
  expect(JSON.stringify(results)).not.toMatch(new RegExp(`"${code}"`));
});

test.each(["", "090-1234-5678", "+0901234567", "+81", "+8190123456789012", "+819012345678x", "+81\n9012345678<"])(
  "%j is refused as a number",
  async (phoneNumber) => {
    expect(codeOf(await call(identity, "sendVerificationCode", { phoneNumber }))).toBe("INVALID_PHONE_NUMBER");
  },
);

test("a number is linked to the signed-in account, whose sign-in stays valid, and to no other", async () => {
  const number = newNumber();
  const { idToken, localId } = await signUp(identity, "links-a-number@example.jp");
  const linked = await enterCode(await sendCode(number), await textedCode(identity, number), { idToken });
  expect(linked.body).toMatchObject({ isNewUser: false, localId });
  const [before, after] = [claimsOf(idToken), claimsOf(linked.body.idToken)];
  expect(after).toMatchObject({ phone_number: number, auth_time: before.auth_time });
  expect(after.keyForGlobalSignOut).toBe(before.keyForGlobalSignOut);
  const other = await signUp(identity, "wants-the-number@example.jp");
  const taken = await enterCode(await sendCode(number), await textedCode(identity, number), { idToken: other.idToken });
  expect(codeOf(taken)).toBe("PHONE_NUMBER_EXISTS");
  expect((await enterCode(await sendCode(number), await textedCode(identity, number))).body.localId).toBe(localId);
});

test("reauthentication creates no account", async () => {
  const number = newNumber();
  const reply = await enterCode(await sendCode(number), await textedCode(identity, number), { operation: "REAUTH" });
  expect(codeOf(reply)).toBe("USER_NOT_FOUND");
});

test("a disabled account cannot sign in by its number", async () => {
  const number = newNumber();
  const { body } = await enterCode(await sendCode(number), await textedCode(identity, number));
  await identity.database.prepare("UPDATE accounts SET disabled = 1 WHERE local_id = ?").bind(body.localId).run();
  expect(codeOf(await enterCode(await sendCode(number), await textedCode(identity, number)))).toBe("USER_DISABLED");
});
