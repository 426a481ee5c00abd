import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signOperatorToken } from "../../workers/verifier/operator-token.ts";
import { newNumber, provenAccount, textedCode, withTotp } from "./factor-people.ts";
import { signInWith } from "./federated-people.ts";
import { call, general, mailedCode, PASSWORD, refresh, refusal, type SignedIn, signIn, signUp } from "./people.ts";
import { API_KEY, bindings, type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const updateAccount = (sql: string, localId: string) =>
  identity.database.prepare(`UPDATE accounts SET ${sql} WHERE local_id = ?`).bind(localId).run();
const linkProvider = (providerId: string, localId: string) =>
  identity.database
    .prepare("INSERT INTO linked_identities (provider_id, federated_id, local_id, linked_at) VALUES (?1, ?2, ?2, '')")
    .bind(providerId, localId)
    .run();
const providersOf = (body: Record<string, unknown>) =>
  (body.providerUserInfo as { providerId: string }[]).map(({ providerId }) => providerId);
async function makeStale({ localId, refreshToken }: SignedIn): Promise<string> {
  const earlier = new Date(Date.now() - 6 * 60_000).toISOString();
  await updateAccount(`valid_since = '${earlier}'`, localId);
  await identity.database
    .prepare("UPDATE sign_ins SET signed_in_at = ? WHERE local_id = ?")
    .bind(earlier, localId)
    .run();
  return String((await refresh(identity, refreshToken)).body.id_token);
}

describe("unlinking a sign-in method", () => {
  test("leaves at least one method, however many are unlinked in parallel", async () => {
    const { idToken, localId } = await signUp(identity, "many@example.jp");
    await updateAccount("phone_number = '+819011110001'", localId);
    await linkProvider("google.com", localId);
    const unlinkProviders = (...deleteProvider: string[]) => call(identity, "update", { idToken, deleteProvider });
    expect(providersOf((await unlinkProviders("google.com")).body)).toEqual(["password", "phone"]);
    const replies = await Promise.all([unlinkProviders("password"), unlinkProviders("phone")]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await unlinkProviders("password", "phone", "google.com")).body.error?.message).toMatch(
      /^OPERATION_NOT_ALLOWED/,
    );
    const { body } = await call(identity, "lookup", { idToken });
    expect(providersOf((body.users as Record<string, unknown>[])[0] ?? {})).toHaveLength(1);
  });

  test("removes the password, and keeps the address for mail", async () => {
    const { idToken, localId } = await signUp(identity, "unlinked@example.jp");
    await linkProvider("oidc.line", localId);
    const { body } = await call(identity, "update", { idToken, deleteProvider: ["password"] });
    expect(body).toMatchObject({ email: "unlinked@example.jp", localId });
    expect(providersOf(body)).toEqual(["oidc.line"]);
    expect(await refusal(identity, "signInWithPassword", { email: "unlinked@example.jp", password: PASSWORD })).toBe(
      "INVALID_LOGIN_CREDENTIALS",
    );
  });

  test("requires a recent sign-in, and refuses an endless list", async () => {
    const person = await signUp(identity, "stale-off@example.jp");
    await linkProvider("google.com", person.localId);
    const idToken = await makeStale(person);
    expect(await refusal(identity, "update", { idToken, deleteProvider: ["password"] })).toBe(
      "CREDENTIAL_TOO_OLD_LOGIN_AGAIN",
    );
    const deleteProvider = Array.from({ length: 200 }, () => "google.com");
    expect(await refusal(identity, "update", { idToken, deleteProvider })).toBe("Invalid value at 'deleteProvider'");
  });
});

describe("an account without a password", () => {
  async function signUpPasswordless(): Promise<SignedIn> {
    const person = await signUp(identity, `${crypto.randomUUID()}@example.jp`);
    await linkProvider("google.com", person.localId);
    await updateAccount("email = NULL, password_hash = NULL, signs_in_by_email = 0", person.localId);
    return person;
  }

  test("gets a password, with an address still to be proven, in the same sign-in", async () => {
    const { idToken, localId } = await signUpPasswordless();
    const input = { idToken, email: "Added@example.jp", password: PASSWORD, returnSecureToken: true };
    const { body } = await call(identity, "signUp", input);
    expect(body).toMatchObject({ kind: "identitytoolkit#SignupNewUserResponse", localId, email: "added@example.jp" });
    expect(decodeJwt(String(body.idToken))).toMatchObject({
      email: "added@example.jp",
      email_verified: false,
      keyForGlobalSignOut: decodeJwt(idToken).keyForGlobalSignOut,
    });
    expect((await signIn(identity, "added@example.jp")).localId).toBe(localId);
    expect(await refusal(identity, "signUp", { ...input, password: "another password" })).toBe("EMAIL_EXISTS");
  });

  test("cannot get another account's address, a second password, or a password by an old sign-in", async () => {
    await signUp(identity, "elses@example.jp");
    const person = await signUpPasswordless();
    const { idToken, localId } = person;
    const addPassword = (email: string, token: string = idToken) =>
      refusal(identity, "signUp", { idToken: token, email, password: PASSWORD });
    expect(await addPassword("elses@example.jp")).toBe("EMAIL_EXISTS");
    await updateAccount("email = 'first@example.jp', email_verified = 1", localId);
    expect(await addPassword("second@example.jp")).toBe("OPERATION_NOT_ALLOWED");
    expect(await addPassword("first@example.jp", await makeStale(person))).toBe("CREDENTIAL_TOO_OLD_LOGIN_AGAIN");
    expect(await addPassword("first@example.jp", "forged")).toBe("INVALID_ID_TOKEN");
  });
});

describe("a profile", () => {
  test("accepts only a URL of the web as its picture, and can lose it", async () => {
    const { idToken } = await signUp(identity, "picture@example.jp");
    const photoUrl = "https://example.jp/a.png";
    expect((await call(identity, "update", { idToken, photoUrl })).body).toMatchObject({ photoUrl });
    for (const bad of [
      "javascript:alert(1)",
      "data:image/png;base64,AA",
      "a.png",
      `https://e.jp/${"x".repeat(2100)}`,
    ]) {
      expect(await refusal(identity, "update", { idToken, photoUrl: bad })).toBe("INVALID_PHOTO_URL");
    }
    const { body } = await call(identity, "update", { idToken, deleteAttribute: ["PHOTO_URL"] });
    expect(body).not.toHaveProperty("photoUrl");
    expect(await refusal(identity, "update", { idToken, deleteAttribute: ["EMAIL"] })).toBe("OPERATION_NOT_ALLOWED");
  });
});

test("claims that an operator set are in the tokens, and never replace the provider's own", async () => {
  const { refreshToken, localId } = await signUp(identity, "claimed@example.jp");
  const claims = { staff: true, sub: "another", email_verified: true, pibId: "forged", phone_number: "+81", nbf: 9e9 };
  await updateAccount(`custom_claims = '${JSON.stringify(claims)}'`, localId);
  const payload = decodeJwt(String((await refresh(identity, refreshToken)).body.id_token));
  expect(payload).toMatchObject({ staff: true, sub: localId, email_verified: false });
  for (const name of ["pibId", "phone_number", "nbf"]) expect(payload).not.toHaveProperty(name);
});

describe("an SDK's question about the project", () => {
  const askProject = async (path: string, key = `?key=${API_KEY}`) => {
    const response = await identity.fetch(`/identitytoolkit.googleapis.com/${path}${key}`);
    return { status: response.status, body: await response.json() };
  };

  test.each([
    ["v1/projects", { projectId: "demo-ofuse", authorizedDomains: ["localhost"] }],
    ["v1/recaptchaParams", { recaptchaSiteKey: expect.any(String) }],
    ["v2/recaptchaConfig", { recaptchaKey: "projects/demo-ofuse/keys/none", recaptchaEnforcementState: [] }],
    ["v2/passwordPolicy", { customStrengthOptions: { minPasswordLength: 8 }, schemaVersion: 1 }],
  ])("is answered: %s", async (path, answer) => {
    expect(await askProject(path)).toMatchObject({ status: 200, body: answer });
    expect((await askProject(path, "")).status).toBe(403);
  });
});

describe("mails about the account", () => {
  const EN = { "x-firebase-locale": "en" };
  async function mailsTo(email: string) {
    const { results } = await identity.database
      .prepare("SELECT kind, language, local_id FROM mails WHERE recipient = ? ORDER BY created_at, mail_id")
      .bind(email)
      .all();
    return results.filter(({ kind }) => kind === "password_changed" || kind === "account_deleted");
  }

  test("tell the owner of a password that was changed, reset or set", async () => {
    const { localId, idToken } = await provenAccount(identity, "told@example.jp");
    const told = (language: string) => ({ kind: "password_changed", language, local_id: localId });
    await call(identity, "update", { idToken, password: "a second password" }, EN);
    expect(await mailsTo("told@example.jp")).toEqual([told("en")]);

    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email: "told@example.jp" });
    const { oobCode } = await mailedCode(identity, "told@example.jp", { requestType: "PASSWORD_RESET" });
    expect(await mailsTo("told@example.jp")).toHaveLength(1);
    await call(identity, "resetPassword", { oobCode, newPassword: "a third password" });
    await call(identity, "resetPassword", { oobCode, newPassword: "a fourth password" });
    expect(await mailsTo("told@example.jp")).toEqual([told("en"), told("ja")]);

    const { idToken: token } = await signIn(identity, "told@example.jp", "a third password");
    await updateAccount("password_hash = NULL", localId);
    await call(identity, "signUp", { idToken: token, email: "told@example.jp", password: PASSWORD });
    expect(await mailsTo("told@example.jp")).toHaveLength(3);
  });

  /** Returns what the mails of these kinds name. Mails of one millisecond have no order. */
  async function namedInMails(email: string, ...kinds: string[]) {
    const { results } = await identity.database
      .prepare("SELECT kind, gaps FROM mails WHERE recipient = ?")
      .bind(email)
      .all<{ kind: string; gaps: string }>();
    const named = results.filter(({ kind }) => kinds.includes(kind));
    return named.map(({ gaps }) => Object.values(JSON.parse(gaps) as object).join()).sort();
  }
  const ADDED = "sign_in_method_added";
  const REMOVED = "sign_in_method_removed";
  async function linkNumber(idToken: string, phoneNumber: string) {
    const { body } = await call(identity, "sendVerificationCode", { phoneNumber, recaptchaToken: "x" });
    const code = await textedCode(identity, phoneNumber);
    return call(identity, "signInWithPhoneNumber", { sessionInfo: body.sessionInfo, code, idToken });
  }
  const google = (name: string) => ({ name, email: `${name}@gmail.example`, email_verified: "1" });

  test("tell the owner of a telephone and a provider that were linked, once", async () => {
    const { idToken } = await provenAccount(identity, "linked-to@example.jp");
    const [number, person] = [newNumber(), google("thief")];
    for (let times = 0; times < 2; times += 1) {
      expect((await linkNumber(idToken, number)).status).toBe(200);
      expect((await signInWith(identity, "google.com", person, { idToken })).status).toBe(200);
    }
    // A refused link mails nothing.
    expect((await signInWith(identity, "google.com", google("second"), { idToken })).status).toBe(400);
    expect(await namedInMails("linked-to@example.jp", ADDED, REMOVED)).toEqual([
      "Google",
      `電話番号 +********${number.slice(-4)}`,
    ]);
    expect(await namedInMails("thief@gmail.example", ADDED)).toEqual([]);
  });

  test("tell the owner of each sign-in method that was unlinked, and of none that was not there", async () => {
    const { idToken } = await provenAccount(identity, "unlinked-from@example.jp");
    const number = newNumber();
    await linkNumber(idToken, number);
    await signInWith(identity, "oidc.line", google("line-person"), { idToken });
    await signInWith(identity, "twitter.com", google("x-person"), { idToken });
    const unlink = (...deleteProvider: string[]) => call(identity, "update", { idToken, deleteProvider });
    expect((await unlink("google.com", "password", "password")).status).toBe(200);
    expect((await unlink("password")).status).toBe(200);
    expect((await unlink("phone", "oidc.line")).status).toBe(200);
    expect((await unlink("twitter.com")).status).toBe(400);
    expect(await namedInMails("unlinked-from@example.jp", REMOVED)).toEqual([
      "LINE",
      "パスワード",
      `電話番号 +********${number.slice(-4)}`,
    ]);
  });

  test("call the sign-in of an account without a password a mailed link", async () => {
    const { idToken, localId } = await provenAccount(identity, "linked-by-mail@example.jp");
    await updateAccount("password_hash = NULL, phone_number = '+819011110009'", localId);
    await call(identity, "update", { idToken, deleteProvider: ["password"] }, EN);
    expect(await namedInMails("linked-by-mail@example.jp", REMOVED)).toEqual(["Mailed link"]);
  });

  test("go to no address that came with the provider that is linked", async () => {
    const person = await signUp(identity, "only-number@example.jp");
    await updateAccount("email = NULL, password_hash = NULL, phone_number = '+819011110008'", person.localId);
    const { idToken } = person;
    expect((await signInWith(identity, "google.com", google("first-address"), { idToken })).status).toBe(200);
    expect(await namedInMails("first-address@gmail.example", ADDED)).toEqual([]);
  });

  test("tell the owner of new recovery codes, and of factors that an operator removed, once", async () => {
    const { idToken, localId, email } = await withTotp(identity, "codes-made@example.jp");
    expect((await general(identity, "POST", "/auth/recovery-codes", idToken)).status).toBe(201);
    const token = await signOperatorToken("chef", {
      key: bindings.OPERATOR_KEY,
      audience: "ofuse-identity",
      now_ms: Date.now(),
    });
    for (let times = 0; times < 2; times += 1) {
      const removed = await identity.fetch(`/v4/operator/accounts/${localId}/factors`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ reason: "lost the telephone" }),
      });
      expect(removed.status).toBe(200);
    }
    expect(await namedInMails(email, "recovery_codes_created")).toEqual([""]);
    expect(await namedInMails(email, "factor_removed")).toEqual(["すべての方法,0"]);
  });

  test("tell the owner of a deleted account, whose other mails are gone", async () => {
    const { idToken } = await provenAccount(identity, "left@example.jp");
    await call(identity, "sendOobCode", { requestType: "EMAIL_SIGNIN", email: "left@example.jp" });
    const left = await identity.fetch("/v2/general/users/unsubscribe", {
      method: "POST",
      headers: { authorization: `Bearer ${idToken}`, ...EN },
    });
    expect(left.status).toBe(204);
    const { results } = await identity.database
      .prepare("SELECT kind, language, local_id FROM mails WHERE recipient = 'left@example.jp'")
      .all();
    expect(results).toEqual([{ kind: "account_deleted", language: "en", local_id: null }]);
  });

  test("go to no address that nobody has proven", async () => {
    const { idToken } = await signUp(identity, "unproven-mails@example.jp");
    await linkNumber(idToken, newNumber());
    await call(identity, "update", { idToken, deleteProvider: ["phone"] });
    expect(await namedInMails("unproven-mails@example.jp", ADDED, REMOVED)).toEqual([]);
    const { body } = await call(identity, "update", { idToken, password: "another password" });
    expect((await general(identity, "POST", "/users/unsubscribe", String(body.idToken))).status).toBe(204);
    expect(await mailsTo("unproven-mails@example.jp")).toEqual([]);
  });
});
