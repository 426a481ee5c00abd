import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { waitUntil } from "../support/wait.ts";
import { provenAccount } from "./factor-people.ts";
import { call, mailedCode, PASSWORD, refresh, refusal, signIn, signUp } from "./people.ts";
import { ACTION_URL, type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

interface Mail {
  mail_id: string;
  recipient: string;
  kind: string;
  gaps: string;
  created_at: string;
}

async function mailsTo(recipient: string): Promise<Mail[]> {
  const response = await identity.fetch("/emulator/v1/projects/demo-ofuse/mails");
  const { mails } = (await response.json()) as { mails: Mail[] };
  return mails.filter((mail) => mail.recipient === recipient);
}

const expireCodes = (email: string) =>
  identity.database
    .prepare("UPDATE oob_codes SET expires_at = ? WHERE local_id = (SELECT local_id FROM accounts WHERE email = ?)")
    .bind(new Date(Date.now() - 1000).toISOString(), email)
    .run();

describe("verifying an address", () => {
  test("accepts one of 50 parallel uses of the code", async () => {
    const { idToken } = await signUp(identity, "verify@example.jp");
    await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
    const { oobCode } = await mailedCode(identity, "verify@example.jp");
    const replies = await Promise.all(Array.from({ length: 50 }, () => call(identity, "update", { oobCode, idToken })));
    const taken = replies.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(1);
    expect(taken[0]?.body).toMatchObject({ email: "verify@example.jp", emailVerified: true });
    expect(replies.filter(({ body }) => body.error?.message === "INVALID_OOB_CODE")).toHaveLength(49);
    const { body } = await call(identity, "lookup", { idToken });
    expect(body.users).toMatchObject([{ emailVerified: true }]);
  });

  test("refuses an expired code by its own error", async () => {
    const { idToken } = await signUp(identity, "late@example.jp");
    await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
    await expireCodes("late@example.jp");
    const { oobCode } = await mailedCode(identity, "late@example.jp");
    for (const name of ["resetPassword", "update", "update"]) {
      expect(await refusal(identity, name, { oobCode })).toBe("EXPIRED_OOB_CODE");
    }
    const { body } = await call(identity, "lookup", { idToken });
    expect(body.users).toMatchObject([{ emailVerified: false }]);
  });

  test("mails a link that leads to the action page", async () => {
    const { idToken } = await signUp(identity, "letter@example.jp");
    const continueUrl = new URL("/my?from=mail", ACTION_URL).href;
    await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken, continueUrl });
    const [mail] = await mailsTo("letter@example.jp");
    const { oobLink, oobCode, requestType } = await mailedCode(identity, "letter@example.jp");
    expect(requestType).toBe("VERIFY_EMAIL");
    expect(mail).toMatchObject({ kind: "verify_email", gaps: JSON.stringify({ link: oobLink }) });
    expect(oobLink).toBe(
      `${ACTION_URL}?mode=verifyEmail&oobCode=${oobCode}&apiKey=none&lang=ja&continueUrl=${encodeURIComponent(continueUrl)}`,
    );
  });

  test.each(["https://evil.example/", "//evil.example", "javascript:alert(1)", "http://localhost:8788@evil.example/"])(
    "drops the foreign continue URL %s",
    async (continueUrl) => {
      const email = "redirect@example.jp";
      await call(identity, "signUp", { email, password: PASSWORD });
      const { idToken } = await signIn(identity, email);
      await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken, continueUrl });
      expect((await mailedCode(identity, email)).oobLink).not.toContain("continueUrl");
    },
  );

  test("refuses a continue URL that makes the link longer than a mail may have", async () => {
    const email = "long@example.jp";
    const ask = (name: string) =>
      refusal(identity, "sendOobCode", {
        requestType: "EMAIL_SIGNIN",
        email,
        continueUrl: new URL(`/${name}`, ACTION_URL).href,
      });
    expect(await ask("a".repeat(2900))).toBeUndefined();
    const { oobLink } = await mailedCode(identity, email);
    expect(oobLink.length).toBeLessThan(4000);
    expect(await ask("a".repeat(3000))).toBe("INVALID_CONTINUE_URI");
    expect(await ask("%".repeat(1000))).toBe("INVALID_CONTINUE_URI");
  });

  test("keeps codes only as hashes", async () => {
    const { idToken } = await signUp(identity, "hashed@example.jp");
    await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
    const { oobCode } = await mailedCode(identity, "hashed@example.jp");
    const { results } = await identity.database.prepare("SELECT code_hash FROM oob_codes").all();
    expect(JSON.stringify(results)).not.toContain(oobCode);
  });
});

describe("resetting a password", () => {
  test("answers an unknown address like a known one and mails nothing", async () => {
    await signUp(identity, "someone@example.jp");
    const requestReset = (email: string) => call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email });
    const known = await requestReset("someone@example.jp");
    const unknown = await requestReset("no-one@example.jp");
    expect(unknown.status).toBe(known.status);
    expect(Object.keys(unknown.body)).toEqual(Object.keys(known.body));
    await requestReset("someone@example.jp");
    await waitUntil(async () => expect(await mailsTo("someone@example.jp")).toHaveLength(2));
    expect(await mailsTo("no-one@example.jp")).toEqual([]);
  });

  test("shows what the code is for, sets the password once, and ends every sign-in and the other codes", async () => {
    const email = "forgot@example.jp";
    const { refreshToken } = await provenAccount(identity, email);
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email });
    const older = await mailedCode(identity, email, { requestType: "PASSWORD_RESET" });
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email });
    const { oobCode } = await mailedCode(identity, email, { after: older.oobCode });

    const asked = await call(identity, "resetPassword", { oobCode });
    expect(asked.body).toEqual({ kind: "identitytoolkit#ResetPasswordResponse", email, requestType: "PASSWORD_RESET" });
    expect(await refusal(identity, "resetPassword", { oobCode, newPassword: "short" })).toMatch(/^WEAK_PASSWORD : /);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        call(identity, "resetPassword", { oobCode, newPassword: `new password ${n}` }),
      ),
    );
    const set = replies.findIndex(({ status }) => status === 200);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    await signIn(identity, email, `new password ${set}`);
    expect((await refresh(identity, refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
    expect(await refusal(identity, "resetPassword", { oobCode: older.oobCode, newPassword: PASSWORD })).toBe(
      "INVALID_OOB_CODE",
    );
  });

  test("refuses a code for verifying, and verifying refuses a code for resetting", async () => {
    const email = "crossed@example.jp";
    const { idToken } = await signUp(identity, email);
    await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
    const { oobCode } = await mailedCode(identity, email);
    expect(await refusal(identity, "resetPassword", { oobCode, newPassword: "another password" })).toBe(
      "INVALID_OOB_CODE",
    );
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email });
    const reset = await mailedCode(identity, email, { requestType: "PASSWORD_RESET" });
    expect(await refusal(identity, "update", { oobCode: reset.oobCode })).toBe("INVALID_OOB_CODE");
  });

  test("is refused after an hour", async () => {
    const email = "slow@example.jp";
    await signUp(identity, email);
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email });
    const { oobCode } = await mailedCode(identity, email);
    await expireCodes(email);
    expect(await refusal(identity, "resetPassword", { oobCode, newPassword: "another password" })).toBe(
      "EXPIRED_OOB_CODE",
    );
  });
});

test("a call with a missing or unknown field gets an error that names the field", async () => {
  expect(await refusal(identity, "sendOobCode", {})).toBe("MISSING_REQ_TYPE");
  expect(await refusal(identity, "sendOobCode", { requestType: "ACCOUNT_TAKEOVER" })).toBe("INVALID_REQ_TYPE");
  expect(await refusal(identity, "sendOobCode", { requestType: "VERIFY_EMAIL" })).toBe("MISSING_ID_TOKEN");
  expect(await refusal(identity, "sendOobCode", { requestType: "PASSWORD_RESET" })).toBe("MISSING_EMAIL");
  expect(await refusal(identity, "resetPassword", {})).toBe("MISSING_OOB_CODE");
});
