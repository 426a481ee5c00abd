import { Problem } from "../../kernel/problem.ts";
import { enterRoom } from "../../live/room.ts";
import { requireLiveCaller, requireSignedInCaller } from "../general/bearer.ts";
import { openIdentity } from "../storage/database.ts";
import { marksOf } from "./queries.ts";

/** Only the web worker asks here: the edge passes on no such path. */
export const WATCH_PATH = "/watch";

/**
 * Tells the product API whether the bearer's sign-in goes on: 204, or 401 where it has ended. `?live` asks Firebase as well,
 * and only a sensitive call waits for that. The edge passes on no such path.
 */
export async function answerSignInState(request: Request, env: IdentityEnv): Promise<Response> {
  const identity = openIdentity(env, Date.now());
  const requireCaller = new URL(request.url).searchParams.has("live") ? requireLiveCaller : requireSignedInCaller;
  await requireCaller(identity, request);
  return new Response(null, { status: 204 });
}

/**
 * A socket that is closed when the bearer's sign-in ends. Looks once more after the socket is in, so that no sign-out falls
 * between.
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
