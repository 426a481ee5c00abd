import { decodeJwt } from "jose";
import type { IdentityClaims } from "../../workers/verifier/index.ts";
import { readOperatorName } from "../../workers/verifier/operator-token.ts";
import type { Session } from "./session.ts";

/**
 * Whether the session's token names an operator who signed in with a second factor. The token was verified before it was
 * put into the signed cookie. The API decides each call again: the operator may have been signed out since.
 */
export function isOperator({ token }: Session): boolean {
  return readOperatorName(decodeJwt<Partial<IdentityClaims>>(token)) !== null;
}
