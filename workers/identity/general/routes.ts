import { waitUntil } from "cloudflare:workers";
import { timingSafeEqual } from "node:crypto";
import { IDENTITY_BODY_BYTES } from "../../contract/bounds.ts";
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
import { jsonAnswer } from "../../http/answer.ts";
import { readInput } from "../../http/input.ts";
import { createRouter, type Route } from "../../http/router.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { FIREBASE_SIGN_IN, signInIdOf } from "../../verifier/index.ts";
import { servesProvider } from "../deployment.ts";
import { deleteAccount } from "../provider/commands.ts";
import { countRecoveryCodes } from "../provider/recovery-codes.ts";
import { LOCALE_HEADER, languageOf } from "../provider/rules.ts";
import { isEnded } from "../provider/sessions.ts";
import { mintCustomToken } from "../provider/tokens.ts";
import { type Identity, openIdentity } from "../storage/database.ts";
import { findEndedMarks, marksOf } from "../watch/queries.ts";
import { adminOf, hasAdmin } from "./admin.ts";
import { type Caller, optionalCaller, requireCaller, requireSignedInCaller, sendMissingClaims } from "./bearer.ts";
import {
  closeAdoptedAccount,
  createRecoveryCodes,
  endSignIn,
  registerSignOutKey,
  revokeRefreshTokens,
  updatePibId,
} from "./commands.ts";
import { sendClaims, signOutAtFirebase } from "./firebase-claims.ts";
import { listSignIns } from "./queries.ts";
import { replaceUnprovenAtFirebase } from "./unproven.ts";

/** The routes of the identity API. */

type Handler<O extends Operation, Caller> = (
  identity: Identity,
  caller: Caller,
  input: CheckedInputOf<O>,
) => Promise<AnswerOf<O>>;

/** Serves one operation: authenticates the caller, checks the input and answers with the contract's status. */
function serveOperation<const O extends Operation, Caller>(
  operation: O,
  authenticate: (identity: Identity, request: Request) => Promise<Caller>,
  handle: Handler<O, Caller>,
): Route<IdentityEnv> {
  return {
    operation,
    async answer({ request, params }, env) {
      const language = languageOf(request.headers.get(LOCALE_HEADER) ?? undefined);
      const identity = openIdentity(env, Date.now(), { address: null, device: "", language });
      const caller = await authenticate(identity, request);
      const { input } = await readInput(operation, request, params, IDENTITY_BODY_BYTES);
      return jsonAnswer(operation.status, await handle(identity, caller, input as CheckedInputOf<O>));
    },
  };
}

/** Authenticates one of the company's own systems by its key. */
async function requirePibApiKey({ env }: Identity, request: Request): Promise<void> {
  const given = new URL(request.url).searchParams.get("api_key") ?? "";
  const [left, right] = await Promise.all([sha256Hex(given), sha256Hex(env.PIB_API_KEY)]);
  if (!timingSafeEqual(Buffer.from(left), Buffer.from(right))) throw new Problem("unauthenticated");
}

/** Refuses accounts that Firebase keeps, because Firebase does not list the browsers of an account. */
function requireOwnAccounts({ env }: Identity): void {
  if (!servesProvider(env)) throw new Problem("unavailable");
}

/**
 * Returns true when the key was used for a sign-out. For the bearer's own key, also returns true when its sign-in has
 * ended in another way.
 */
async function isSignedOut(identity: Identity, { account, claims }: Caller, key: string): Promise<boolean> {
  if (marksOf(claims).includes(key)) return isEnded(identity, account, claims);
  return (await findEndedMarks(identity, account.local_id, [key])).length > 0;
}

/**
 * Writes the Firestore document that pages watch. The write runs after the answer, because the document is only a hint:
 * the database row decides.
 */
function writeSignOutDocument(identity: Identity, local_id: string, key: string): void {
  if (!hasAdmin(identity)) return;
  const written = adminOf(identity)?.writeSignOutKey(local_id, key);
  if (written)
    waitUntil(written.catch((error) => logUnexpected(error.cause ?? error, `sign-out-${crypto.randomUUID()}`)));
}

export const general = createRouter<IdentityEnv>([
  serveOperation(deleteRefreshToken, requireSignedInCaller, async (identity, { account }) => {
    const { local_id, key_for_global_sign_out: key } = account;
    const admin = adminOf(identity);
    const revoke = (next_key?: string) => revokeRefreshTokens(identity, local_id, next_key);
    await (admin ? signOutAtFirebase(identity, admin, local_id, revoke) : revoke());
    if (key) writeSignOutDocument(identity, local_id, key);
    return null;
  }),

  serveOperation(getCustomToken, requireSignedInCaller, async (identity, { account, claims }) => {
    const key = claims.keyForGlobalSignOut ?? account.key_for_global_sign_out ?? undefined;
    const admin = adminOf(identity);
    const token = admin
      ? admin.mintCustomToken(account.local_id, key ? { keyForGlobalSignOut: key } : {})
      : mintCustomToken(identity, claims);
    return { token: await token };
  }),

  serveOperation(getGlobalSignOutStatus, requireCaller, async (identity, caller, { query }) => {
    await sendMissingClaims(identity, caller);
    return { isSignedOut: await isSignedOut(identity, caller, query.key) };
  }),

  serveOperation(updatePibIdOperation, requirePibApiKey, async (identity, _caller, { query, body }) => {
    await updatePibId(identity, query.id, body.pibId);
    // For accounts that Firebase keeps, Firebase makes the tokens, so it needs the claim too.
    const admin = hasAdmin(identity) ? adminOf(identity) : null;
    if (admin) await sendClaims(identity, admin, query.id);
    return null;
  }),

  serveOperation(
    registerKeyForGlobalSignOut,
    requireCaller,
    async (identity, { account, claims }, { body: { key } }) => {
      const { local_id, key_for_global_sign_out: shared } = account;
      // The caller's sign-in has ended already, so its token must not end the account's other sign-ins.
      if (await isEnded(identity, account, claims)) return null;
      const is_shared = key === shared || key === claims.keyForGlobalSignOut;
      const admin = is_shared && hasAdmin(identity) ? adminOf(identity) : null;
      const register = (next_key?: string) => registerSignOutKey(identity, local_id, key, next_key);
      await (admin ? signOutAtFirebase(identity, admin, local_id, register) : register());
      writeSignOutDocument(identity, local_id, key);
      return null;
    },
  ),

  serveOperation(replaceUnprovenAccount, optionalCaller, async (identity, caller, { body }) => {
    if (servesProvider(identity.env)) return { email: null };
    const admin = hasAdmin(identity) ? adminOf(identity) : null;
    const reached = { admin, send: (url: string, init: RequestInit) => fetch(url, init) };
    return { email: await replaceUnprovenAtFirebase(identity, caller, body, reached) };
  }),

  serveOperation(unsubscribeIdentity, requireSignedInCaller, async (identity, { account, claims }) => {
    const admin = adminOf(identity);
    if (!admin) await deleteAccount(identity, account);
    else {
      await admin.deleteAccount(account.local_id);
      await closeAdoptedAccount(identity, account.local_id, claims);
    }
    return null;
  }),

  serveOperation(listSignInsOperation, requireSignedInCaller, async (identity, { account, claims }) => {
    requireOwnAccounts(identity);
    return { signIns: await listSignIns(identity, account.local_id, signInIdOf(claims)) };
  }),

  serveOperation(endSignInOperation, requireSignedInCaller, async (identity, { account }, { query: { id } }) => {
    const { local_id } = account;
    // We keep no rows of Firebase's sign-ins. So the id of an ended sign-in is registered like a key.
    if (servesProvider(identity.env)) {
      if (!(await endSignIn(identity, local_id, id))) throw new Problem("not_found");
    } else if (id.startsWith(FIREBASE_SIGN_IN)) await registerSignOutKey(identity, local_id, id);
    else throw new Problem("not_found");
    return null;
  }),

  serveOperation(createRecoveryCodesOperation, requireSignedInCaller, async (identity, caller) => {
    requireOwnAccounts(identity);
    return { codes: await createRecoveryCodes(identity, caller) };
  }),

  serveOperation(countRecoveryCodesOperation, requireSignedInCaller, async (identity, { account }) => {
    requireOwnAccounts(identity);
    return { count: await countRecoveryCodes(identity, account.local_id) };
  }),
]);
