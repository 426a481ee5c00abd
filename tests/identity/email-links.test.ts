import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, general, mailedCode, PASSWORD, refresh, refusal, type SignedIn, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const requestLink = (email: string) => call(identity, "sendOobCode", { requestType: "EMAIL_SIGNIN", email });
const openLink = (email: string, oobCode: string, idToken?: string) =>
  call(identity, "signInWithEmailLink", { email, oobCode, idToken });
const lookUpUser = async (idToken: unknown) => {
  const { body } = await call(identity, "lookup", { idToken });
  return (body.users as { emailVerified: boolean; passwordHash?: string; localId: string }[])[0];
};

async function mailedLinkCode(email: string, after?: string): Promise<string> {
  await requestLink(email);
  return (await mailedCode(identity, email, { requestType: "EMAIL_SIGNIN", after })).oobCode;
}

async function signUpProven(email: string): Promise<SignedIn> {
  const person = await signUp(identity, email);
  await identity.database.prepare("UPDATE accounts SET email_verified = 1 WHERE email = ?").bind(email).run();
  return person;
}

describe("an e-mail link", () => {
  test("is requested with the same answer for every address, and identifies itself in Firebase's terms", async () => {
    await signUp(identity, "known@example.jp");
    const [known, unknown] = [await requestLink("known@example.jp"), await requestLink("unknown@example.jp")];
    expect([known.status, unknown.status]).toEqual([200, 200]);
    expect(Object.keys(known.body)).toEqual(Object.keys(unknown.body));
    const [one, other] = await Promise.all(
      ["known@example.jp", "unknown@example.jp"].map((email) => mailedCode(identity, email)),
    );
    const link = new URL(String(one?.oobLink));
    expect(Object.fromEntries(link.searchParams)).toMatchObject({ mode: "signIn", lang: "ja", oobCode: one?.oobCode });
    expect(link.searchParams.get("apiKey")).toBe(new URL(String(other?.oobLink)).searchParams.get("apiKey"));
  });

  test("creates an account with a proven address, once for parallel requests", async () => {
    const email = "new@example.jp";
    const oobCode = await mailedLinkCode(email);
    const replies = await Promise.all(Array.from({ length: 20 }, () => openLink(email, oobCode)));
    const [taken, ...more] = replies.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect(replies.filter(({ body }) => body.error?.message === "INVALID_OOB_CODE")).toHaveLength(19);
    expect(taken?.body).toEqual({
      kind: "identitytoolkit#EmailLinkSigninResponse",
      email,
      localId: expect.stringMatching(/^\w{28}$/),
      isNewUser: true,
      idToken: expect.any(String),
      refreshToken: expect.any(String),
      expiresIn: "3600",
    });
    expect(decodeJwt(String(taken?.body.idToken))).toMatchObject({ email, email_verified: true });
    expect(decodeJwt(String(taken?.body.idToken)).firebase).toMatchObject({ sign_in_provider: "password" });
    const account = await lookUpUser(taken?.body.idToken);
    expect(account).toMatchObject({ emailVerified: true });
    expect(account).not.toHaveProperty("passwordHash");
    const again = await openLink(email, await mailedLinkCode(email, oobCode));
    expect(again.body).toMatchObject({ localId: taken?.body.localId, isNewUser: false });
  });

  test("signs in to a proven account and keeps its password and sign-ins", async () => {
    const email = "proven@example.jp";
    const person = await signUpProven(email);
    const { body } = await openLink(email, await mailedLinkCode(email));
    expect(body).toMatchObject({ localId: person.localId, isNewUser: false });
    expect((await refresh(identity, person.refreshToken)).status).toBe(200);
    await signIn(identity, email);
  });

  test("requires the address it was mailed to, and another address does not use it up", async () => {
    const email = "mine@example.jp";
    const oobCode = await mailedLinkCode(email);
    expect(await refusal(identity, "signInWithEmailLink", { email: "yours@example.jp", oobCode })).toBe(
      "INVALID_EMAIL : The email provided does not match the sign-in email address.",
    );
    expect((await call(identity, "resetPassword", { oobCode })).body).toEqual({
      kind: "identitytoolkit#ResetPasswordResponse",
      requestType: "EMAIL_SIGNIN",
    });
    expect((await openLink(" Mine@Example.jp ", oobCode)).status).toBe(200);
  });

  test("voids the older links when it is used, and expires after an hour", async () => {
    const email = "older@example.jp";
    const older = await mailedLinkCode(email);
    const newer = await mailedLinkCode(email, older);
    expect((await openLink(email, newer)).status).toBe(200);
    expect((await openLink(email, older)).body.error?.message).toBe("INVALID_OOB_CODE");
    const late = await mailedLinkCode(email, newer);
    await identity.database
      .prepare("UPDATE oob_codes SET expires_at = ? WHERE email = ?")
      .bind(new Date(Date.now() - 1000).toISOString(), email)
      .run();
    expect((await openLink(email, late)).body.error?.message).toBe("EXPIRED_OOB_CODE");
  });

  test("does not sign in to a disabled account, and does nothing but sign in", async () => {
    const email = "barred@example.jp";
    await signUp(identity, email);
    await identity.database.prepare("UPDATE accounts SET disabled = 1 WHERE email = ?").bind(email).run();
    const oobCode = await mailedLinkCode(email);
    expect((await openLink(email, oobCode)).body.error?.message).toBe("USER_DISABLED");
    expect(await refusal(identity, "update", { oobCode })).toBe("INVALID_OOB_CODE");
    expect(await refusal(identity, "resetPassword", { oobCode, newPassword: "a new password" })).toBe(
      "INVALID_OOB_CODE",
    );
  });

  test("asks for the account's second factor, like a password; a custom token does not", async () => {
    const email = "factored@example.jp";
    const { localId } = await signUpProven(email);
    await identity.database
      .prepare(
        `INSERT INTO factors (factor_id, local_id, kind, display_name, phone_number, enrolled_at)
          VALUES ('factor-of-the-test', ?, 'phone', '電話', '+819012345678', '2026-01-01T00:00:00.000Z')`,
      )
      .bind(localId)
      .run();
    const asked = {
      localId,
      mfaPendingCredential: expect.any(String),
      mfaInfo: [{ mfaEnrollmentId: "factor-of-the-test", displayName: "電話", phoneInfo: "+********5678" }],
    };
    for (const reply of [
      await openLink(email, await mailedLinkCode(email)),
      await call(identity, "signInWithPassword", { email, password: PASSWORD }),
    ]) {
      expect(reply.body).toMatchObject(asked);
      expect(reply.body).not.toHaveProperty("idToken");
      expect(reply.body).not.toHaveProperty("refreshToken");
    }
  });

  test("is deleted with its account", async () => {
    const email = "leaving@example.jp";
    const { idToken } = await signUp(identity, email);
    const oobCode = await mailedLinkCode(email);
    await general(identity, "POST", "/users/unsubscribe", idToken);
    expect((await openLink(email, oobCode)).body.error?.message).toBe("INVALID_OOB_CODE");
    const left = await identity.database.prepare("SELECT * FROM mails WHERE recipient = ?").bind(email).all();
    expect(left.results).toEqual([]);
  });
});

describe("an e-mail link opened by a signed-in member", () => {
  async function signUpWithoutAddress(): Promise<SignedIn> {
    const person = await signUp(identity, `${crypto.randomUUID()}@example.jp`);
    await identity.database
      .prepare(
        `UPDATE accounts SET email = NULL, email_verified = 0, signs_in_by_email = 0, password_hash = NULL,
          phone_number = '+8190' || substr(abs(random()) || '00000000', 1, 8) WHERE local_id = ?`,
      )
      .bind(person.localId)
      .run();
    return person;
  }

  test("gives an account without an address the proven address, and keeps the sign-in", async () => {
    const { idToken, localId } = await signUpWithoutAddress();
    const oobCode = await mailedLinkCode("given@example.jp");
    const { body } = await openLink("given@example.jp", oobCode, idToken);
    expect(body).toMatchObject({ localId, isNewUser: false, email: "given@example.jp" });
    const [before, after] = [decodeJwt(idToken), decodeJwt(String(body.idToken))];
    expect(after).toMatchObject({ email: "given@example.jp", email_verified: true });
    expect([after.keyForGlobalSignOut, after.auth_time]).toEqual([before.keyForGlobalSignOut, before.auth_time]);
    expect((await refresh(identity, String(body.refreshToken))).status).toBe(200);
  });

  test("refuses another's address and does not replace the account's own", async () => {
    await signUpProven("anothers@example.jp");
    const { idToken } = await signUpWithoutAddress();
    expect(
      (await openLink("anothers@example.jp", await mailedLinkCode("anothers@example.jp"), idToken)).body.error?.message,
    ).toBe("EMAIL_EXISTS");
    const person = await signUp(identity, "one@example.jp");
    expect(
      (await openLink("two@example.jp", await mailedLinkCode("two@example.jp"), person.idToken)).body.error?.message,
    ).toBe("OPERATION_NOT_ALLOWED");
  });
});
