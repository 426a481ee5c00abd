import { OPERATOR_NAME } from "../../verifier/operator-token.ts";

/** Checks the custom claims that an operator may set. Scripts use it too, so it imports nothing from the worker. */

/**
 * Names of claims that the provider or the JWT standard uses. Source:
 * https://firebase.google.com/docs/auth/admin/custom-claims; RFC 7519, 4.1; the claims of tokens.ts.
 */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set([
  ...["acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti"],
  ...["nbf", "nonce", "sub", "user_id"],
  ...["name", "picture", "email", "email_verified", "phone_number", "pibId", "keyForGlobalSignOut", "signInId"],
]);

/**
 * The maximum length of the claims, because every request carries them in a header. Source:
 * https://firebase.google.com/docs/auth/admin/custom-claims.
 */
const MAX_LENGTH = 1000;

/** Returns the reason why the JSON may not be an account's claims, or null when it may. */
export function claimsBreach(json: string): string | null {
  if (json.length > MAX_LENGTH) return `Claims take at most ${MAX_LENGTH} characters.`;
  let claims: unknown;
  try {
    claims = JSON.parse(json);
  } catch {
    return "Claims are a JSON object.";
  }
  if (typeof claims !== "object" || claims === null || Array.isArray(claims)) return "Claims are a JSON object.";
  const reserved = Object.keys(claims).filter((name) => RESERVED_CLAIMS.has(name));
  if (reserved.length > 0) return `Reserved: ${reserved.join(", ")}.`;
  const { operator } = claims as { operator?: unknown };
  // Another value makes no operator, and would count as one at the first start of a site.
  const is_operator_named = operator === undefined || (typeof operator === "string" && OPERATOR_NAME.test(operator));
  return is_operator_named ? null : "operator is a name of up to 64 letters, digits and . @ + - _";
}
