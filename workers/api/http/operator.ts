import type { Operation } from "../../contract/operation.ts";
import { Problem } from "../../kernel/problem.ts";
import { TokenRefused, type VerifierSettings } from "../../verifier/index.ts";
import { readOperatorName, verifyOperatorToken } from "../../verifier/operator-token.ts";
import type { Database } from "../storage/database.ts";
import { recordEntrance } from "../storage/operator-entrances.ts";
import { authenticateCaller } from "./authenticate.ts";
import type { Caller, Operator, OperatorAccess } from "./request-context.ts";
import type { SignIns } from "./sign-in-state.ts";

/**
 * A signed-in operator may change things for this long after the last proof of identity (`auth_time`). Source:
 * docs/decisions/0024.
 */
const PROOF_S = 10 * 60;

interface Gate {
  access: OperatorAccess;
  verifier: VerifierSettings;
  database: Database;
  signIns: SignIns;
  now_ms: number;
  request_id: string;
}

/**
 * Authenticates an operator in one of two ways: by a token signed with OPERATOR_KEY (`caller` is null), or by the ID
 * token of a live sign-in with a second factor and the claim `operator` (a name).
 *
 * Throws `not_found` for all other callers, so that an operator's operation looks like an unknown address. Operators
 * may get `unavailable`, and `recent_sign_in_required` for a write.
 */
export async function admitOperator(
  { method }: Operation,
  request: Request,
  { access, verifier, database, signIns, now_ms, request_id }: Gate,
): Promise<{ operator: Operator; caller: Caller | null }> {
  const token = /^Bearer ([\w.-]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (!token) throw new Problem("not_found");
  const named = await verifyOperatorToken(token, { key: access.key, audience: "ofuse-api", now_ms }).catch(
    (error: unknown) => {
      if (error instanceof TokenRefused) return null;
      throw error;
    },
  );
  if (named) return { operator: { ...access, name: named }, caller: null };

  const caller = await authenticateCaller("required", request, verifier, database, {
    requireLive: async (claims, given) => {
      // Ask only about operators: an outage of identity must not reveal to members that the address exists.
      if (readOperatorName(claims)) await signIns.requireLive(claims, given, true);
    },
  }).catch((error: unknown) => {
    if (error instanceof Problem && error.code !== "unavailable") throw new Problem("not_found", { cause: error });
    throw error;
  });
  const name = caller && readOperatorName(caller.claims);
  if (!name) throw new Problem("not_found");
  await recordEntrance(database, { name, uid: caller.claims.sub, now_ms, request_id });
  const is_proven = caller.claims.auth_time >= now_ms / 1000 - PROOF_S;
  if (method !== "GET" && !is_proven) throw new Problem("recent_sign_in_required");
  return { operator: { ...access, name }, caller };
}
