import type { MiddlewareFunction } from "react-router";
import { FRAME_ORIGINS } from "../../workers/contract/embeds.ts";
import { CookieJar } from "../session/cookies.ts";
import { forgetShownFlash } from "../session/flash.ts";
import { inlineStylesSource } from "../styles/inline.ts";
import {
  edgeContext,
  incompleteContext,
  jarContext,
  nonceContext,
  retryAfterContext,
  viewerContext,
} from "./context.ts";
import { isFromNobody, isSharedPage, SHARED, SPECULATION_RULES_PATH } from "./shared-pages.ts";

/** Nothing of the device is used yet; what a page comes to need is opened here. */
const PERMISSIONS =
  "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), midi=(), display-capture=(), browsing-topics=()";

/** What a member's page asks where it watches a document of the provider's (app/shell/firestore-watch.ts). */
const WATCH_CONNECTIONS = `; connect-src 'self' ${["firestore", "identitytoolkit", "securetoken"].map((name) => `https://${name}.googleapis.com`).join(" ")}`;

/** Nothing but our own files: a visitor's page runs none of its own lines, a member's only those with the page's nonce. */
function contentSecurityPolicy(nonce: string | null, inline_styles: string, connections: string): string {
  const scripts = nonce ? `'self' 'nonce-${nonce}'` : "'self'";
  // No 303 leaves the site yet; where one comes to (a payment, another sign-in), `form-action` must name it.
  // Toasts style themselves inline.
  const styles = nonce ? "'unsafe-inline'" : inline_styles;
  return `default-src 'self'; script-src ${scripts}; style-src 'self' ${styles}; img-src 'self' data:; frame-src ${FRAME_ORIGINS.join(" ")}; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'${connections}`;
}

/** Outermost: writes the cookies collected on the way, and the headers every page carries. */
export const responseMiddleware: MiddlewareFunction<Response> = async ({ request, pattern, context }, next) => {
  const jar = new CookieJar(request);
  const nonce = crypto.randomUUID();
  context.set(jarContext, jar);
  context.set(nonceContext, nonce);
  const response = await next();
  const { headers } = response;
  forgetShownFlash(context, response.status);
  for (const line of jar.lines()) headers.append("set-cookie", line);
  const is_shared = response.status === 200 && request.method === "GET" && isFromNobody(request);
  const is_whole = !context.get(incompleteContext);
  const may_be_kept = is_shared && is_whole && isSharedPage(pattern, new URL(request.url)) && jar.lines().length === 0;
  headers.set("cache-control", may_be_kept ? SHARED : "private, no-store");
  // For visitors alone: what their pages link to is the same for everybody. A browser asks for it, and no script does.
  if (may_be_kept && headers.get("content-type")?.startsWith("text/html")) {
    headers.set("speculation-rules", `"${SPECULATION_RULES_PATH}"`);
  }
  const retry_after_s = context.get(retryAfterContext);
  if (retry_after_s !== null) headers.set("retry-after", String(retry_after_s));
  headers.set("x-request-id", context.get(edgeContext).request_id);
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-frame-options", "DENY");
  headers.set("permissions-policy", PERMISSIONS);
  // Not `no-referrer`: our own forms would then send `Origin: null` and be refused.
  if (!headers.has("referrer-policy")) headers.set("referrer-policy", "strict-origin-when-cross-origin");
  headers.set(
    "content-security-policy",
    contentSecurityPolicy(
      context.get(viewerContext) && nonce,
      await inlineStylesSource(pattern),
      context.get(viewerContext) && context.get(edgeContext).watched_project ? WATCH_CONNECTIONS : "",
    ),
  );
  if (new URL(request.url).protocol === "https:") headers.set("strict-transport-security", "max-age=31536000");
  return response;
};
