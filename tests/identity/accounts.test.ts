import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassword } from "../../workers/identity/provider/passwords.ts";
import { findAccount } from "../../workers/identity/provider/queries.ts";
import { newSession, openSession } from "../../workers/identity/provider/sessions.ts";
import { accountRow } from "../../workers/identity/storage/accounts.ts";
import { openIdentity } from "../../workers/identity/storage/database.ts";
import { call, general, PASSWORD, refresh, refusal, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity, unbound } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

describe("sign-up", () => {
  test("answers as Firebase does and signs in", async () => {
    const { status, body } = await call(identity, "signUp", { email: "Aoi@Example.JP", password: PASSWORD });
    expect(status).toBe(200);
    expect(body).toEqual({
      kind: "identitytoolkit#SignupNewUserResponse",
      localId: expect.stringMatching(/^[A-Za-z0-9]{28}$/),
      email: "aoi@example.jp",
      idToken: expect.any(String),
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresIn: "3600",
    });
  });

  test("gives an address to only one of many parallel sign-ups", async () => {
    const input = { email: "parallel@example.jp", password: PASSWORD };
    const replies = await Promise.all(Array.from({ length: 12 }, () => call(identity, "signUp", input)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.error?.message === "EMAIL_EXISTS")).toHaveLength(11);
  });

  test.each([
    ["the same address in capitals", { email: "TAKEN@example.jp", password: PASSWORD }, "EMAIL_EXISTS"],
    ["a missing address", { password: PASSWORD }, "MISSING_EMAIL"],
    ["a missing password", { email: "a@example.jp" }, "MISSING_PASSWORD"],
    ["a missing address and password", {}, "ADMIN_ONLY_OPERATION"],
    ["an address without an at sign", { email: "example.jp", password: PASSWORD }, "INVALID_EMAIL"],
    ["a header in the address", { email: "a@example.jp\r\nBcc:b@example.jp", password: PASSWORD }, "INVALID_EMAIL"],
    ["an endless address", { email: `a@${"b".repeat(300)}.jp`, password: PASSWORD }, "INVALID_EMAIL"],
    [
      "a password of 7 graphemes",
      { email: "a@example.jp", password: "👨‍👩‍👧‍👦234567" },
      "WEAK_PASSWORD : Password should be at least 8 characters",
    ],
    [
      "a password of 151 graphemes",
      { email: "a@example.jp", password: "あ".repeat(151) },
      "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password may contain at most 150 characters]",
    ],
    [
      "a name of 51 graphemes",
      { email: "a@example.jp", password: PASSWORD, displayName: "名".repeat(51) },
      "INVALID_DISPLAY_NAME",
    ],
  ])("refuses %s", async (_, input, message) => {
    await call(identity, "signUp", { email: "taken@example.jp", password: PASSWORD });
    expect(await refusal(identity, "signUp", input)).toBe(message);
  });

  test.each(["8graphem", "あ".repeat(150)])("accepts a password at the bounds (%#)", async (password) => {
    const { localId } = await signUp(identity, `bounds-${password.length}@example.jp`, password);
    expect((await signIn(identity, `bounds-${password.length}@example.jp`, password)).localId).toBe(localId);
  });

  test("accepts the addresses of Japanese carriers", async () => {
    expect(await refusal(identity, "signUp", { email: "a..b.@docomo.ne.jp", password: PASSWORD })).toBeUndefined();
  });
});

describe("sign-in", () => {
  test("answers as Firebase does", async () => {
    const { localId } = await signUp(identity, "ren@example.jp");
    const { body } = await call(identity, "signInWithPassword", { email: " Ren@example.jp ", password: PASSWORD });
    expect(body).toEqual({
      kind: "identitytoolkit#VerifyPasswordResponse",
      localId,
      email: "ren@example.jp",
      displayName: "",
      registered: true,
      idToken: expect.any(String),
      refreshToken: expect.any(String),
      expiresIn: "3600",
    });
  });

  test("answers the same for a wrong password and an unknown address, in Firebase's error format", async () => {
    await signUp(identity, "known@example.jp");
    const known = await call(identity, "signInWithPassword", { email: "known@example.jp", password: "wrong one" });
    const unknown = await call(identity, "signInWithPassword", { email: "unknown@example.jp", password: "wrong one" });
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(known).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 400,
          message: "INVALID_LOGIN_CREDENTIALS",
          errors: [{ message: "INVALID_LOGIN_CREDENTIALS", domain: "global", reason: "invalid" }],
        },
      },
    });
  });

  test("accepts a password typed in another Unicode normal form", async () => {
    const [composed, decomposed] = ["がぎぐげござじず".normalize("NFC"), "がぎぐげござじず".normalize("NFD")];
    await signUp(identity, "nfd@example.jp", decomposed);
    await signIn(identity, "nfd@example.jp", composed);
    await signUp(identity, "nfc@example.jp", composed);
    await signIn(identity, "nfc@example.jp", decomposed);
  });

  test("opens no session for an account that changed since the proof", async () => {
    const { localId } = await signUp(identity, "racing@example.jp");
    const direct = openIdentity({ ...unbound, ...identity.bindings, DB: identity.database }, Date.now());
    const account = await findAccount(direct, localId);
    const openNewSession = async (valid_since: string) => {
      const session = await newSession(direct, localId, { sign_in_provider: "password" });
      return (await openSession(direct, session, valid_since)[0].execute()).length;
    };
    const valid_since = String(account?.valid_since);
    expect(await openNewSession(valid_since)).toBe(1);
    expect(await openNewSession("2026-01-01T00:00:00.000Z")).toBe(0);
    await identity.database.prepare("UPDATE accounts SET disabled = 1 WHERE local_id = ?").bind(localId).run();
    expect(await openNewSession(valid_since)).toBe(0);
  });

  test("works for a seeded account, whose address is verified", async () => {
    const row = accountRow({
      local_id: "demoHanako000000000000000001",
      email: "demo@example.jp",
      email_verified: true,
      display_name: "花子",
      password_hash: await hashPassword("demo password"),
      created_at: "2026-01-01T00:00:00.000Z",
    });
    const columns = Object.keys(row);
    await identity.database
      .prepare(`INSERT INTO accounts (${columns.join()}) VALUES (${columns.map(() => "?").join()})`)
      .bind(...Object.values(row))
      .run();
    const { idToken } = await signIn(identity, "demo@example.jp", "demo password");
    const { body } = await call(identity, "lookup", { idToken });
    expect(body.users).toMatchObject([
      { localId: "demoHanako000000000000000001", email: "demo@example.jp", emailVerified: true, displayName: "花子" },
    ]);
  });

  test("does not reveal through createAuthUri whether an address is registered", async () => {
    await signUp(identity, "registered@example.jp");
    const [known, unknown] = await Promise.all(
      ["registered@example.jp", "nobody@example.jp"].map((identifier) =>
        call(identity, "createAuthUri", { identifier, continueUri: "http://localhost" }),
      ),
    );
    expect(known?.body).toMatchObject({ registered: false });
    expect(known?.body).toEqual(unknown?.body);
  });
});

describe("an account", () => {
  test("can be looked up, renamed and unnamed", async () => {
    const { idToken, localId } = await signUp(identity, "mio@example.jp");
    const { body } = await call(identity, "update", { idToken, displayName: " 澪 ", returnSecureToken: true });
    expect(body).toMatchObject({ localId, displayName: "澪", email: "mio@example.jp", emailVerified: false });
    const looked = await call(identity, "lookup", { idToken });
    expect(looked.body.users).toEqual([
      {
        localId,
        email: "mio@example.jp",
        emailVerified: false,
        displayName: "澪",
        providerUserInfo: [
          {
            providerId: "password",
            federatedId: "mio@example.jp",
            email: "mio@example.jp",
            rawId: "mio@example.jp",
            displayName: "澪",
          },
        ],
        passwordHash: "UkVEQUNURUQ=",
        passwordUpdatedAt: expect.any(Number),
        validSince: expect.stringMatching(/^\d{10}$/),
        disabled: false,
        lastLoginAt: expect.stringMatching(/^\d{13}$/),
        createdAt: expect.stringMatching(/^\d{13}$/),
      },
    ]);
    const cleared = await call(identity, "update", { idToken, deleteAttribute: ["DISPLAY_NAME"] });
    expect(cleared.body).not.toHaveProperty("displayName");
  });

  test("gets a new password, which ends other sign-ins and issues new tokens", async () => {
    const first = await signUp(identity, "sora@example.jp");
    const { body } = await call(identity, "update", { idToken: first.idToken, password: "another password" });
    expect((await refresh(identity, first.refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
    expect((await refresh(identity, String(body.refreshToken))).status).toBe(200);
    await signIn(identity, "sora@example.jp", "another password");
    expect(await refusal(identity, "signInWithPassword", { email: "sora@example.jp", password: PASSWORD })).toBe(
      "INVALID_LOGIN_CREDENTIALS",
    );
  });

  test("keeps its address: a change requires proof of the new address", async () => {
    const { idToken } = await signUp(identity, "fixed@example.jp");
    expect(await refusal(identity, "update", { idToken, email: "other@example.jp" })).toBe(
      "OPERATION_NOT_ALLOWED : Please verify the new email before changing email.",
    );
  });

  test("is deleted with all its rows", async () => {
    const { idToken, refreshToken, localId } = await signUp(identity, "gone@example.jp");
    await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
    expect((await general(identity, "POST", "/users/unsubscribe", idToken)).status).toBe(204);
    expect(await refusal(identity, "lookup", { idToken })).toBe("USER_NOT_FOUND");
    expect((await refresh(identity, refreshToken)).body.error?.message).toBe("INVALID_REFRESH_TOKEN");
    for (const table of ["accounts", "sign_ins", "oob_codes", "mails"]) {
      const left = await identity.database.prepare(`SELECT * FROM ${table} WHERE local_id = ?`).bind(localId).all();
      expect(left.results, table).toEqual([]);
    }
    expect(
      (
        await identity.database
          .prepare("SELECT * FROM refresh_tokens WHERE sign_in_id NOT IN (SELECT sign_in_id FROM sign_ins)")
          .all()
      ).results,
    ).toEqual([]);
    await signUp(identity, "gone@example.jp");
  });

  test("can neither sign in nor refresh while disabled, and its old sign-ins stay ended afterwards", async () => {
    const { idToken, refreshToken, localId } = await signUp(identity, "disabled@example.jp");
    const setDisabled = (flag: number) =>
      identity.database.prepare("UPDATE accounts SET disabled = ? WHERE local_id = ?").bind(flag, localId).run();
    await setDisabled(1);
    const credentials = { email: "disabled@example.jp", password: PASSWORD };
    expect(await refusal(identity, "signInWithPassword", credentials)).toBe("USER_DISABLED");
    expect(await refusal(identity, "signInWithPassword", { ...credentials, password: "wrong one" })).toBe(
      "INVALID_LOGIN_CREDENTIALS",
    );
    expect((await refresh(identity, refreshToken)).body.error?.message).toBe("USER_DISABLED");
    expect(await refusal(identity, "lookup", { idToken })).toBe("USER_DISABLED");
    await setDisabled(0);
    expect((await refresh(identity, refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
    await signIn(identity, "disabled@example.jp");
  });

  test("cannot get a new password with an old sign-in", async () => {
    const { refreshToken } = await signUp(identity, "stale@example.jp");
    const earlier = new Date(Date.now() - 6 * 60_000).toISOString();
    const change = "UPDATE accounts SET valid_since = ?1 WHERE email = 'stale@example.jp'";
    await identity.database.prepare(change).bind(earlier).run();
    const age =
      "UPDATE sign_ins SET signed_in_at = ?1 WHERE local_id = (SELECT local_id FROM accounts WHERE email = 'stale@example.jp')";
    await identity.database.prepare(age).bind(earlier).run();
    const { body } = await refresh(identity, refreshToken);
    const idToken = body.id_token;
    expect(await refusal(identity, "update", { idToken, password: "another password" })).toBe(
      "CREDENTIAL_TOO_OLD_LOGIN_AGAIN",
    );
  });
});
