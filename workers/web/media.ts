import { readCookie } from "../../app/request/cookies.ts";
import { SESSION_COOKIE, type SessionKeys } from "../../app/session/session.ts";

/**
 * Returns the request for a picture, sound or film as the API gets it. Some media URLs are signed for one viewer, so
 * the session's token is added. Open media need no viewer, so their cookies are not read.
 */
export async function toViewerRequest(request: Request, session_keys: () => SessionKeys): Promise<Request> {
  const is_signed = new URL(request.url).searchParams.has("signature");
  if (!is_signed || request.headers.has("authorization")) return request;
  const cookie = readCookie(request, SESSION_COOKIE);
  const session = cookie && (await session_keys().open(cookie));
  if (!session || session === "expired") return request;
  const asked = new Request(request);
  asked.headers.set("authorization", `Bearer ${session.token}`);
  return asked;
}
