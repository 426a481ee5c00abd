import { IDENTITY_BODY_BYTES } from "../../contract/bounds.ts";
import type { CheckedInputOf, Operation } from "../../contract/operation.ts";
import * as contract from "../../contract/operator.ts";
import { jsonAnswer } from "../../http/answer.ts";
import { readInput } from "../../http/input.ts";
import { createRouter, type Route } from "../../http/router.ts";
import { Problem } from "../../kernel/problem.ts";
import { verifyOperatorToken } from "../../verifier/operator-token.ts";
import { servesProvider } from "../deployment.ts";
import { type Identity, openIdentity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { createAccount, removeFactors, requireAccount, setClaims, setDisabled, signOut } from "./commands.ts";
import { describeAccount, findAccountOf } from "./queries.ts";

/**
 * The operators' routes on accounts. The product API calls them over its service binding, with a token that it signs;
 * the edge worker forwards no such path. The API has already authenticated the operator and written the audit row.
 */

/** Serves one operation. `act` returns the changed account. */
function serveOperation<const O extends Operation>(
  operation: O,
  act: (identity: Identity, input: CheckedInputOf<O>) => Promise<Account>,
): Route<IdentityEnv> {
  return {
    operation,
    async answer({ request, params }, env) {
      await requireOperator(env, request);
      const identity = openIdentity(env, Date.now());
      if (!servesProvider(env)) throw new Problem("accounts_kept_elsewhere");
      const { input } = await readInput(operation, request, params, IDENTITY_BODY_BYTES);
      const account = await act(identity, input as CheckedInputOf<O>);
      return jsonAnswer(operation.status, await describeAccount(identity, account));
    },
  };
}

/** Throws `not_found` unless the caller has a token that was signed for this service. */
export async function requireOperator({ OPERATOR_KEY: key }: IdentityEnv, request: Request): Promise<void> {
  const token = request.headers.get("authorization")?.match(/^Bearer (\S+)$/)?.[1] ?? "";
  await verifyOperatorToken(token, { key, audience: "ofuse-identity", now_ms: Date.now() }).catch((cause: unknown) => {
    throw new Problem("not_found", { cause });
  });
}

/** Serves an operation on one account. Throws `not_found` for an unknown account. */
function serveAct<const O extends Operation>(
  operation: O,
  act: (identity: Identity, uid: string, input: CheckedInputOf<O>) => Promise<void>,
): Route<IdentityEnv> {
  return serveOperation(operation, async (identity, input) => {
    const { uid } = input.params as { uid: string };
    await requireAccount(identity, uid);
    await act(identity, uid, input);
    return requireAccount(identity, uid);
  });
}

export const operator = createRouter<IdentityEnv>([
  serveOperation(contract.findAccount, async (identity, { query: { who } }) => {
    const account = await findAccountOf(identity, who);
    if (!account) throw new Problem("not_found");
    return account;
  }),
  serveOperation(contract.createAccount, (identity, { body }) => createAccount(identity, body)),
  serveAct(contract.setAccountDisabled, (identity, uid, { body }) => setDisabled(identity, uid, body.is_disabled)),
  serveAct(contract.signOutAccount, (identity, uid) => signOut(identity, uid)),
  serveAct(contract.removeAccountFactors, (identity, uid) => removeFactors(identity, uid)),
  serveAct(contract.setAccountClaims, (identity, uid, { body }) => setClaims(identity, uid, body.claims)),
]);
