import { Problem } from "../../kernel/problem.ts";
import { requireLiveCaller, requireSignedInCaller } from "../general/bearer.ts";
import { logUnexpected } from "../log.ts";
import { codeOf, problemResponse } from "../problem-response.ts";
import { openIdentity } from "../storage/database.ts";
import { marksOf } from "./queries.ts";

/** Where the web worker asks, and nobody else can: the edge passes on no such path. */
export const WATCH_PATH = "/watch";

/**
 * Tells the product API whether the bearer's sign-in goes on: 204, or 401 where it has ended. `?live` asks Firebase as well,
 * which only what is sensitive waits for. The edge passes on no such path.
 */
export async function answerSignInState(request: Request, env: IdentityEnv, request_id: string): Promise<Response> {
  const identity = openIdentity(env, Date.now());
  const require = new URL(request.url).searchParams.has("live") ? requireLiveCaller : requireSignedInCaller;
  try {
    await require(identity, request);
    return new Response(null, { status: 204 });
  } catch (error) {
    return refuse(error, request_id);
  }
}

/**
 * A socket that is closed when the bearer's sign-in ends. Whether it has is asked once more after the socket is in, so that no
 * sign-out falls between.
 */
export async function answerWatch(request: Request, env: IdentityEnv, request_id: string): Promise<Response> {
  const identity = openIdentity(env, Date.now());
  try {
    if (request.headers.get("upgrade") !== "websocket") throw new Problem("bad_request");
    const { account, claims } = await requireSignedInCaller(identity, request);
    const room = env.SIGN_OUT_WATCH.getByName(account.local_id);
    const marks = new URLSearchParams(marksOf(claims).map((mark) => ["mark", mark]));
    const upgraded = await room.fetch(`https://watch.internal/?${marks}`, {
      headers: { upgrade: "websocket" },
    });
    await room.look(account.local_id);
    return upgraded;
  } catch (error) {
    return refuse(error, request_id);
  }
}

function refuse(error: unknown, request_id: string): Response {
  if (error instanceof Problem) return problemResponse(codeOf(error), request_id);
  logUnexpected(error, request_id);
  return problemResponse("unavailable", request_id);
}
