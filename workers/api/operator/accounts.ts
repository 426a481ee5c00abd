import { type ErrorCode, errorCatalogue } from "../../contract/errors.ts";
import { type AnswerOf, addressOf, type InputOf, type Operation } from "../../contract/operation.ts";
import type { findAccount, IdentityAccount } from "../../contract/operator.ts";
import type { ProblemJson } from "../../contract/problem.ts";
import { Problem } from "../../kernel/problem.ts";
import { IDENTITY_ORIGIN } from "../../verifier/deployment.ts";
import { signOperatorToken } from "../../verifier/operator-token.ts";
import { operatorOf, type RequestContext } from "../http/request-context.ts";

/** Calls of identity, which keeps the accounts in its own database. */

/** Long enough for identity to hash a password. */
const TIME_LIMIT_MS = 10_000;

/** The operations that the identity worker serves: those that answer with an account. */
export type AccountOperation = Operation & { answer: (typeof findAccount)["answer"] };

/**
 * Calls the identity worker for its half of the operation. Returns the account as it is afterwards.
 * Throws the identity worker's refusals, and `unavailable` if it does not answer or fails.
 */
export async function askIdentity<O extends AccountOperation>(
  context: RequestContext,
  operation: O,
  input: { [Part in keyof InputOf<O>]?: InputOf<O>[Part] },
): Promise<IdentityAccount> {
  const { name, key, identity } = operatorOf(context);
  if (!key) throw new Problem("unavailable", { cause: new Error("there is no OPERATOR_KEY") });
  const token = await signOperatorToken(name, { key, audience: "ofuse-identity", now_ms: Date.now() });
  const { params, query, body } = input as { params?: object; query?: object; body?: unknown };
  const address = addressOf(operation, { params: { ...params }, query: { ...query } });
  let answer: { status: number; json: unknown };
  try {
    const response = await identity.fetch(`${IDENTITY_ORIGIN}${address}`, {
      method: operation.method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-request-id": context.request_id,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    answer = { status: response.status, json: await response.json() };
  } catch (cause) {
    throw new Problem("unavailable", { cause });
  }
  if (answer.status < 300) return answer.json as IdentityAccount;
  const { code, errors } = answer.json as Partial<ProblemJson>;
  if (answer.status >= 500 || !isCode(code)) {
    throw new Problem("unavailable", { cause: new Error(`identity answered ${answer.status}`) });
  }
  throw new Problem(code, errors && { fields: errors });
}

function isCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCatalogue, code);
}

/** The answer of every operation on accounts. */
export type Account = AnswerOf<typeof findAccount>;
