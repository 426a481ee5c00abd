import { Problem } from "../../kernel/problem.ts";
import { enterRoom } from "../../live/room.ts";
import { requireLiveCaller, requireSignedInCaller } from "../general/bearer.ts";
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
  const requireCaller = new URL(request.url).searchParams.has("live") ? requireLiveCaller : requireSignedInCaller;
  await requireCaller(identity, request);
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
