/** Bearer tokens made by the tests: with the provider's real key, and with other keys. */
import { decodeJwt, exportSPKI, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { expect } from "vitest";
import { openIdentity } from "../../../workers/identity/storage/database.ts";
import { currentSigningKey } from "../../../workers/identity/storage/signing-keys.ts";
import { signOperatorToken } from "../../../workers/verifier/operator-token.ts";
import { api, database, freshMember, type Member, network } from "../../support/network.ts";
import { waitUntil } from "../../support/wait.ts";

const KEYS = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";
const HOUR_S = 60 * 60;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Returns a signer with the provider's present key, read from its storage. */
async function providerSigner(): Promise<(claims: JWTPayload) => Promise<string>> {
  const { secrets } = await network();
  const DB = await database("identity");
  const env = { DB, ENCRYPTION_KEY: secrets.ENCRYPTION_KEY } as IdentityEnv;
  const { kid, key } = await currentSigningKey(openIdentity(env, Date.now()));
  return (claims) => new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid, typ: "JWT" }).sign(key);
}

/** Returns a copy of the token with changed claims and a new hour. It is signed by our key, so it is valid. */
export async function signedAgain(good: string, changed: JWTPayload = {}): Promise<string> {
  const now = nowSeconds();
  return (await providerSigner())({ ...decodeJwt(good), iat: now, exp: now + HOUR_S, ...changed });
}

/** Returns expired tokens with the provider's key and claims, by when they expired. */
export async function expiredTokens(good: string): Promise<Record<string, string>> {
  const sign = await providerSigner();
  const ended = (seconds_ago: number) => {
    const exp = nowSeconds() - seconds_ago;
    return sign({ ...decodeJwt(good), iat: exp - HOUR_S, auth_time: exp - HOUR_S, exp });
  };
  return { "ended this second": await ended(0), "ended an hour ago": await ended(HOUR_S) };
}

/** Returns tokens of ended sign-ins, by how they ended. They have not expired, and their signatures are valid. */
export async function endedTokens(): Promise<Record<string, string>> {
  const identity = await database("identity");
  const end = async (how: (token: string, member: Member) => Promise<unknown>) => {
    const { token, ...member } = await freshMember("終わった人");
    await how(token, { token, ...member });
    // The workers learn of it within a second: docs/decisions/0018.
    await waitUntil(async () => expect((await api("GET", "/v4/profile", { token })).status).toBe(401));
    return token;
  };
  const set = (columns: string, { email }: Member) =>
    identity.prepare(`UPDATE accounts SET ${columns} WHERE email = ?`).bind(email).run();
  const ended = {
    "of an account that logged out": end((token) =>
      api("PUT", "/v2/general/auth/key-for-global-sign-out", {
        token,
        body: { key: decodeJwt(token).keyForGlobalSignOut },
      }),
    ),
    "of a device that logged out by itself": end((token) =>
      api("DELETE", `/v2/general/auth/sign-ins?id=${decodeJwt(token).signInId}`, { token }),
    ),
    "from before a new password": end((_, member) => set("valid_since = '2999-01-01T00:00:00.000Z'", member)),
    "of an account that the provider disabled": end((_, member) => set("disabled = 1", member)),
    "of an account that is deleted": end((_, { email }) =>
      identity.prepare("DELETE FROM accounts WHERE email = ?").bind(email).run(),
    ),
  };
  const tokens = Object.entries(ended).map(async ([how, token]) => [how, await token] as const);
  return Object.fromEntries(await Promise.all(tokens));
}

/** Returns tokens that every operation must refuse, by what is wrong with them. */
export async function forgedTokens(good: string): Promise<Record<string, string>> {
  const [header = "", payload = "", signature = ""] = good.split(".");
  const claims = decodeJwt(good);
  const { keys } = (await api("GET", KEYS)).json as { keys: JWK[] };
  const [jwk = {}] = keys;
  const { kid = "" } = jwk;
  const { privateKey } = await generateKeyPair("RS256");
  const sign = await providerSigner();
  const signed = (changed: object, protectedHeader: { kid?: string } = { kid }) =>
    new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: "RS256", ...protectedHeader }).sign(privateKey);
  const publicKey = (await importJWK({ ...jwk, alg: "RS256" }, "RS256", { extractable: true })) as CryptoKey;
  const hmac = (secret: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(new TextEncoder().encode(secret));
  const custom = await api("GET", "/v2/general/auth/custom-token", { token: good });
  const { exp: _, ...endless } = claims;
  return {
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
    "our custom token": (custom.json as { token: string }).token,
    "our key, a foreign issuer": await sign({ ...claims, iss: "https://securetoken.google.com/another" }),
    "our key, a foreign audience": await sign({ ...claims, aud: "another" }),
    "our key, nobody's": await sign({ ...claims, sub: "" }),
    "our key, without an end": await sign(endless),
    "our key, not yet good": await sign({ ...claims, nbf: nowSeconds() + HOUR_S }),
  };
}

/** Returns a token signed with OPERATOR_KEY, as the command makes one for each call. */
export async function operatorToken(): Promise<string> {
  const key = (await network()).secrets.OPERATOR_KEY;
  return signOperatorToken("hana", { key, audience: "ofuse-api", now_ms: Date.now() });
}
