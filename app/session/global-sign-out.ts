import { getGlobalSignOutStatus, registerKeyForGlobalSignOut } from "../../workers/contract/identity.ts";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import type { Edge, SignInStatus } from "../middleware/context.ts";
import { call, type Transport } from "../v4/call.ts";
import { FetchError, ResponseError } from "../v4/errors.ts";
import type { Session } from "./session.ts";

/** A page is not kept waiting for long to learn that all is as it was. */
const STATUS_TIME_LIMIT_MS = 2000;
const REGISTRATION_TIME_LIMIT_MS = 3000;

/** What of a session says which sign-in it is. */
type SignedIn = Pick<Session, "id" | "token" | "keyForGlobalSignOut">;

function transportOf(edge: Edge, { token }: SignedIn, time_limit_ms: number): Transport {
  const { transport, identity, request_id } = edge;
  const limit = () => AbortSignal.timeout(time_limit_ms);
  return { ...transport, origin: IDENTITY_ORIGIN, fetch: identity, token, request_id, limit };
}

/** Keys are random, yet nobody's may answer for another's. */
const memoKey = ({ id }: SignedIn, key: string) => `${id} ${key}`;

/**
 * Whether this sign-in was ended, here or on another device (spec section 4, Session): asked at most once a second for one
 * key, or anew. When the identity service does not answer, the session counts as what its cookie says: an outage must not
 * sign everybody out.
 */
export async function signInStatus(edge: Edge, session: Session, is_anew = false): Promise<SignInStatus> {
  const { keyForGlobalSignOut: key } = session;
  if (!key) return "signed_in";
  const { sign_out_memo } = edge;
  const known = sign_out_memo.read(memoKey(session, key));
  if (known !== undefined && !is_anew) return known;
  const asked_at = Date.now();
  const status = await askStatus(edge, session, key);
  // A refusal is of this token, not of the key: the next one may be good.
  if (status !== "refused") sign_out_memo.write(memoKey(session, key), status, asked_at);
  return status;
}

async function askStatus(edge: Edge, session: Session, key: string): Promise<SignInStatus> {
  try {
    const transport = transportOf(edge, session, STATUS_TIME_LIMIT_MS);
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

/** Tells the identity service that this sign-in is over. A failure is only logged (spec section 8). */
export async function registerSignOut(edge: Edge, session: SignedIn): Promise<void> {
  const { keyForGlobalSignOut: key } = session;
  if (!key) return;
  try {
    const transport = transportOf(edge, session, REGISTRATION_TIME_LIMIT_MS);
    await call(transport, registerKeyForGlobalSignOut, { body: { key } });
    edge.sign_out_memo.write(memoKey(session, key), "signed_out", Date.now());
  } catch (error) {
    if (!(error instanceof FetchError || error instanceof ResponseError)) throw error;
    console.error(
      JSON.stringify({ message: "sign-out key not registered", request_id: edge.request_id, error: error.message }),
    );
  }
}
