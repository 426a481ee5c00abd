import type { SessionKeys } from "../../app/session/session.ts";
import { POSTED_MAX_AGE_S, POSTED_PARAMETER, POSTED_PURPOSE } from "../../app/sign-in/federated.ts";
import { callbackPath, identityProviders } from "../../app/sign-in/identity-providers.ts";
import { readBounded } from "../kernel/bounded-body.ts";

/** Room for a code, a state, an ID token and, at the first sign-in, the user's name. */
const MAX_BYTES = 8 * 1024;

/** The paths of Apple's callback. Apple's own page posts a form to us when we ask for a name or an address. */
const POSTED = new Set(identityProviders.filter(({ slug }) => slug === "apple").map(callbackPath));

/**
 * Returns true when another site may post this request: only to exactly this path, where the only effect is the
 * redirect of {@link redirectToCallback}.
 */
export function isPostedCallback({ url, method }: Request): boolean {
  return method === "POST" && POSTED.has(new URL(url).pathname);
}

/**
 * Answers a provider's cross-site form post with a 303 to our own GET of the same path. The fields are encrypted in its
 * query. It reads no cookie: the browser sends a Lax cookie with the GET, but not with a cross-site post.
 */
export async function redirectToCallback(
  request: Request,
  keys: Pick<SessionKeys, "encrypt">,
  request_id: string,
): Promise<Response> {
  const headers = {
    "cache-control": "private, no-store",
    "x-request-id": request_id,
    "x-content-type-options": "nosniff",
  };
  const is_form = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false;
  const body = is_form ? await readBounded(request, MAX_BYTES) : null;
  const { pathname } = new URL(request.url);
  // Redirect an invalid post too: the page finds no state and shows the error.
  const fields = body ? new TextDecoder().decode(body) : "";
  const posted = await keys.encrypt(fields, POSTED_PURPOSE, POSTED_MAX_AGE_S);
  const location = `${pathname}?${new URLSearchParams({ [POSTED_PARAMETER]: posted })}`;
  return new Response(null, { status: 303, headers: { ...headers, location } });
}
