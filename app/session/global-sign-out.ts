import { decodeJwt } from "jose";
import type { RouterContextProvider } from "react-router";
import {
  deleteRefreshToken,
  endSignIn as endSignInOperation,
  getGlobalSignOutStatus,
  registerKeyForGlobalSignOut,
} from "../../workers/contract/identity.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { log } from "../../workers/kernel/log.ts";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { type IdentityClaims, signInIdOf } from "../../workers/verifier/index.ts";
import { edgeContext } from "../request/context.ts";
import { type CallInput, callOperation, type Transport } from "../v4/call.ts";
import { FetchError, ResponseError } from "../v4/errors.ts";
import { identityContext, type SignInStatus } from "./context.ts";
import type { Session } from "./session.ts";

type Context = Readonly<RouterContextProvider>;

/** The time limit of a call that every page of a member waits for. The answer is nearly always "signed in". */
const STATUS_TIME_LIMIT_MS = 2000;
const REGISTRATION_TIME_LIMIT_MS = 3000;

/** The part of a session that identifies its sign-in. */
type SignedIn = Pick<Session, "id" | "token" | "keyForGlobalSignOut">;

function identityTransport(context: Context, { token }: Pick<SignedIn, "token">, time_limit_ms: number): Transport {
  const { transport, request_id } = context.get(edgeContext);
  const { fetch } = context.get(identityContext);
  const startTimeLimit = () => AbortSignal.timeout(time_limit_ms);
  return { ...transport, origin: IDENTITY_ORIGIN, fetch, token, request_id, limit: startTimeLimit };
}

/** Returns the id of the session's sign-in. The token was verified before it was put into the signed cookie. */
export function signInIdOfSession({ token }: Pick<Session, "token">): string {
  return signInIdOf(decodeJwt<IdentityClaims>(token));
}

/**
 * The answer is cached by sign-in, not by the account's shared key: a sign-in may end while the account's other
 * sign-ins stay.
 */
const memoKey = (session: SignedIn) => `${session.id} ${signInIdOfSession(session)}`;

/**
 * Returns whether this sign-in was ended, here or on another device (spec section 4, Session). Asks the identity
 * service at most once a second for one sign-in. When the service does not answer, returns "signed_in": an outage must
 * not sign everybody out.
 *
 * @param skips_memo asks the service even when its last answer is less than a second old.
 */
export async function signInStatus(context: Context, session: Session, skips_memo = false): Promise<SignInStatus> {
  const { sign_out_memo } = context.get(identityContext);
  const known = sign_out_memo.read(memoKey(session));
  if (known !== undefined && !skips_memo) return known;
  const asked_at = Date.now();
  const status = await fetchStatus(context, session);
  // The service refused this token, not the sign-in: the next token may be valid.
  if (status !== "refused") sign_out_memo.write(memoKey(session), status, asked_at);
  return status;
}

async function fetchStatus(context: Context, session: Session): Promise<SignInStatus> {
  try {
    const transport = identityTransport(context, session, STATUS_TIME_LIMIT_MS);
    const key = session.keyForGlobalSignOut ?? signInIdOfSession(session);
    const answer: unknown = await callOperation(transport, getGlobalSignOutStatus, { query: { key } });
    return getGlobalSignOutStatus.answer.parse(answer).isSignedOut ? "signed_out" : "signed_in";
  } catch (error) {
    // The account was deleted, and all its sign-ins with it.
    if (error instanceof ResponseError && error.status === 401) return "refused";
    const { request_id } = context.get(edgeContext);
    log("error", { message: "sign-out status not known", request_id, error: String(error) });
    return "signed_in";
  }
}

/**
 * Logs the account out on every device by registering the key that its sign-ins share. Returns whether the identity
 * service accepted it; a failure is only logged (spec section 8).
 */
export async function signOutEverywhere(context: Context, session: SignedIn): Promise<boolean> {
  const { keyForGlobalSignOut: key } = session;
  // A Firebase token carries the key only after its first renewal. Until then revoke all refresh tokens of the account.
  const is_done = key
    ? await sendLogged(context, session, "sign-out key not registered", registerKeyForGlobalSignOut, { body: { key } })
    : await sendLogged(context, session, "sign-ins not revoked", deleteRefreshToken, {});
  if (!is_done && !key) await endSignIn(context, session);
  if (is_done) context.get(identityContext).sign_out_memo.write(memoKey(session), "signed_out", Date.now());
  return is_done;
}

/** Ends this sign-in and no other of its account. Only logs a failure. */
export async function endSignIn(context: Context, session: SignedIn): Promise<void> {
  await endSignInById(context, session, signInIdOfSession(session));
}

/** Ends another sign-in of the account that `bearer` is signed in to. Only logs a failure. */
export async function endSignInById(context: Context, bearer: SignedIn, id: string): Promise<void> {
  if (!(await sendLogged(context, bearer, "sign-in not ended", endSignInOperation, { query: { id } }))) return;
  context.get(identityContext).sign_out_memo.write(`${bearer.id} ${id}`, "signed_out", Date.now());
}

/** Calls the identity service. Returns whether it accepted the call; logs `failure` if it did not. */
async function sendLogged<O extends Operation>(
  context: Context,
  { token }: SignedIn,
  failure: string,
  operation: O,
  input: CallInput<O>,
): Promise<boolean> {
  try {
    await callOperation(identityTransport(context, { token }, REGISTRATION_TIME_LIMIT_MS), operation, input);
    return true;
  } catch (error) {
    if (!(error instanceof FetchError || error instanceof ResponseError)) throw error;
    const { request_id } = context.get(edgeContext);
    log("error", { message: failure, request_id, error: error.message });
    return false;
  }
}
