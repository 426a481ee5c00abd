import { exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { productOperations } from "../../workers/contract/index.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { getProfile } from "../../workers/contract/users.ts";
import { api, browser, signIn } from "../support/network.ts";
import { type Call, expectProblem, NOBODY, refused, send } from "./support/calls.ts";

const KEYS = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Tokens that no operation may take, by what is wrong with them. */
let forged: Record<string, string>;

beforeAll(async () => {
  const good = await signIn("natsume");
  const [header = "", payload = "", signature = ""] = good.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
  const { keys } = (await api("GET", KEYS)).json as { keys: JWK[] };
  const [jwk = {}] = keys;
  const { kid = "" } = jwk;
  const { privateKey } = await generateKeyPair("RS256");
  const signed = (changed: object, protectedHeader: { kid?: string } = { kid }) =>
    new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: "RS256", ...protectedHeader }).sign(privateKey);
  const publicKey = (await importJWK({ ...jwk, alg: "RS256" }, "RS256", { extractable: true })) as CryptoKey;
  const hmac = (secret: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(new TextEncoder().encode(secret));
  const custom = await api("GET", "/v2/general/auth/custom-token", { token: good });
  const now = Math.floor(Date.now() / 1000);
  forged = {
    "no token at all": "garbage",
    "three empty parts": "..",
    "no JSON": "AAAA.AAAA.AAAA",
    "alg none": `${encode({ alg: "none", kid })}.${payload}.`,
    "alg none in capitals": `${encode({ alg: "NONE", kid })}.${payload}.${signature}`,
    "no signature": `${header}.${payload}.`,
    "changed claims": `${header}.${encode({ ...claims, sub: "demo0000" })}.${signature}`,
    "HS256 with the public key's PEM": await hmac(await exportSPKI(publicKey)),
    "HS256 with the public key's modulus": await hmac(jwk.n ?? ""),
    "a foreign key": await signed({}),
    "a key of its own": await signed({}, { kid: "another" }),
    "no key named": await signed({}, {}),
    "a foreign issuer": await signed({ iss: "https://securetoken.google.com/another", aud: "another" }),
    "an end in the past": await signed({ iat: now - 7200, exp: now - 3600 }),
    "our custom token": (custom.json as { token: string }).token,
  };
});

/** A call with ids that name nothing: what is asked for matters only once it is known who asks. */
const callOf = (operation: Operation): Call => ({
  params: Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, NOBODY])),
  ...(operation.body && { body: {} }),
});

const by = (auth: Operation["auth"]) => productOperations.filter((operation) => operation.auth === auth);

describe.each(by("required"))("$id", (operation) => {
  test("refuses a visitor", async () => {
    const reply = await send(operation, callOf(operation));
    expectProblem(reply, "unauthenticated");
    expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  test("refuses every token that is not the provider's own", async () => {
    for (const [why, token] of Object.entries(forged)) {
      const reply = await send(operation, { ...callOf(operation), token });
      expect(reply.status, why).toBe(401);
      expectProblem(reply, "token_invalid");
    }
  });

  test("refuses credentials of another kind", async () => {
    const token = await signIn("natsume");
    for (const authorization of ["Bearer", "Bearer  ", `Basic ${token}`, `Bearer ${token} ${token}`, token]) {
      const reply = await send(operation, { ...callOf(operation), headers: { authorization } });
      expect(reply.status, authorization.slice(0, 20)).toBe(401);
    }
  });
});

describe.each(by("required").filter(({ errors }) => errors.includes("registration_required")))("$id", (operation) => {
  test("asks somebody without a profile to finish registering", async () => {
    const params = callOf(operation).params ?? {};
    const body = {
      following_id: NOBODY,
      receiver_user_id: NOBODY,
      message: "手紙",
      receives_notifications: true,
      is_opened: true,
      secret: "secret",
    };
    await refused(operation, "registration_required", {
      params,
      token: await signIn("fan_new"),
      ...(operation.body && { body }),
      ...(operation.id === "unfollow" && { query: { following_id: NOBODY } }),
    });
  });
});

describe.each(by("optional"))("$id", (operation) => {
  test("answers a visitor, and refuses a token that is no good", async () => {
    expect((await send(operation, callOf(operation))).status).not.toBe(401);
    for (const [why, token] of Object.entries(forged)) {
      const reply = await send(operation, { ...callOf(operation), token });
      expect(reply.status, why).toBe(401);
      expectProblem(reply, "token_invalid");
    }
  });
});

describe.each(by("none"))("$id", (operation) => {
  test("never looks at a token", async () => {
    const visitor = await send(operation, callOf(operation));
    expect([200, 404, 422]).toContain(visitor.status);
    for (const token of Object.values(forged)) {
      expect((await send(operation, { ...callOf(operation), token })).status).toBe(visitor.status);
    }
  });
});

test("a cookie never authenticates a call of the API", async () => {
  const member = await browser();
  await member.signIn("natsume");
  expect(member.cookies.size).toBeGreaterThan(0);
  const page = await member.get("/v4/profile");
  expect(page.status).toBe(401);
  const token = await signIn("natsume");
  for (const cookie of [`soziIdAuth=${token}`, `authorization=Bearer ${token}`, `token=${token}`]) {
    await refused(getProfile, "unauthenticated", { headers: { cookie } });
  }
});
