import { readCookie } from "../../app/request/cookies.ts";
import { radioKeyOf } from "../../app/session/radio-keys.ts";
import { SESSION_COOKIE, SessionKeys } from "../../app/session/session.ts";
import { CHAT_ENDED, CHAT_SOCKET_PATH } from "../contract/chat-names.ts";
import { createChatRoomToken } from "../contract/radio-chat.ts";
import { URL_KEY_HEADER } from "../contract/radios.ts";
import { WATCHED_ELSEWHERE, WITHOUT_SESSION } from "../contract/sign-out-watch.ts";
import { isId } from "../kernel/ids.ts";
import { log } from "../kernel/log.ts";
import { API_ORIGIN } from "./edge.ts";
import type { Incoming } from "./incoming.ts";
import { readSiteState, refuseClosed } from "./maintenance-answers.ts";
import { acceptAndClose, refuseOtherSites, refuseSocket, refuseUpgrade } from "./session-watch.ts";
import { withAddress } from "./toolkit.ts";

/**
 * Opens the socket of a radio's chat. Our pages open it with the cookies of their session and of the radio's key; other
 * clients bring a token of `createChatRoomToken`. Only the former are bound to our origin: a token is no cookie. Refuses new
 * sockets under maintenance.
 */
export async function openChat(incoming: Incoming): Promise<Response> {
  const { request, env, request_id, client_address } = incoming;
  const { pathname, searchParams } = new URL(request.url);
  const radio_id = pathname.slice(CHAT_SOCKET_PATH.length);
  if (!isId(radio_id)) return refuseSocket(404, request_id);
  const given = searchParams.get("token");
  const refusal = refuseUpgrade(request, request_id) ?? (given === null ? refuseOtherSites(request, request_id) : null);
  if (refusal) return refusal;
  const { maintenance } = await readSiteState(incoming);
  // The page tries again later.
  if (maintenance.status === "UNDER_MAINTENANCE") return refuseClosed(maintenance, request_id);
  // A remote product API offers no socket.
  if (env.V4_ORIGIN !== "") return acceptAndClose(WATCHED_ELSEWHERE);
  try {
    const token = given ?? (await askForToken(request, env, { radio_id, request_id, client_address }));
    if (typeof token === "number") return acceptAndClose(token);
    const query = new URLSearchParams({ radio_id, token });
    const headers = { upgrade: "websocket", "x-request-id": request_id };
    const answer = await env.API.fetch(`${API_ORIGIN}/chat?${query}`, { headers });
    if (answer.webSocket) return new Response(null, { status: 101, webSocket: answer.webSocket });
    return refuseSocket(answer.status, request_id);
  } catch (error) {
    log("error", { message: "a chat is not open", request_id, error: String(error) });
    return refuseSocket(503, request_id);
  }
}

/** Returns a token for the person of the request's cookies, or the close code for the page. */
async function askForToken(
  request: Request,
  env: WebEnv,
  asked: { radio_id: string; request_id: string; client_address: string | null },
): Promise<string | number> {
  const cookie = readCookie(request, SESSION_COOKIE);
  const session = cookie && (await new SessionKeys(env.SESSION_KEYS).open(cookie));
  if (session === "expired") return WITHOUT_SESSION;
  const { headers } = withAddress(asked.client_address);
  headers.set("x-request-id", asked.request_id);
  if (session) headers.set("authorization", `Bearer ${session.token}`);
  const key = radioKeyOf(request, asked.radio_id);
  if (key !== undefined) headers.set(URL_KEY_HEADER, key);
  const path = createChatRoomToken.path.replace("{radio_id}", asked.radio_id);
  const answer = await env.API.fetch(`${API_ORIGIN}${path}`, { method: "POST", headers });
  if (answer.ok) return createChatRoomToken.answer.parse(await answer.json()).token;
  await answer.body?.cancel();
  if (answer.status === 401 || answer.status === 403) return WITHOUT_SESSION;
  if (answer.status < 500) return CHAT_ENDED;
  throw new Error(`no token: ${answer.status}`);
}
