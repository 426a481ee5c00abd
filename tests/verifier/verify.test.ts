import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { TokenRefused, type VerifierSettings, verifyIdToken } from "../../workers/verifier/index.ts";

const PROJECT = "ofuse-test";
const now_s = Math.floor(Date.now() / 1000);
const claims: JWTPayload = {
  iss: `https://securetoken.google.com/${PROJECT}`,
  aud: PROJECT,
  sub: "somebody",
  iat: now_s - 10,
  exp: now_s + 3600,
  auth_time: now_s - 10,
};

let sign: (payload: JWTPayload, header?: { alg?: string; kid?: string }) => Promise<string>;
let settings: VerifierSettings;
let public_key_text: string;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  public_key_text = JSON.stringify(jwk);
  sign = (payload, header = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: "k1", ...header }).sign(privateKey);
  settings = {
    project_id: PROJECT,
    jwks_url: "https://keys.test/jwk",
    fetch: async () => Response.json({ keys: [jwk] }),
  };
});

test("accepts a token of this project, with its claims", async () => {
  expect(await verifyIdToken(await sign(claims), settings)).toMatchObject({ sub: "somebody", aud: PROJECT });
});

test("allows the provider's clock to be almost five minutes ahead or behind", async () => {
  for (const skew_s of [290, -290]) {
    const skewed = { ...claims, iat: now_s + skew_s, auth_time: now_s + skew_s, exp: now_s + skew_s + 3600 };
    expect(await verifyIdToken(await sign(skewed), settings)).toMatchObject({ sub: "somebody" });
  }
});

describe("refuses a token", () => {
  const claimsWithout = (name: string) =>
    Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));
  test.each<[string, () => Promise<string>]>([
    ["that has expired", () => sign({ ...claims, exp: now_s - 1 })],
    ["of another project", () => sign({ ...claims, aud: "another" })],
    ["of another issuer", () => sign({ ...claims, iss: "https://securetoken.google.com/another" })],
    ["with an empty subject", () => sign({ ...claims, sub: "" })],
    ["without a subject", () => sign(claimsWithout("sub"))],
    ["without an expiry time", () => sign(claimsWithout("exp"))],
    ["without the time of sign-in", () => sign(claimsWithout("auth_time"))],
    ["signed by a key we do not know", () => sign(claims, { kid: "k2" })],
    ["that is not signed", async () => new UnsecuredJWT(claims).encode()],
    [
      "signed with the public key as a secret",
      () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256", kid: "k1" })
          .sign(new TextEncoder().encode(public_key_text)),
    ],
    [
      "by another key of the same name",
      async () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256", kid: "k1" })
          .sign((await generateKeyPair("RS256")).privateKey),
    ],
    ...["none", "None", "NONE", "nOnE"].map((alg): [string, () => Promise<string>] => [
      `that says "${alg}" signs it`,
      async () => {
        const parts = [{ alg, kid: "k1" }, claims].map((part) =>
          Buffer.from(JSON.stringify(part)).toString("base64url"),
        );
        return `${parts.join(".")}.`;
      },
    ]),
    ["made more than five minutes from now", () => sign({ ...claims, iat: now_s + 360 })],
    ["of somebody who signs in tomorrow", () => sign({ ...claims, auth_time: now_s + 86_400 })],
    [
      "that is a session of ours",
      async () =>
        new SignJWT({ session: { id: "somebody", token: "a.b.c" } })
          .setProtectedHeader({ alg: "HS256", kid: "k1" })
          .setIssuedAt()
          .setExpirationTime("1 hour")
          .sign(new TextEncoder().encode("session-key-of-the-tests-000000000001")),
    ],
    ["that is no token", async () => "not.a.token"],
    ["that is empty", async () => ""],
  ])("%s", async (_what, make) => {
    await expect(verifyIdToken(await make(), settings)).rejects.toBeInstanceOf(TokenRefused);
  });
});

test("fetches the keys once, for any number of tokens with any key id", async () => {
  let asked = 0;
  const counted: VerifierSettings = {
    ...settings,
    jwks_url: `https://keys.test/${crypto.randomUUID()}`,
    fetch: (...request) => {
      asked++;
      return settings.fetch(...request);
    },
  };
  for (let n = 0; n < 5; n++) {
    await verifyIdToken(await sign(claims), counted);
    await expect(verifyIdToken(await sign(claims, { kid: `made up ${n}` }), counted)).rejects.toThrow(TokenRefused);
  }
  expect(asked).toBe(1);
});

test("reports an outage, not a bad token, when the keys cannot be fetched", async () => {
  for (const fetch of [
    async () => new Response("down", { status: 503 }),
    async () => {
      throw new TypeError("no network");
    },
  ]) {
    const down = { ...settings, jwks_url: `https://keys.test/${crypto.randomUUID()}`, fetch };
    const failure = await verifyIdToken(await sign(claims), down).catch((error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(TokenRefused);
  }
});
