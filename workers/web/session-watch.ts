import { readCookie } from "../../app/request/cookies.ts";
import { SESSION_COOKIE, SessionKeys } from "../../app/session/session.ts";
import { WATCHED_ELSEWHERE, WITHOUT_SESSION } from "../contract/sign-out-watch.ts";
import { log } from "../kernel/log.ts";
import { IDENTITY_ORIGIN } from "../verifier/deployment.ts";
import { API_ORIGIN } from "./edge.ts";

/** Opens a socket with the headers of its member. */
type Watch = (env: WebEnv, init: { headers: Record<string, string> }, search: string) => Promise<Response>;

/** The sockets of an open page, by path: one gets sign-outs elsewhere, the other notifications. */
const watches: Record<string, { isElsewhere(env: WebEnv): boolean; open: Watch }> = {
  "/session/watch": {
    isElsewhere: (env) => env.SIGN_OUT_WATCH === "firestore",
    open: (env, init) => env.IDENTITY.fetch(`${IDENTITY_ORIGIN}/watch`, init),
  },
  "/session/notifications": {
    // A remote product API offers no socket.
    isElsewhere: (env) => env.V4_ORIGIN !== "",
    open: (env, init, search) => env.API.fetch(`${API_ORIGIN}/watch${search}`, init),
  },
};

export const isSessionWatch = (pathname: string) => Object.hasOwn(watches, pathname);

/**
 * Opens the socket of a path of {@link watches}: app/shell/sign-out-watch.ts, app/shell/notification-watch.ts. It
 * checks the origin: browsers send cookies with a socket opened by any site, and CORS does not apply to sockets.
 */
export async function watchSession(request: Request, env: WebEnv, request_id: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const watch = watches[pathname];
  if (!watch) return refuseSocket(404, request_id);
  const refusal = refuseUpgrade(request, request_id) ?? refuseOtherSites(request, request_id);
  if (refusal) return refusal;
  if (watch.isElsewhere(env)) return acceptAndClose(WATCHED_ELSEWHERE);
  const cookie = readCookie(request, SESSION_COOKIE);
  const session = cookie && (await new SessionKeys(env.SESSION_KEYS).open(cookie));
  if (!session || session === "expired") return acceptAndClose(WITHOUT_SESSION);
  const headers = { upgrade: "websocket", authorization: `Bearer ${session.token}`, "x-request-id": request_id };
  try {
    const answer = await watch.open(env, { headers }, search);
    if (answer.webSocket) return new Response(null, { status: 101, webSocket: answer.webSocket });
    // The member is signed out, or the token has expired. The page finds out which. Or the registration is not complete.
    if (answer.status === 401 || answer.status === 403) return acceptAndClose(WITHOUT_SESSION);
    log("error", { message: "a session is not watched", request_id, status: answer.status });
  } catch (error) {
    log("error", { message: "a session is not watched", request_id, error: String(error) });
  }
  return refuseSocket(503, request_id);
}

/** Refuses a request that opens no socket. */
export function refuseUpgrade(request: Request, request_id: string): Response | null {
  if (request.headers.get("upgrade")?.toLowerCase() === "websocket") return null;
  return refuseSocket(426, request_id, { upgrade: "websocket", connection: "upgrade" });
}

/** Refuses a socket that another site's page opens. */
export function refuseOtherSites(request: Request, request_id: string): Response | null {
  const site = request.headers.get("sec-fetch-site");
  const is_ours = request.headers.get("origin") === new URL(request.url).origin;
  return is_ours && (site === null || site === "same-origin") ? null : refuseSocket(403, request_id);
}

/**
 * Accepts the socket and closes it with a code. A browser hides the status of a refused upgrade from its page, but
 * shows a close code.
 */
export function acceptAndClose(code: number): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.close(code);
  return new Response(null, { status: 101, webSocket: client });
}

export function refuseSocket(status: number, request_id: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status,
    headers: { ...headers, "cache-control": "no-store", "x-request-id": request_id },
  });
}
