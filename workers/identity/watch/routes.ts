import { Problem } from "../../kernel/problem.ts";
import { requireSignedInCaller } from "../general/bearer.ts";
import { logUnexpected } from "../log.ts";
import { codeOf, problemResponse } from "../problem-response.ts";
import { openIdentity } from "../storage/database.ts";

/** Where the web worker asks, and nobody else can: the edge passes on no such path. */
export const WATCH_PATH = "/watch";

/**
 * A socket that is closed when the bearer's sign-in ends. Whether it has is asked once more after the socket is in, so that no
 * sign-out falls between.
 */
export async function answerWatch(request: Request, env: IdentityEnv, request_id: string): Promise<Response> {
  const identity = openIdentity(env, Date.now());
  try {
    if (request.headers.get("upgrade") !== "websocket") throw new Problem("bad_request");
    const { account, claims } = await requireSignedInCaller(identity, request);
    const { keyForGlobalSignOut: key } = claims;
    if (!key) throw new Problem("not_found");
    const room = env.SIGN_OUT_WATCH.getByName(account.local_id);
    const upgraded = await room.fetch(`https://watch.internal/?${new URLSearchParams({ key })}`, {
      headers: { upgrade: "websocket" },
    });
    await room.look(account.local_id);
    return upgraded;
  } catch (error) {
    if (!(error instanceof Problem)) {
      logUnexpected(error, request_id);
      return problemResponse("unavailable", request_id);
    }
    return problemResponse(codeOf(error), request_id);
  }
}
