import { SignJWT } from "jose";
import { sha256Hex } from "../../kernel/digest.ts";
import { startChallenge, takeChallenge } from "../provider/challenges.ts";
import type { Identity } from "../storage/database.ts";
import { developerSigningKey } from "./keys.ts";
import { type DeveloperPerson, issuerOf } from "./providers.ts";

/** Authorization codes and the ID tokens they are exchanged for. Source: OpenID Connect Core 1.0, section 3.1. */

/** The lifetime of an authorization code. It leaves the user time to read a page on the way. */
const CODE_MS = 5 * 60 * 1000;
const TOKEN_LIFE_S = 5 * 60;

export interface Grant {
  provider_id: string;
  redirect_uri: string;
  nonce: string | null;
  person: DeveloperPerson;
}

export function issueCode(identity: Identity, grant: Grant): Promise<string> {
  return startChallenge(identity, {
    kind: "developer_code",
    local_id: null,
    detail: { ...grant },
    life_ms: CODE_MS,
  });
}

/**
 * Exchanges a code for its ID token and uses the code up. Returns null for an unknown code, and for a code issued to
 * another redirect address.
 */
export async function exchangeCode(
  identity: Identity,
  asked: { provider_id: string; redirect_uri: string; code: string },
): Promise<string | null> {
  const taken = await takeChallenge(identity, "developer_code", asked.code);
  if (!taken) return null;
  const { provider_id, redirect_uri, nonce } = taken.detail;
  if (provider_id !== asked.provider_id || redirect_uri !== asked.redirect_uri) return null;
  return mintIdToken(identity, provider_id, nonce, taken.detail.person as DeveloperPerson);
}

async function mintIdToken(identity: Identity, provider_id: string, nonce: string | null, person: DeveloperPerson) {
  const { kid, key } = await developerSigningKey(identity);
  const iat = Math.floor(identity.now_ms / 1000);
  const { name, email, email_verified } = person;
  return new SignJWT({
    ...(nonce !== null && { nonce }),
    ...(name && { name }),
    ...(email && { email, email_verified }),
  })
    .setProtectedHeader({ alg: "RS256", kid, typ: "JWT" })
    .setIssuer(issuerOf(provider_id))
    .setAudience(identity.env.PROJECT_ID)
    .setSubject(await subjectOf(provider_id, person))
    .setIssuedAt(iat)
    .setExpirationTime(iat + TOKEN_LIFE_S)
    .sign(key);
}

/**
 * Returns the `sub` of the person at this provider. The same person has the same `sub` each time, and another at each
 * provider.
 */
async function subjectOf(provider_id: string, { email, name }: DeveloperPerson): Promise<string> {
  return (await sha256Hex(`${provider_id} ${email ?? name}`)).slice(0, 24);
}
