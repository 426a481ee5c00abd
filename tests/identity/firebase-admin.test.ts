import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportPKCS8, generateKeyPair, type JWTPayload, jwtVerify } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FirebaseAdmin } from "../../workers/identity/general/admin.ts";
import { Problem } from "../../workers/kernel/problem.ts";

/** Imitates Google for the adapter: issues access tokens for a valid assertion, and answers their bearers. */
const PROJECT = "ofuse-live";
const EMAIL = `admin@${PROJECT}.iam.gserviceaccount.com`;
const UID = "uid/with a slash";
const now_ms = Date.parse("2026-11-20T03:00:00.900Z");
const now = new Date(now_ms);

interface Asked {
  address: string;
  body: Record<string, unknown>;
}
let google: Server;
let asked: Asked[];
let assertions: JWTPayload[];
let fails: (address: string) => { status: number; text: string } | null;
let key: { private_key: string; public: CryptoKey };
let serial = 0;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  key = { private_key: await exportPKCS8(privateKey), public: publicKey };
  google = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const address = `${request.method} ${request.headers["x-host"]}${request.url}`;
    const failure = fails(address);
    if (failure) return response.writeHead(failure.status).end(failure.text);
    if (address === "POST oauth2.googleapis.com/token") {
      const form = new URLSearchParams(text);
      expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
      const { payload } = await jwtVerify(form.get("assertion") ?? "", key.public, {
        algorithms: ["RS256"],
        issuer: EMAIL,
        audience: "https://oauth2.googleapis.com/token",
        currentDate: now,
      });
      assertions.push(payload);
      return response.end(JSON.stringify({ access_token: "access", expires_in: 3599, token_type: "Bearer" }));
    }
    if (request.headers.authorization !== "Bearer access") return response.writeHead(401).end("{}");
    asked.push({ address, body: JSON.parse(text) });
    const users = [{ localId: UID, customAttributes: '{"plan":"gold","pibId":"old"}' }];
    return response.end(JSON.stringify(address.endsWith(":lookup") ? { users } : {}));
  }).listen(0, "127.0.0.1");
  await once(google, "listening");
});
afterAll(() => google.close());
beforeEach(() => {
  asked = [];
  assertions = [];
  fails = () => null;
});

/** Returns a service account's key with a name of its own, because access tokens are cached by name. */
const accountKey = (change: object = {}) =>
  JSON.stringify({
    type: "service_account",
    project_id: PROJECT,
    private_key_id: `key-${serial++}`,
    private_key: key.private_key,
    client_email: EMAIL,
    ...change,
  });

const newAdmin = (json = accountKey()) =>
  new FirebaseAdmin(json, {
    project_id: PROJECT,
    now_ms,
    send: (url, init) => {
      const { host, pathname } = new URL(url);
      const here = `http://127.0.0.1:${(google.address() as AddressInfo).port}${pathname}`;
      return fetch(here, { ...init, headers: { ...(init.headers as Record<string, string>), "x-host": host } });
    },
  });

const accounts = `identitytoolkit.googleapis.com/v1/projects/${PROJECT}/accounts`;

describe("a service account", () => {
  test("gets an access token by its own signature, for an hour and two services, once", async () => {
    const one = newAdmin();
    await one.deleteAccount(UID);
    await one.deleteAccount(UID);
    expect(assertions).toHaveLength(1);
    const [{ iat = 0, exp, scope } = {}] = assertions;
    expect(exp).toBe(iat + 3600);
    expect(String(scope).split(" ")).toEqual([
      "https://www.googleapis.com/auth/identitytoolkit",
      "https://www.googleapis.com/auth/datastore",
    ]);
  });

  test("signs out everywhere, deletes accounts and sets claims without losing others", async () => {
    const one = newAdmin();
    await one.signOutEverywhere(UID, { pibId: "old", keyForGlobalSignOut: "next-key" });
    await one.deleteAccount(UID);
    await one.setClaims(UID, { pibId: "pib-1", keyForGlobalSignOut: "key" });
    expect(asked).toEqual([
      { address: `POST ${accounts}:lookup`, body: { localId: [UID] } },
      {
        address: `POST ${accounts}:update`,
        body: {
          localId: UID,
          customAttributes: '{"plan":"gold","pibId":"old","keyForGlobalSignOut":"next-key"}',
          validSince: "1795143600",
        },
      },
      { address: `POST ${accounts}:delete`, body: { localId: UID } },
      { address: `POST ${accounts}:lookup`, body: { localId: [UID] } },
      {
        address: `POST ${accounts}:update`,
        body: { localId: UID, customAttributes: '{"plan":"gold","pibId":"pib-1","keyForGlobalSignOut":"key"}' },
      },
    ]);
  });

  test("writes no claims that the account has, nor those of an unknown account", async () => {
    const one = newAdmin();
    await one.setClaims(UID, { pibId: "old" });
    fails = (address) => (address.endsWith(":lookup") ? { status: 200, text: "{}" } : null);
    await one.setClaims(UID, { pibId: "pib-1" });
    await one.signOutEverywhere(UID, { keyForGlobalSignOut: "next-key" });
    expect(asked).toEqual([{ address: `POST ${accounts}:lookup`, body: { localId: [UID] } }]);
  });

  test("writes the document that pages watch, whatever characters the key has", async () => {
    await newAdmin().writeSignOutKey(UID, "a/../b");
    expect(asked).toEqual([
      {
        address: `PATCH firestore.googleapis.com/v1/projects/${PROJECT}/databases/(default)/documents/users/uid%2Fwith%20a%20slash/keys_for_global_sign_out/a%2F..%2Fb`,
        body: { fields: { registered_at: { timestampValue: now.toISOString() } } },
      },
    ]);
  });

  test("signs custom tokens that Firebase accepts, without a request", async () => {
    const token = await newAdmin().mintCustomToken(UID, { keyForGlobalSignOut: "shared-key" });
    const { payload } = await jwtVerify(token, key.public, {
      algorithms: ["RS256"],
      issuer: EMAIL,
      subject: EMAIL,
      audience: "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
      currentDate: now,
    });
    expect(payload).toMatchObject({
      uid: UID,
      claims: { keyForGlobalSignOut: "shared-key" },
      exp: (payload.iat ?? 0) + 3600,
    });
    expect([asked, assertions]).toEqual([[], []]);
  });
});

test.each<[string, object[], boolean]>([
  ["continues", [{ validSince: "1795140000" }], true],
  ["of an account whose sign-ins were never revoked continues", [{}], true],
  ["from before a change of credentials has ended", [{ validSince: "1795143599" }], false],
  ["of a disabled account has ended", [{ validSince: "0", disabled: true }], false],
  ["of a deleted account has ended", [], false],
])("a sign-in at Firebase %s", async (_, users, is_good) => {
  fails = (address) => (address.endsWith(":lookup") ? { status: 200, text: JSON.stringify({ users }) } : null);
  expect(await newAdmin().isSignInGood(UID, 1795143500)).toBe(is_good);
});

describe("success is not claimed", () => {
  const expectUnavailable = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Problem)) throw new Error("the work reported success");
    expect(error.code).toBe("unavailable");
    expect(String(error.cause)).not.toMatch(/PRIVATE KEY|secret words/);
  };

  test.each<[string, number, string]>([
    ["refuses", 403, '{"error":"secret words"}'],
    ["fails", 500, "secret words"],
    ["answers with a page", 200, "<!doctype html>"],
  ])("when Google %s", async (_, status, text) => {
    fails = (address) => (address.includes("accounts") ? { status, text } : null);
    await expectUnavailable(newAdmin().signOutEverywhere(UID, {}));
    fails = (address) => (address.includes("oauth2") ? { status, text } : null);
    await expectUnavailable(newAdmin().signOutEverywhere(UID, {}));
  });

  test.each<[string, () => string]>([
    ["is not JSON", () => "PRIVATE KEY"],
    ["is another project's", () => accountKey({ project_id: "another" })],
    ["has no key", () => accountKey({ private_key: "" })],
  ])("with a service account that %s", async (_, json) => {
    await expectUnavailable((async () => newAdmin(json()).signOutEverywhere(UID, {}))());
  });
});
