import { type Context, Hono } from "hono";
import type { CheckedInputOf, Operation } from "../../contract/operation.ts";
import * as contract from "../../contract/operator.ts";
import { Problem } from "../../kernel/problem.ts";
import { verifyOperatorToken } from "../../verifier/operator-token.ts";
import { readJson } from "../body.ts";
import { servesProvider } from "../deployment.ts";
import { logUnexpected } from "../log.ts";
import { codeOf, problemResponse } from "../problem-response.ts";
import { type Identity, openIdentity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { createAccount, removeFactors, requireAccount, setClaims, setDisabled, signOut } from "./commands.ts";
import { describeAccount, findAccountOf } from "./queries.ts";

/**
 * The accounts' half of operators' acts. The product API calls these routes over its service binding, with a token that it
 * signs; the edge forwards no such path. The API has authenticated the operator and written the audit row.
 */

type Room = { Bindings: IdentityEnv };

export const operator = new Hono<Room>();
operator.notFound((c) => renderError(new Problem("not_found"), c));
operator.onError(renderError);

/** Serves one operation; `act` returns the account after it. */
function serve<const O extends Operation>(
  operation: O,
  act: (identity: Identity, input: CheckedInputOf<O>) => Promise<Account>,
): void {
  operator.on(operation.method, operation.path.replace(/\{(\w+)\}/g, ":$1"), async (c) => {
    await requireOperator(c.env, c.req.raw);
    const identity = openIdentity(c.env, Date.now());
    if (!servesProvider(c.env)) throw new Problem("accounts_kept_elsewhere");
    const input = {
      params: operation.params?.parse(c.req.param()),
      query: operation.query?.parse(c.req.query()),
      body: operation.body?.parse(operation.body && (await readJson(c.req.raw))),
    };
    const account = await act(identity, input as CheckedInputOf<O>);
    return Response.json(await describeAccount(identity, account));
  });
}

async function requireOperator({ OPERATOR_KEY: key }: IdentityEnv, request: Request): Promise<void> {
  const token = request.headers.get("authorization")?.match(/^Bearer (\S+)$/)?.[1] ?? "";
  await verifyOperatorToken(token, { key, audience: "ofuse-identity", now_ms: Date.now() }).catch((cause: unknown) => {
    throw new Problem("not_found", { cause });
  });
}

function renderError(error: Error, c: Context<Room>): Response {
  const request_id = c.req.header("x-request-id") ?? "";
  if (error instanceof Problem) {
    return problemResponse(codeOf(error), request_id, error.fields as Record<string, string[]> | undefined);
  }
  logUnexpected(error, request_id);
  return problemResponse("internal_error", request_id);
}

serve(contract.findAccount, async (identity, { query: { who } }) => {
  const account = await findAccountOf(identity, who);
  if (!account) throw new Problem("not_found");
  return account;
});

serve(contract.createAccount, (identity, { body }) => createAccount(identity, body));

/** Serves an operation on one account, which must exist. */
function serveAct<const O extends Operation>(
  operation: O,
  act: (identity: Identity, uid: string, input: CheckedInputOf<O>) => Promise<void>,
): void {
  serve(operation, async (identity, input) => {
    const { uid } = input.params as { uid: string };
    await requireAccount(identity, uid);
    await act(identity, uid, input);
    return requireAccount(identity, uid);
  });
}

serveAct(contract.setAccountDisabled, (identity, uid, { body }) => setDisabled(identity, uid, body.is_disabled));
serveAct(contract.signOutAccount, (identity, uid) => signOut(identity, uid));
serveAct(contract.removeAccountFactors, (identity, uid) => removeFactors(identity, uid));
serveAct(contract.setAccountClaims, (identity, uid, { body }) => setClaims(identity, uid, body.claims));
