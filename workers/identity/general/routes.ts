import { waitUntil } from "cloudflare:workers";
import { timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import type { z } from "zod";
import {
  countRecoveryCodes as countRecoveryCodesOperation,
  createRecoveryCodes as createRecoveryCodesOperation,
  deleteRefreshToken,
  endSignIn,
  getCustomToken,
  getGlobalSignOutStatus,
  listSignIns as listSignInsOperation,
  registerKeyForGlobalSignOut,
  replaceUnprovenAccount,
  unsubscribeIdentity,
  updatePibId as updatePibIdOperation,
} from "../../contract/identity.ts";
import type { AnswerOf, CheckedInputOf, Operation } from "../../contract/operation.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import { BodyRefused, readJson } from "../body.ts";
import { servesProvider } from "../deployment.ts";
import { logUnexpected } from "../log.ts";
import { codeOf, problemResponse } from "../problem-response.ts";
import { deleteAccount } from "../provider/commands.ts";
import { countRecoveryCodes } from "../provider/recovery-codes.ts";
import { isVoid } from "../provider/rules.ts";
import { mintCustomToken } from "../provider/tokens.ts";
import { type Identity, openIdentity } from "../storage/database.ts";
import { findEndedKeys } from "../watch/queries.ts";
import { adminOf, hasAdmin } from "./admin.ts";
import { type Caller, optionalCaller, requireCaller, requireSignedInCaller } from "./bearer.ts";
import { closeAdopted, createRecoveryCodes, registerSignOutKey, revokeRefreshTokens, updatePibId } from "./commands.ts";
import { findSignInKey, listSignIns } from "./queries.ts";
import { replaceUnprovenAtFirebase } from "./unproven.ts";

/** The identity API's calls over HTTP; refusals are problem+json (RFC 9457). */

type Room = { Bindings: IdentityEnv };
type Handler<O extends Operation, Caller> = (
  identity: Identity,
  caller: Caller,
  input: CheckedInputOf<O>,
) => Promise<AnswerOf<O>>;

export const general = new Hono<Room>();
general.onError(renderError);
general.notFound((c) => renderError(new Problem("not_found"), c));

const methodsByPath = new Map<string, string[]>();

/** Serves one operation: first who calls, then what they say, then the answer with the contract's status. */
function serve<const O extends Operation, Caller>(
  operation: O,
  authorise: (identity: Identity, request: Request) => Promise<Caller>,
  handle: Handler<O, Caller>,
): void {
  const { method, path, query, body, status } = operation;
  general.on(method, path, async (c) => {
    const identity = openIdentity(c.env, Date.now());
    const caller = await authorise(identity, c.req.raw);
    const input = {
      params: undefined,
      query: query && check(query, c.req.query()),
      body: body && check(body, await readBody(c.req.raw)),
    };
    const answer = await handle(identity, caller, input as CheckedInputOf<O>);
    return answer === null ? c.body(null, 204) : Response.json(answer, { status });
  });
  const allowed = [...(methodsByPath.get(path) ?? []), method];
  methodsByPath.set(path, allowed);
  general.all(path, async (c, next) => {
    const methods = methodsByPath.get(path) ?? [];
    // Another operation of the same address comes after this one.
    if (methods.some((each) => each === c.req.method)) return next();
    const refusal = renderError(new Problem("method_not_allowed"), c);
    refusal.headers.set("allow", methods.join(", "));
    return refusal;
  });
}

function check<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const checked = schema.safeParse(given, { error: () => "入力内容をご確認ください。" });
  if (checked.success) return checked.data;
  const fields: Record<string, string[]> = {};
  for (const { path, message } of checked.error.issues) {
    const field = path.join(".") || "body";
    fields[field] = [...(fields[field] ?? []), message];
  }
  throw new Problem("validation_failed", { fields });
}

async function readBody(request: Request): Promise<unknown> {
  if (!request.headers.get("content-type")?.startsWith("application/json")) throw new Problem("unsupported_media_type");
  return readJson(request);
}

/** The caller is a system of the company's, known by its key. */
async function requirePibApiKey({ env }: Identity, request: Request): Promise<void> {
  const given = new URL(request.url).searchParams.get("api_key") ?? "";
  const [left, right] = await Promise.all([sha256Hex(given), sha256Hex(env.PIB_API_KEY)]);
  if (!timingSafeEqual(Buffer.from(left), Buffer.from(right))) throw new Problem("unauthenticated");
}

/** Firebase does not tell in which browsers somebody is signed in. */
function requireOwnAccounts({ env }: Identity): void {
  if (!servesProvider(env)) throw new Problem("unavailable");
}

function renderError(error: Error, c: Context<Room>): Response {
  const request_id = c.req.header("x-request-id") ?? "";
  if (error instanceof BodyRefused) {
    return problemResponse(error.reason === "too_large" ? "payload_too_large" : "bad_request", request_id);
  }
  if (error instanceof Problem) {
    const code = codeOf(error);
    if (code === "unavailable" || code === "internal_error") logUnexpected(error.cause ?? error, request_id);
    return problemResponse(code, request_id, error.fields as Record<string, string[]> | undefined);
  }
  logUnexpected(error, request_id);
  return problemResponse("internal_error", request_id);
}

serve(deleteRefreshToken, requireCaller, async (identity, { account }) => {
  await adminOf(identity)?.revokeRefreshTokens(account.local_id);
  await revokeRefreshTokens(identity, account.local_id);
  return null;
});

serve(getCustomToken, requireSignedInCaller, async (identity, { account, claims }) => {
  const { local_id } = account;
  const admin = adminOf(identity);
  const token = admin
    ? admin.mintCustomToken(local_id)
    : mintCustomToken(identity, local_id, claims.keyForGlobalSignOut);
  return { token: await token };
});

serve(getGlobalSignOutStatus, requireCaller, async (identity, caller, { query }) => ({
  isSignedOut: await isSignedOut(identity, caller, query.key),
}));

/** Whether the key is used up; of the bearer's own, whether its sign-in has ended in any other way. */
async function isSignedOut(identity: Identity, { account, claims }: Caller, key: string): Promise<boolean> {
  if (key === claims.keyForGlobalSignOut && isVoid(claims.auth_time, account)) return true;
  return (await findEndedKeys(identity, account.local_id, [key])).length > 0;
}

serve(updatePibIdOperation, requirePibApiKey, async (identity, _caller, { query, body }) => {
  // Tokens of accounts that Firebase keeps are made by Firebase: it must know the claim.
  if (hasAdmin(identity)) await adminOf(identity)?.setClaim(query.id, "pibId", body.pibId);
  await updatePibId(identity, query.id, body.pibId);
  return null;
});

serve(registerKeyForGlobalSignOut, requireCaller, async (identity, { account }, { body }) => {
  await registerSignOutKey(identity, account.local_id, body.key);
  writeSignOutDocument(identity, account.local_id, body.key);
  return null;
});

/** For pages that watch Firestore. A hint: the row is the truth, and its owner is not kept waiting. */
function writeSignOutDocument(identity: Identity, local_id: string, key: string): void {
  if (!hasAdmin(identity)) return;
  const written = adminOf(identity)?.writeSignOutKey(local_id, key);
  if (written)
    waitUntil(written.catch((error) => logUnexpected(error.cause ?? error, `sign-out-${crypto.randomUUID()}`)));
}

serve(replaceUnprovenAccount, optionalCaller, async (identity, caller, { body }) => {
  if (servesProvider(identity.env)) return { email: null };
  const admin = hasAdmin(identity) ? adminOf(identity) : null;
  const reached = { admin, send: (url: string, init: RequestInit) => fetch(url, init) };
  return { email: await replaceUnprovenAtFirebase(identity, caller, body, reached) };
});

serve(unsubscribeIdentity, requireSignedInCaller, async (identity, { account }) => {
  const admin = adminOf(identity);
  if (!admin) await deleteAccount(identity, account.local_id);
  else {
    await admin.deleteAccount(account.local_id);
    await closeAdopted(identity, account.local_id);
  }
  return null;
});

serve(listSignInsOperation, requireSignedInCaller, async (identity, { account, claims }) => {
  requireOwnAccounts(identity);
  return { signIns: await listSignIns(identity, account.local_id, claims.keyForGlobalSignOut) };
});

serve(endSignIn, requireSignedInCaller, async (identity, { account }, { query }) => {
  requireOwnAccounts(identity);
  const key = await findSignInKey(identity, account.local_id, query.id);
  if (!key) throw new Problem("not_found");
  await registerSignOutKey(identity, account.local_id, key);
  return null;
});

serve(createRecoveryCodesOperation, requireSignedInCaller, async (identity, caller) => {
  requireOwnAccounts(identity);
  return { codes: await createRecoveryCodes(identity, caller) };
});

serve(countRecoveryCodesOperation, requireSignedInCaller, async (identity, { account }) => {
  requireOwnAccounts(identity);
  return { count: await countRecoveryCodes(identity, account.local_id) };
});
