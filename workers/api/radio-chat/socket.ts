import { askWorker } from "../../kernel/ask-worker.ts";
import { Problem } from "../../kernel/problem.ts";
import { readChatToken } from "./tokens.ts";

/** The path of the chat's socket. Only the web worker calls it; the edge forwards no such path. */
export const CHAT_PATH = "/chat";

/** Opens a socket for the bearer of a token. Throws `token_invalid` for an expired, foreign or altered token. */
export async function answerChatSocket(request: Request, now_ms: number, env: ApiEnv): Promise<Response> {
  if (request.headers.get("upgrade") !== "websocket") throw new Problem("bad_request");
  const { searchParams } = new URL(request.url);
  const token = searchParams.get("token") ?? "";
  const ticket = await readChatToken(token, now_ms, env.MEDIA_KEY);
  // The address names a radio too: a token opens no other.
  if (!ticket || ticket.radio_id !== searchParams.get("radio_id")) throw new Problem("token_invalid");
  const query = new URLSearchParams({ token });
  return askWorker(env.RADIO_CHAT_ROOM.getByName(ticket.radio_id), `https://room.internal/?${query}`, {
    headers: { upgrade: "websocket" },
  });
}
