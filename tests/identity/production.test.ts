import { exportJWK, exportPKCS8, generateKeyPair, SignJWT } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import { breachesOf } from "../../workers/identity/deployment.ts";
import { waitUntil } from "../support/wait.ts";
import { general, problemCode } from "./people.ts";
import {
  API_KEY,
  type Bindings,
  bindings,
  PIB_API_KEY,
  type RunningIdentity,
  startIdentity,
  unbound,
} from "./support.ts";

const production = {
  ENVIRONMENT: "production",
  PROJECT_ID: "ofuse-production",
  JWKS_URL: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
} satisfies Partial<Bindings>;

let identity: RunningIdentity;
afterEach(() => identity?.stop());

const KEYS_PATH = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";
const providerPaths = [
  `/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${API_KEY}`,
  `/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize?key=${API_KEY}`,
  `/securetoken.googleapis.com/v1/token?key=${API_KEY}`,
  "/developer-idp/google.com/authorize",
  "/developer-idp/google.com/token",
  "/developer-idp/google.com/keys",
  KEYS_PATH,
  `/www.googleapis.com${KEYS_PATH}`,
  "/emulator/v1/projects/ofuse-production/mails",
  "/emulator/v1/projects/ofuse-production/oobCodes",
  "/emulator/v1/projects/ofuse-production/verificationCodes",
];

test("production serves the six calls and no provider", async () => {
  identity = await startIdentity(production);
  for (const path of providerPaths) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await identity.fetch(path, { method, headers: { origin: "https://evil.example" } });
      expect([path, method, response.status]).toEqual([path, method, 404]);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  }
  expect((await identity.fetch("/v2/general/auth/custom-token")).status).toBe(401);
  await identity.runScheduled();
});

describe("production with Firebase's own tokens", () => {
  const newFirebase = async (email?: string, email_verified = email !== undefined) => {
    const { privateKey, publicKey } = await generateKeyPair("RS256");
    const keys = [{ ...(await exportJWK(publicKey)), kid: "google", alg: "RS256", use: "sig" }];
    const now_s = Math.floor(Date.now() / 1000);
    const tokenOf = (auth_time: number, keyForGlobalSignOut?: string, iat = now_s) =>
      new SignJWT({ auth_time, keyForGlobalSignOut, email, email_verified })
        .setProtectedHeader({ alg: "RS256", kid: "google" })
        .setIssuer("https://securetoken.google.com/ofuse-production")
        .setAudience("ofuse-production")
        .setSubject("a-uid-of-firebase")
        .setIssuedAt(iat)
        .setExpirationTime(now_s + 3600)
        .sign(privateKey);
    return { keys, now_s, tokenOf, token: await tokenOf(now_s) };
  };

  test("signs out every device by the tokens' shared key, or one sign-in alone, like our own provider", async () => {
    const { keys, now_s, tokenOf } = await newFirebase();
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const service_account = {
      project_id: production.PROJECT_ID,
      private_key_id: "key-1",
      private_key: await exportPKCS8(privateKey),
      client_email: "admin@ofuse-production.iam.gserviceaccount.com",
    };
    const asked: string[] = [];
    let valid_since = 0;
    const secrets = { ...production, FIREBASE_SERVICE_ACCOUNT: JSON.stringify(service_account) };
    identity = await startIdentity(secrets, ({ url }) => {
      asked.push(url);
      if (url === production.JWKS_URL) return Response.json({ keys });
      if (url.includes("oauth2")) return Response.json({ access_token: "access", expires_in: 3599 });
      return Response.json(url.endsWith(":lookup") ? { users: [{ validSince: String(valid_since) }] } : {});
    });
    const isSignedOut = async (token: string, key: string) =>
      (await general(identity, "GET", `/auth/global-sign-out-status?key=${key}`, token)).json();
    const fetchState = async (token: string) =>
      (await identity.fetch("/sign-in-state?live", { headers: { authorization: `Bearer ${token}` } })).status;

    const [phone, desk] = [await tokenOf(now_s - 20, "shared"), await tokenOf(now_s - 10, "shared")];
    expect([await isSignedOut(desk, "shared"), await fetchState(desk)]).toEqual([{ isSignedOut: false }, 204]);
    expect((await general(identity, "PUT", "/auth/key-for-global-sign-out", phone, { key: "shared" })).status).toBe(
      204,
    );
    expect([await isSignedOut(desk, "shared"), await fetchState(desk)]).toEqual([{ isSignedOut: true }, 401]);
    expect(
      asked.some((url) => url.endsWith("/accounts:update")),
      "Firebase has the next key",
    ).toBe(true);
    await waitUntil(() => expect(asked.some((url) => url.endsWith("/keys_for_global_sign_out/shared"))).toBe(true));
    const [row] = (await identity.database.prepare("SELECT key_for_global_sign_out AS key FROM accounts").all())
      .results;
    const next = String(row?.key);
    expect(next).not.toBe("shared");

    const [here, there] = [await tokenOf(now_s + 60, next), await tokenOf(now_s + 61, next)];
    expect([await fetchState(here), await fetchState(there)]).toEqual([204, 204]);
    const only_there = `/auth/sign-ins?id=auth-time-${now_s + 61}`;
    expect((await general(identity, "DELETE", only_there, there)).status).toBe(204);
    expect([await fetchState(here), await fetchState(there)]).toEqual([204, 401]);
    expect([await isSignedOut(here, next), await isSignedOut(there, next)]).toEqual([
      { isSignedOut: false },
      { isSignedOut: true },
    ]);

    // The password has changed at Firebase, and no row of ours shows it.
    const marks = { sub: "a-uid-of-firebase", auth_time: now_s + 60, signInId: `auth-time-${now_s + 60}` };
    const checkWithoutToken = async (query = "") =>
      (await identity.fetch(`/sign-in-check${query}`, { method: "POST", body: JSON.stringify(marks) })).status;
    expect(await checkWithoutToken()).toBe(204);
    valid_since = now_s + 90;
    expect([await fetchState(here), await checkWithoutToken()]).toEqual([401, 401]);
    expect(await checkWithoutToken("?quick")).toBe(204);
  });

  describe("the claims that Firebase puts into tokens", () => {
    /** Starts the worker beside a Firebase that keeps the claims of one account. */
    const startBesideFirebase = async () => {
      const { keys, ...firebase } = await newFirebase();
      const { privateKey } = await generateKeyPair("RS256", { extractable: true });
      const key = {
        project_id: production.PROJECT_ID,
        private_key_id: "key-of-the-claims",
        private_key: await exportPKCS8(privateKey),
        client_email: "admin@example.jp",
      };
      const kept = { customAttributes: "{}", asked: [] as string[] };
      const secrets = { ...production, FIREBASE_SERVICE_ACCOUNT: JSON.stringify(key) };
      identity = await startIdentity(secrets, async (request) => {
        const { url } = request;
        if (url === production.JWKS_URL) return Response.json({ keys });
        if (url.includes("oauth2")) return Response.json({ access_token: "access", expires_in: 3599 });
        if (url.includes("firestore")) return Response.json({});
        kept.asked.push(url.slice(url.lastIndexOf(":") + 1));
        if (url.endsWith(":lookup")) return Response.json({ users: [{ customAttributes: kept.customAttributes }] });
        kept.customAttributes = JSON.parse(await request.text()).customAttributes;
        return Response.json({});
      });
      const storedKey = async () => {
        const { results } = await identity.database
          .prepare("SELECT key_for_global_sign_out AS key FROM accounts")
          .all();
        return String(results[0]?.key);
      };
      const fetchState = async (token: string) =>
        (await identity.fetch("/sign-in-state", { headers: { authorization: `Bearer ${token}` } })).status;
      const fetchStatus = async (token: string) =>
        (await general(identity, "GET", "/auth/global-sign-out-status?key=k", token)).status;
      const expectKeySent = async () =>
        expect(JSON.parse(kept.customAttributes).keyForGlobalSignOut).toBe(await storedKey());
      return { ...firebase, kept, storedKey, fetchState, fetchStatus, expectKeySent };
    };

    test("are sent again for each token that lacks them", async () => {
      const { now_s, tokenOf, kept, fetchState, fetchStatus, expectKeySent } = await startBesideFirebase();
      for (const [age_s, fetchSignIn, status] of [
        [3, fetchState, 204],
        [2, fetchStatus, 200],
      ] as const) {
        kept.customAttributes = "{}";
        expect(await fetchSignIn(await tokenOf(now_s - 60, undefined, now_s - age_s))).toBe(status);
        await waitUntil(expectKeySent);
      }
    });

    test("do not matter to a member's sign-in while the service account is invalid", async () => {
      const { keys, token } = await newFirebase();
      const secrets = { ...production, FIREBASE_SERVICE_ACCOUNT: "no key" };
      identity = await startIdentity(secrets, () => Response.json({ keys }));
      const response = await identity.fetch("/sign-in-state", { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(204);
    });

    test("are only sent by the sign-out itself, when the token has none", async () => {
      const { token, kept, expectKeySent } = await startBesideFirebase();
      expect((await general(identity, "DELETE", "/auth/refresh-token", token)).status).toBe(204);
      await expectKeySent();
      expect(kept.asked).toEqual(["lookup", "update", "lookup"]);
    });

    test("let a member in again whose new sign-ins carry a used key", async () => {
      const { now_s, tokenOf, kept, storedKey, fetchState, expectKeySent } = await startBesideFirebase();
      const first = await tokenOf(now_s - 60, "first-key");
      expect(
        (await general(identity, "PUT", "/auth/key-for-global-sign-out", first, { key: "first-key" })).status,
      ).toBe(204);
      kept.customAttributes = '{"keyForGlobalSignOut":"first-key"}';
      expect(await fetchState(await tokenOf(now_s + 60, "first-key"))).toBe(401);
      await waitUntil(expectKeySent);
      expect(await fetchState(await tokenOf(now_s + 61, await storedKey()))).toBe(204);
    });

    test("include the personal id and the key, whichever is set last", async () => {
      const { now_s, tokenOf, kept, fetchState, storedKey } = await startBesideFirebase();
      // The token carries a key, so that nothing is sent after the answer.
      const token = await tokenOf(now_s, "first-key");
      const pib = `/users/pib-id?id=a-uid-of-firebase&api_key=${PIB_API_KEY}`;
      const setPibId = async (pibId: string) => (await general(identity, "PUT", pib, undefined, { pibId })).status;
      expect([await setPibId("pib-1"), kept.asked]).toEqual([404, []]);
      expect(await fetchState(token)).toBe(204);
      expect(await setPibId("pib-1")).toBe(204);
      expect(JSON.parse(kept.customAttributes)).toEqual({ pibId: "pib-1", keyForGlobalSignOut: await storedKey() });
      expect((await general(identity, "DELETE", "/auth/refresh-token", token)).status).toBe(204);
      expect(JSON.parse(kept.customAttributes)).toEqual({ pibId: "pib-1", keyForGlobalSignOut: await storedKey() });
    });
  });

  test.each([
    ["mails the proven address of an account that Firebase has deleted, once", true],
    ["does not mail the unproven address of an account that Firebase has deleted", false],
  ])("%s", async (_, is_proven) => {
    const { keys, now_s, tokenOf } = await newFirebase("left@example.jp", is_proven);
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const key = {
      project_id: production.PROJECT_ID,
      private_key_id: "key-of-the-leaver",
      private_key: await exportPKCS8(privateKey),
      client_email: "admin@example.jp",
    };
    const secrets = { ...production, FIREBASE_SERVICE_ACCOUNT: JSON.stringify(key) };
    identity = await startIdentity(secrets, ({ url }) => {
      if (url === production.JWKS_URL) return Response.json({ keys });
      if (url.includes("oauth2")) return Response.json({ access_token: "access", expires_in: 3599 });
      return Response.json(url.endsWith(":lookup") ? { users: [{ validSince: "0" }] } : {});
    });
    const token = await tokenOf(now_s, "shared");
    const leave = async () => (await general(identity, "POST", "/users/unsubscribe", token)).status;
    expect([await leave(), await leave()]).toEqual([204, 401]);
    const { results } = await identity.database.prepare("SELECT kind, recipient FROM mails").all();
    expect(results).toEqual(is_proven ? [{ kind: "account_deleted", recipient: "left@example.jp" }] : []);
  });

  test("stores sign-out keys and personal ids, and never claims success for what only Firebase can do", async () => {
    const { keys, token } = await newFirebase();
    const asked: string[] = [];
    identity = await startIdentity(production, (request) => {
      asked.push(request.url);
      return Response.json({ keys });
    });
    const fetchStatus = () => general(identity, "GET", "/auth/global-sign-out-status?key=k", token);
    expect(await (await fetchStatus()).json()).toEqual({ isSignedOut: false });
    expect((await general(identity, "PUT", "/auth/key-for-global-sign-out", token, { key: "k" })).status).toBe(204);
    expect(await (await fetchStatus()).json()).toEqual({ isSignedOut: true });
    const pib = `/users/pib-id?id=a-uid-of-firebase&api_key=${PIB_API_KEY}`;
    expect((await general(identity, "PUT", pib, undefined, { pibId: "pib-1" })).status).toBe(204);
    for (const [method, path] of [
      ["DELETE", "/auth/refresh-token"],
      ["GET", "/auth/custom-token"],
      ["POST", "/users/unsubscribe"],
    ] as const) {
      const response = await general(identity, method, path, token);
      expect([path, response.status, await problemCode(response)]).toEqual([path, 503, "unavailable"]);
    }
    expect(asked).toEqual([production.JWKS_URL]);
  });

  describe("before Firebase uses a mailed code", () => {
    const EMAIL = "hana@example.jp";

    /** Returns the call's answer and its requests to Google, in order. `holder` is the account of the address. */
    async function replaceAccount(
      requestType: string,
      { holder = {}, bearer, has_admin = true }: { holder?: object; bearer?: string; has_admin?: boolean },
    ) {
      const { keys, token } = await newFirebase(bearer);
      const { privateKey } = await generateKeyPair("RS256", { extractable: true });
      const key = {
        project_id: "ofuse-production",
        private_key_id: crypto.randomUUID(),
        private_key: await exportPKCS8(privateKey),
        client_email: "admin@example.jp",
      };
      const asked: string[] = [];
      const overrides = { ...production, ...(has_admin && { FIREBASE_SERVICE_ACCOUNT: JSON.stringify(key) }) };
      identity = await startIdentity(overrides, ({ url }) => {
        const { host, pathname } = new URL(url);
        if (url === production.JWKS_URL) return Response.json({ keys });
        if (host === "oauth2.googleapis.com") return Response.json({ access_token: "access", expires_in: 3599 });
        const method = pathname.replace(/^\/v1\/(projects\/ofuse-production\/)?/, "");
        asked.push(method);
        if (method === "accounts:resetPassword") return Response.json({ requestType, email: EMAIL });
        if (method === "accounts:lookup") return Response.json({ users: [{ localId: "a-strangers-uid", ...holder }] });
        return Response.json({});
      });
      const response = await general(identity, "POST", "/auth/unproven-account", bearer && token, { oobCode: "code" });
      return { status: response.status, answer: await response.json(), asked };
    }

    test.each([
      ["VERIFY_EMAIL", EMAIL, ["accounts:lookup", "accounts:delete", "accounts"]],
      ["PASSWORD_RESET", EMAIL, ["accounts:lookup", "accounts:delete", "accounts"]],
      ["EMAIL_SIGNIN", null, ["accounts:lookup", "accounts:delete"]],
    ])("%s replaces an unproven account", async (type, email, wanted) => {
      const { answer, asked } = await replaceAccount(type, {});
      expect([answer, asked]).toEqual([{ email }, ["accounts:resetPassword", ...wanted]]);
    });

    test("a proven account, a disabled one and the browser's own account stay unchanged", async () => {
      const disabled = await replaceAccount("PASSWORD_RESET", { holder: { disabled: true } });
      expect([disabled.answer, disabled.asked.at(-1)]).toEqual([{ email: null }, "accounts:lookup"]);
      await identity.stop();
      const proven = await replaceAccount("PASSWORD_RESET", { holder: { emailVerified: true } });
      expect([proven.answer, proven.asked.at(-1)]).toEqual([{ email: null }, "accounts:lookup"]);
      await identity.stop();
      const own = await replaceAccount("VERIFY_EMAIL", { bearer: EMAIL });
      expect([own.answer, own.asked]).toEqual([{ email: null }, ["accounts:resetPassword"]]);
    });

    test.each([
      ["a change of address by somebody else's sign-in", "VERIFY_AND_CHANGE_EMAIL", { bearer: "other@example.jp" }],
      ["a change of address without a sign-in", "VERIFY_AND_CHANGE_EMAIL", {}],
      ["a proof in another browser, without a service account", "VERIFY_EMAIL", { has_admin: false }],
    ])("%s is refused", async (_, type, given) => {
      const { status, answer, asked } = await replaceAccount(type, given);
      expect([status, answer, asked]).toMatchObject([401, { code: "unauthenticated" }, ["accounts:resetPassword"]]);
    });
  });

  test("answers 503 instead of a bad token while the key set cannot be fetched", async () => {
    const { token } = await newFirebase();
    identity = await startIdentity(production, () => new Response("down", { status: 500 }));
    const response = await general(identity, "GET", "/auth/global-sign-out-status?key=k", token);
    expect([response.status, await problemCode(response)]).toEqual([503, "unavailable"]);
  });
});

test("a worker whose settings break a rule answers every request with 500", async () => {
  identity = await startIdentity({ ...production, PROJECT_ID: "demo-ofuse" });
  for (const path of ["/v2/general/auth/custom-token", "/", ...providerPaths]) {
    const response = await identity.fetch(path);
    expect([path, response.status]).toEqual([path, 500]);
    expect(await response.json()).toMatchObject({ code: "internal_error" });
  }
});

test.each<[string, Partial<Bindings>, number]>([
  ["correct settings", {}, 0],
  ["a demo project", { PROJECT_ID: "demo-ofuse" }, 1],
  ["no project", { PROJECT_ID: "" }, 1],
  ["a foreign key set", { JWKS_URL: "https://keys.example/jwk" }, 1],
  ["a short secret", { ENCRYPTION_KEY: "short" }, 1],
  ["a local secret", { PIB_API_KEY: "local-pib-api-key-0000000000000000001" }, 1],
  ["wrong settings on a local machine", { ENVIRONMENT: "local", PROJECT_ID: "", ENCRYPTION_KEY: "" }, 0],
])("counts the breaches of %s", (_, overrides, count) => {
  const env = { ...unbound, ...bindings, ...production, ...overrides, DB: undefined as unknown as D1Database };
  expect(breachesOf(env)).toHaveLength(count);
});

test("outside production, a project that is not a demo shows no outbox", async () => {
  identity = await startIdentity({ PROJECT_ID: "staging-ofuse" });
  for (const list of ["mails", "oobCodes", "verificationCodes"]) {
    expect((await identity.fetch(`/emulator/v1/projects/staging-ofuse/${list}`)).status).toBe(404);
  }
});
