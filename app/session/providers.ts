import { decodeJwt, errors } from "jose";
import { log } from "../../workers/kernel/log.ts";
import type { IdentityClaims } from "../../workers/verifier/index.ts";
import { FetchError } from "../v4/errors.ts";
import { IdentityRefusal, type IdentityToolkit } from "./identity-toolkit.ts";

/**
 * Returns the providers that a token's claims name. `identities.email` means any address that Firebase knows, also a
 * Google account's, so it counts as `password` only when it is alone or this sign-in used it.
 */
export function claimedProviders({ firebase }: Pick<IdentityClaims, "firebase">): string[] {
  const { email, ...others } = firebase?.identities ?? {};
  const has_password = email !== undefined && (isAlone(others) || firebase?.sign_in_provider === "password");
  return [...(has_password ? ["password"] : []), ...Object.keys(others)];
}

/**
 * Returns the providers linked to the token's account: from its claims where they are unambiguous, otherwise from the
 * provider. When the provider does not answer, the claims are used, so that nobody is locked out.
 */
export async function linkedProviders(toolkit: IdentityToolkit, id_token: string): Promise<string[]> {
  const claims = readClaims(id_token);
  const { email, ...others } = claims.firebase?.identities ?? {};
  if (email === undefined || isAlone(others)) return claimedProviders(claims);
  try {
    const { providerUserInfo = [] } = await toolkit.lookUp(id_token);
    return providerUserInfo.map(({ providerId }) => providerId);
  } catch (error) {
    if (!(error instanceof IdentityRefusal || error instanceof FetchError)) throw error;
    log("warn", { message: "linked providers not known", reason: error.message });
    return claimedProviders(claims);
  }
}

/** Returns empty claims for an invalid token; the verifier rejects it later. */
function readClaims(id_token: string): Pick<IdentityClaims, "firebase"> {
  try {
    return decodeJwt<IdentityClaims>(id_token);
  } catch (error) {
    if (error instanceof errors.JOSEError) return {};
    throw error;
  }
}

const isAlone = (others: object) => Object.keys(others).length === 0;
