import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openIdentity } from "../../workers/identity/storage/database.ts";
import { currentSigningKey } from "../../workers/identity/storage/signing-keys.ts";
import { general, problemCode, refresh, refusal, type SignedIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity, unbound } from "./support.ts";

const KEYS_PATH = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";
const DAY_MS = 24 * 60 * 60 * 1000;

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

async function fetchKeySet(running = identity): Promise<JSONWebKeySet> {
  return (await (await running.fetch(KEYS_PATH)).json()) as JSONWebKeySet;
}

describe("an ID token", () => {
  test("has Firebase's format, and verifies with the published keys", async () => {
    const before = Math.floor(Date.now() / 1000);
    const { idToken, localId } = await signUp(identity, "claims@example.jp");
    const { payload, protectedHeader } = await jwtVerify(idToken, createLocalJWKSet(await fetchKeySet()), {
      algorithms: ["RS256"],
    });
    expect(protectedHeader).toEqual({ alg: "RS256", typ: "JWT", kid: expect.any(String) });
    expect(payload).toEqual({
      iss: "https://securetoken.google.com/demo-ofuse",
      aud: "demo-ofuse",
      sub: localId,
      user_id: localId,
      auth_time: expect.any(Number),
      iat: expect.any(Number),
      exp: Number(payload.iat) + 3600,
      email: "claims@example.jp",
      email_verified: false,
      keyForGlobalSignOut: expect.any(String),
      signInId: expect.any(String),
      firebase: { identities: { email: ["claims@example.jp"] }, sign_in_provider: "password" },
    });
    expect(payload.iat).toBeGreaterThanOrEqual(before);
  });
});

describe("a forged token", () => {
  let person: SignedIn;
  let claims: Record<string, unknown>;
  beforeEach(async () => {
    person = await signUp(identity, `forged-${crypto.randomUUID()}@example.jp`);
    claims = { ...decodeJwt(person.idToken) };
  });

  async function expectRefused(token: string) {
    const response = await general(identity, "GET", "/auth/custom-token", token);
    expect([response.status, await problemCode(response)]).toEqual([401, "token_invalid"]);
    expect(await refusal(identity, "lookup", { idToken: token })).toBe("INVALID_ID_TOKEN");
  }

  async function signToken(change: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
    const env = { ...unbound, ...identity.bindings, DB: identity.database };
    const { kid, key } = await currentSigningKey(openIdentity(env, Date.now()));
    return new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: "RS256", kid, ...header }).sign(key);
  }

  test("with nothing changed is accepted", async () => {
    expect((await general(identity, "GET", "/auth/custom-token", await signToken({}))).status).toBe(200);
  });

  test("without a signature is refused", async () => {
    const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const alg of ["none", "None", "NONE"]) await expectRefused(`${encodeJson({ alg })}.${encodeJson(claims)}.`);
  });

  test("signed with the public key as a secret is refused", async () => {
    const { keys } = await fetchKeySet();
    const { kid } = decodeProtectedHeader(person.idToken);
    const secret = new TextEncoder().encode(JSON.stringify(keys[0]));
    await expectRefused(await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(secret));
  });

  test("signed with a foreign key is refused, under our key id and under its own", async () => {
    const { privateKey } = await generateKeyPair("RS256");
    const { kid } = decodeProtectedHeader(person.idToken);
    for (const named of [kid, "foreign", undefined]) {
      await expectRefused(await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: named }).sign(privateKey));
    }
  });

  test.each([
    ["a foreign issuer", { iss: "https://securetoken.google.com/another-project" }],
    ["a foreign audience", { aud: "another-project" }],
    ["an end in the past", { iat: 1_700_000_000, exp: 1_700_003_600 }],
    ["no end", { exp: undefined }],
    ["no subject", { sub: "" }],
    ["no sign-in time", { auth_time: undefined }],
  ])("with %s is refused, though we signed it", async (_, change) => {
    await expectRefused(await signToken(change));
  });

  test("with a changed subject is refused", async () => {
    const [header, , signature] = person.idToken.split(".");
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: "somebody-else" })).toString("base64url");
    await expectRefused(`${header}.${payload}.${signature}`);
  });
});

describe("the key set", () => {
  test("has one key for all parallel first requests", async () => {
    const fresh = await startIdentity();
    try {
      const sets = await Promise.all(Array.from({ length: 10 }, () => fetchKeySet(fresh)));
      expect(new Set(sets.map((set) => JSON.stringify(set))).size).toBe(1);
      expect(sets[0]?.keys).toHaveLength(1);
    } finally {
      await fresh.stop();
    }
  });

  test("is public and cacheable, without a private part, at both paths", async () => {
    const response = await identity.fetch(KEYS_PATH);
    expect(response.headers.get("cache-control")).toMatch(/^public, max-age=\d+$/);
    const { keys } = (await response.json()) as JSONWebKeySet;
    expect(keys).toEqual([
      { kty: "RSA", use: "sig", alg: "RS256", kid: expect.any(String), n: expect.any(String), e: "AQAB" },
    ]);
    expect(await (await identity.fetch(`/www.googleapis.com${KEYS_PATH}`)).json()).toEqual({ keys });
  });

  test("keeps private keys encrypted at rest", async () => {
    await fetchKeySet();
    const row = await identity.database
      .prepare("SELECT sealed_private_jwk FROM signing_keys")
      .first<{ sealed_private_jwk: string }>();
    expect(decodeProtectedHeader(row?.sealed_private_jwk ?? "")).toEqual({ alg: "dir", enc: "A256GCM" });
  });

  test("rotates with overlap: published before it signs, kept until its last token has expired", async () => {
    const rotating = await startIdentity();
    const setTimes = (generation: number, at_ms: number) =>
      rotating.database
        .prepare("UPDATE signing_keys SET created_at = ?1, signs_from = ?1 WHERE generation = ?2")
        .bind(new Date(at_ms).toISOString(), generation)
        .run();
    try {
      const { idToken, refreshToken } = await signUp(rotating, "rotating@example.jp");
      const oldKid = decodeProtectedHeader(idToken).kid;
      await rotating.runScheduled();
      expect((await fetchKeySet(rotating)).keys).toHaveLength(1);

      await setTimes(1, Date.now() - 31 * DAY_MS);
      await Promise.all([rotating.runScheduled(), rotating.runScheduled()]);
      const published = (await fetchKeySet(rotating)).keys.map(({ kid }) => kid);
      expect(published).toHaveLength(2);
      const during = await refresh(rotating, refreshToken);
      expect(decodeProtectedHeader(String(during.body.id_token)).kid).toBe(oldKid);

      await setTimes(2, Date.now() - 30 * 60_000);
      const after = await refresh(rotating, String(during.body.refresh_token));
      const newKid = decodeProtectedHeader(String(after.body.id_token)).kid;
      expect(newKid).not.toBe(oldKid);
      expect(published).toContain(newKid);
      await rotating.runScheduled();
      for (const token of [idToken, String(after.body.id_token)]) {
        expect((await general(rotating, "GET", "/auth/custom-token", token)).status).toBe(200);
      }

      await setTimes(2, Date.now() - 2 * 60 * 60_000);
      await rotating.runScheduled();
      expect((await fetchKeySet(rotating)).keys.map(({ kid }) => kid)).toEqual([newKid]);
      const { results } = await rotating.database.prepare("SELECT kid FROM signing_keys").all();
      expect(results).toEqual([{ kid: newKid }]);
    } finally {
      await rotating.stop();
    }
  });
});
