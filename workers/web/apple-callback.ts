import type { SessionKeys } from "../../app/session/session.ts";
import { POSTED_MAX_AGE_S, POSTED_PARAMETER, POSTED_PURPOSE } from "../../app/sign-in/federated.ts";
import { callbackPath, identityProviders } from "../../app/sign-in/identity-providers.ts";
import { readBounded } from "../kernel/bounded-body.ts";

/** A code, a state, an ID token, and once the name of who signs in. */
const MAX_BYTES = 8 * 1024;

/** Apple answers by a form that its own page posts to us, when a name or an address is asked for. */
const POSTED = new Set(identityProviders.filter(({ slug }) => slug === "apple").map(callbackPath));

/** Whether another site may post this: to exactly this path, where nothing is done with it but what {@link ledToCallback} does. */
export function isPostedCallback({ url, method }: Request): boolean {
  return method === "POST" && POSTED.has(new URL(url).pathname);
}

/**
 * Answers what another site posted with a 303 to our own GET of the same path, the fields sealed in its address. No cookie
 * is looked at: a Lax one does not come along with a form from elsewhere, and on the GET it does.
 */
export async function ledToCallback(
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
  // What is no callback is told so by the page itself: it finds no state.
  const fields = body ? new TextDecoder().decode(body) : "";
  const posted = await keys.encrypt(fields, POSTED_PURPOSE, POSTED_MAX_AGE_S);
  const location = `${pathname}?${new URLSearchParams({ [POSTED_PARAMETER]: posted })}`;
  return new Response(null, { status: 303, headers: { ...headers, location } });
}
