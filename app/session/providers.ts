import { decodeJwt, errors } from "jose";
import type { IdentityClaims } from "../../workers/verifier/index.ts";
import { FetchError } from "../v4/errors.ts";
import { IdentityRefusal, type IdentityToolkit } from "./identity-toolkit.ts";

/**
 * The providers a token's claims tell of, for an account that signs in by `password` or in one other way. `identities.email`
 * stands for any address Firebase knows, also a Google account's: beside others only the way of this sign-in says more.
 */
export function claimedProviders({ firebase }: Pick<IdentityClaims, "firebase">): string[] {
  const { email, ...others } = firebase?.identities ?? {};
  const has_password = email !== undefined && (isAlone(others) || firebase?.sign_in_provider === "password");
  return [...(has_password ? ["password"] : []), ...Object.keys(others)];
}

/**
 * The providers linked to the account of a token: from its claims where they are plain, otherwise asked of the provider.
 * When it does not say, what the claims tell is used: nobody is kept out for it.
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
    console.warn(JSON.stringify({ message: "linked providers not known", reason: error.message }));
    return claimedProviders(claims);
  }
}

/** What is no token has no claims: it is refused where it is verified. */
function readClaims(id_token: string): Pick<IdentityClaims, "firebase"> {
  try {
    return decodeJwt<IdentityClaims>(id_token);
  } catch (error) {
    if (error instanceof errors.JOSEError) return {};
    throw error;
  }
}

const isAlone = (others: object) => Object.keys(others).length === 0;
