import { decodeJwt } from "jose";
import {
  deleteRefreshToken,
  endSignIn as endSignInOperation,
  getGlobalSignOutStatus,
  registerKeyForGlobalSignOut,
} from "../../workers/contract/identity.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { type IdentityClaims, signInIdOf } from "../../workers/verifier/index.ts";
import type { Edge, SignInStatus } from "../request/context.ts";
import { type CallInput, call, type Transport } from "../v4/call.ts";
import { FetchError, ResponseError } from "../v4/errors.ts";
import type { Session } from "./session.ts";

/** A page is not kept waiting for long to learn that all is as it was. */
const STATUS_TIME_LIMIT_MS = 2000;
const REGISTRATION_TIME_LIMIT_MS = 3000;

/** What of a session says which sign-in it is. */
type SignedIn = Pick<Session, "id" | "token" | "keyForGlobalSignOut">;

function transportOf(edge: Edge, { token }: Pick<SignedIn, "token">, time_limit_ms: number): Transport {
  const { transport, identity, request_id } = edge;
  const limit = () => AbortSignal.timeout(time_limit_ms);
  return { ...transport, origin: IDENTITY_ORIGIN, fetch: identity, token, request_id, limit };
}

/** The sign-in that a session is of. Its token was verified when it was put into the signed cookie. */
export function signInIdOfSession({ token }: Pick<Session, "token">): string {
  return signInIdOf(decodeJwt<IdentityClaims>(token));
}

/** By sign-in, and not by the key that those of one account share: one may end by itself. */
const memoKey = (session: SignedIn) => `${session.id} ${signInIdOfSession(session)}`;

/**
 * Whether this sign-in was ended, here or on another device (spec section 4, Session): asked at most once a second for one
 * sign-in, or anew. When the identity service does not answer, the session counts as what its cookie says: an outage must not
 * sign everybody out.
 */
export async function signInStatus(edge: Edge, session: Session, is_anew = false): Promise<SignInStatus> {
  const { sign_out_memo } = edge;
  const known = sign_out_memo.read(memoKey(session));
  if (known !== undefined && !is_anew) return known;
  const asked_at = Date.now();
  const status = await askStatus(edge, session);
  // A refusal is of this token, not of the sign-in: the next one may be good.
  if (status !== "refused") sign_out_memo.write(memoKey(session), status, asked_at);
  return status;
}

async function askStatus(edge: Edge, session: Session): Promise<SignInStatus> {
  try {
    const transport = transportOf(edge, session, STATUS_TIME_LIMIT_MS);
    const key = session.keyForGlobalSignOut ?? signInIdOfSession(session);
    const answer: unknown = await call(transport, getGlobalSignOutStatus, { query: { key } });
    return getGlobalSignOutStatus.answer.parse(answer).isSignedOut ? "signed_out" : "signed_in";
  } catch (error) {
    // The account is gone, and every one of its sign-ins with it.
    if (error instanceof ResponseError && error.status === 401) return "refused";
    console.error(
      JSON.stringify({ message: "sign-out status not known", request_id: edge.request_id, error: String(error) }),
    );
    return "signed_in";
  }
}

/**
 * Logs the account out on every device, by using the key that its sign-ins share. Gives whether the identity service did; a
 * failure is only logged (spec section 8).
 */
export async function signOutEverywhere(edge: Edge, session: SignedIn): Promise<boolean> {
  const { keyForGlobalSignOut: key } = session;
  // Firebase's tokens carry the key once they are renewed. Until then the account's sign-ins are revoked as such.
  const is_done = key
    ? await tell(edge, session, "sign-out key not registered", registerKeyForGlobalSignOut, { body: { key } })
    : await tell(edge, session, "sign-ins not revoked", deleteRefreshToken, {});
  if (!is_done && !key) await endSignIn(edge, session);
  if (is_done) edge.sign_out_memo.write(memoKey(session), "signed_out", Date.now());
  return is_done;
}

/** Ends this sign-in and no other of its account. A failure is only logged. */
export async function endSignIn(edge: Edge, session: SignedIn): Promise<void> {
  await endSignInById(edge, session, signInIdOfSession(session));
}

/** Ends another sign-in of the account that `bearer` is signed in to. A failure is only logged. */
export async function endSignInById(edge: Edge, bearer: SignedIn, id: string): Promise<void> {
  if (!(await tell(edge, bearer, "sign-in not ended", endSignInOperation, { query: { id } }))) return;
  edge.sign_out_memo.write(`${bearer.id} ${id}`, "signed_out", Date.now());
}

/** Whether the identity service did it. */
async function tell<O extends Operation>(
  edge: Edge,
  { token }: SignedIn,
  failure: string,
  operation: O,
  input: CallInput<O>,
): Promise<boolean> {
  try {
    await call(transportOf(edge, { token }, REGISTRATION_TIME_LIMIT_MS), operation, input);
    return true;
  } catch (error) {
    if (!(error instanceof FetchError || error instanceof ResponseError)) throw error;
    console.error(JSON.stringify({ message: failure, request_id: edge.request_id, error: error.message }));
    return false;
  }
}
