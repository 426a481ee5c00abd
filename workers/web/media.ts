import { readCookie } from "../../app/request/cookies.ts";
import { SESSION_COOKIE, type SessionKeys } from "../../app/session/session.ts";

/**
 * The request for a picture, sound or film as the API gets it. Pages name them by addresses signed for one viewer, and only the session
 * says who that is: its token goes along. What is open needs nobody, and no cookie is looked at for it.
 */
export async function asViewer(request: Request, session_keys: () => SessionKeys): Promise<Request> {
  const is_signed = new URL(request.url).searchParams.has("signature");
  if (!is_signed || request.headers.has("authorization")) return request;
  const cookie = readCookie(request, SESSION_COOKIE);
  const session = cookie && (await session_keys().open(cookie));
  if (!session || session === "expired") return request;
  const asked = new Request(request);
  asked.headers.set("authorization", `Bearer ${session.token}`);
  return asked;
}
