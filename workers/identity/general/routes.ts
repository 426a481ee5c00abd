import { waitUntil } from "cloudflare:workers";
import { timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import type { z } from "zod";
import {
  countRecoveryCodes as countRecoveryCodesOperation,
  createRecoveryCodes as createRecoveryCodesOperation,
  deleteRefreshToken,
  endSignIn as endSignInOperation,
  getCustomToken,
  getGlobalSignOutStatus,
  listSignIns as listSignInsOperation,
  registerKeyForGlobalSignOut,
  replaceUnprovenAccount,
  unsubscribeIdentity,
  updatePibId as updatePibIdOperation,
} from "../../contract/identity.ts";
import type { AnswerOf, CheckedInputOf, Operation } from "../../contract/operation.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import { FIREBASE_SIGN_IN, signInIdOf } from "../../verifier/index.ts";
import { BodyRefused, readJson } from "../body.ts";
import { servesProvider } from "../deployment.ts";
import { logUnexpected } from "../log.ts";
import { codeOf, problemResponse } from "../problem-response.ts";
import { deleteAccount } from "../provider/commands.ts";
import { countRecoveryCodes } from "../provider/recovery-codes.ts";
import { isEnded } from "../provider/sessions.ts";
import { mintCustomToken } from "../provider/tokens.ts";
import { type Identity, openIdentity } from "../storage/database.ts";
import { findEndedMarks, marksOf } from "../watch/queries.ts";
import { adminOf, hasAdmin } from "./admin.ts";
import { type Caller, optionalCaller, requireCaller, requireSignedInCaller } from "./bearer.ts";
import {
  closeAdopted,
  createRecoveryCodes,
  endSignIn,
  registerSignOutKey,
  revokeRefreshTokens,
  updatePibId,
} from "./commands.ts";
import { listSignIns } from "./queries.ts";
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

serve(deleteRefreshToken, requireSignedInCaller, async (identity, { account }) => {
  const { local_id, key_for_global_sign_out: key } = account;
  const admin = adminOf(identity);
  const next_key = admin ? randomSecret() : undefined;
  if (next_key) await admin?.signOutEverywhere(local_id, next_key);
  await revokeRefreshTokens(identity, local_id, next_key);
  if (key) writeSignOutDocument(identity, local_id, key);
  return null;
});

serve(getCustomToken, requireSignedInCaller, async (identity, { account, claims }) => {
  const key = claims.keyForGlobalSignOut ?? account.key_for_global_sign_out ?? undefined;
  const admin = adminOf(identity);
  const token = admin
    ? admin.mintCustomToken(account.local_id, key ? { keyForGlobalSignOut: key } : {})
    : mintCustomToken(identity, claims);
  return { token: await token };
});

serve(getGlobalSignOutStatus, requireCaller, async (identity, caller, { query }) => ({
  isSignedOut: await isSignedOut(identity, caller, query.key),
}));

/** Whether the key is used up; of the bearer's own, whether its sign-in has ended in any other way. */
async function isSignedOut(identity: Identity, { account, claims }: Caller, key: string): Promise<boolean> {
  if (marksOf(claims).includes(key)) return isEnded(identity, account, claims);
  return (await findEndedMarks(identity, account.local_id, [key])).length > 0;
}

serve(updatePibIdOperation, requirePibApiKey, async (identity, _caller, { query, body }) => {
  // Tokens of accounts that Firebase keeps are made by Firebase: it must know the claim.
  if (hasAdmin(identity)) await adminOf(identity)?.setClaim(query.id, "pibId", body.pibId);
  await updatePibId(identity, query.id, body.pibId);
  return null;
});

serve(registerKeyForGlobalSignOut, requireCaller, async (identity, { account, claims }, { body: { key } }) => {
  const { local_id, key_for_global_sign_out: shared } = account;
  // What it asks for has happened; and a sign-in that has ended must not end those of its account that go on.
  if (await isEnded(identity, account, claims)) return null;
  const is_shared = key === shared || key === claims.keyForGlobalSignOut;
  const next_key = is_shared && hasAdmin(identity) ? randomSecret() : undefined;
  if (next_key) await adminOf(identity)?.signOutEverywhere(local_id, next_key);
  await registerSignOutKey(identity, local_id, key, next_key);
  writeSignOutDocument(identity, local_id, key);
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
  return { signIns: await listSignIns(identity, account.local_id, signInIdOf(claims)) };
});

serve(endSignInOperation, requireSignedInCaller, async (identity, { account }, { query: { id } }) => {
  const { local_id } = account;
  // Of Firebase's sign-ins there is no list: the moment that names one is registered as a key is.
  if (servesProvider(identity.env)) {
    if (!(await endSignIn(identity, local_id, id))) throw new Problem("not_found");
  } else if (id.startsWith(FIREBASE_SIGN_IN)) await registerSignOutKey(identity, local_id, id);
  else throw new Problem("not_found");
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
