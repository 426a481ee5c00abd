import { errors, jwtVerify, SignJWT } from "jose";
import { type IdentityClaims, TokenRefused } from "./index.ts";

/**
 * Operator tokens are signed with OPERATOR_KEY. The command line sends one to the product API, and the product API
 * sends one to the identity service. Source: docs/decisions/0024.
 */

/** The worker that a token is for. Other workers refuse it. */
export type OperatorAudience = "ofuse-api" | "ofuse-identity";

const ISSUER = "ofuse-operator";
const LIFE_S = 60;
/** How many seconds the clocks of the two machines may differ. */
const TOLERANCE_S = 30;
const MIN_KEY_LENGTH = 32;
/** The form of an operator's name in the audit log. */
export const OPERATOR_NAME = /^[\w.@+-]{1,64}$/;

const bytesOf = (key: string) => new TextEncoder().encode(key);

/** Signs a token that is valid for a minute. `operator` is the name that the audit log gets. */
export function signOperatorToken(
  operator: string,
  { key, audience, now_ms }: { key: string; audience: OperatorAudience; now_ms: number },
): Promise<string> {
  const iat = Math.floor(now_ms / 1000);
  return new SignJWT({ operator })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setIssuedAt(iat)
    .setExpirationTime(iat + LIFE_S)
    .sign(bytesOf(key));
}

/**
 * Returns the name of the operator who signed a token.
 *
 * @param key when it is missing or short, every token is refused.
 * @throws TokenRefused for a token that is forged, foreign, malformed or older than a minute.
 */
export async function verifyOperatorToken(
  token: string,
  { key, audience, now_ms }: { key: string | undefined; audience: OperatorAudience; now_ms: number },
): Promise<string> {
  if (!key || key.length < MIN_KEY_LENGTH) throw new TokenRefused("there is no OPERATOR_KEY");
  try {
    const { payload } = await jwtVerify(token, bytesOf(key), {
      algorithms: ["HS256"],
      issuer: ISSUER,
      audience,
      maxTokenAge: LIFE_S,
      clockTolerance: TOLERANCE_S,
      requiredClaims: ["iat", "exp", "operator"],
      currentDate: new Date(now_ms),
    });
    const { operator } = payload;
    if (typeof operator !== "string" || !OPERATOR_NAME.test(operator)) throw new TokenRefused("malformed claims");
    return operator;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new TokenRefused(error.code, { cause: error });
    throw error;
  }
}

/**
 * Returns the operator's name in an ID token. Returns null without the claim or without a second factor. Source:
 * docs/decisions/0024.
 */
export function readOperatorName({ operator, firebase }: Partial<IdentityClaims>): string | null {
  const is_named = typeof operator === "string" && OPERATOR_NAME.test(operator);
  return is_named && firebase?.sign_in_second_factor ? operator : null;
}
