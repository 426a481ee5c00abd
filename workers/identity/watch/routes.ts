import { Problem } from "../../kernel/problem.ts";
import { enterRoom } from "../../live/room.ts";
import type { SignInMarks } from "../../verifier/index.ts";
import {
  rejectEnded,
  requireCaller,
  requireGoodAtFirebase,
  requireSignedInCaller,
  sendMissingClaims,
} from "../general/bearer.ts";
import { findAccount } from "../provider/queries.ts";
import { isEnded } from "../provider/sessions.ts";
import { openIdentity } from "../storage/database.ts";
import { marksOf } from "./queries.ts";

/** The path of the watch. Only the web worker calls it; the edge forwards no such path. */
export const WATCH_PATH = "/watch";

/**
 * Answers 204 while the bearer's sign-in is valid and 401 after it has ended. The product API calls it; the edge
 * forwards no such path. `?live` asks Firebase as well; only a sensitive call waits for that.
 */
export async function answerSignInState(request: Request, env: IdentityEnv): Promise<Response> {
  const identity = openIdentity(env, Date.now());
  const caller = await requireCaller(identity, request);
  await sendMissingClaims(identity, caller);
  await rejectEnded(identity, caller);
  if (new URL(request.url).searchParams.has("live")) await requireGoodAtFirebase(identity, caller.claims);
  return new Response(null, { status: 204 });
}

/**
 * Answers 204 while the sign-in with these marks is valid and 401 after it has ended. The product API calls it for a
 * sign-in whose token it does not have; the edge forwards no such path. `?quick` does not ask Firebase: the messages of a
 * chat cannot wait for that.
 */
export async function answerSignInCheck(request: Request, env: IdentityEnv): Promise<Response> {
  const identity = openIdentity(env, Date.now());
  const marks = (await request.json()) as SignInMarks;
  const account = await findAccount(identity, marks.sub);
  if (!account || account.disabled || (await isEnded(identity, account, marks))) throw new Problem("token_invalid");
  if (!new URL(request.url).searchParams.has("quick")) await requireGoodAtFirebase(identity, marks);
  return new Response(null, { status: 204 });
}

/**
 * Opens a socket that closes when the bearer's sign-in ends. Checks once more after the socket has joined, so that no
 * sign-out in between is missed.
 */
export async function answerWatch(request: Request, env: IdentityEnv): Promise<Response> {
  if (request.headers.get("upgrade") !== "websocket") throw new Problem("bad_request");
  const identity = openIdentity(env, Date.now());
  const { account, claims } = await requireSignedInCaller(identity, request);
  const room = env.SIGN_OUT_WATCH.getByName(account.local_id);
  const upgraded = await enterRoom(room, marksOf(claims));
  await room.look(account.local_id);
  return upgraded;
}
