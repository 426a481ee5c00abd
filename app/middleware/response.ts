import type { MiddlewareFunction } from "react-router";
import { FRAME_ORIGINS } from "../../workers/contract/embeds.ts";
import { ROUTE_HEADER } from "../../workers/contract/health.ts";
import { edgeContext, incompleteContext, jarContext, nonceContext, retryAfterContext } from "../request/context.ts";
import { CookieJar } from "../request/cookies.ts";
import { forgetShownFlash } from "../request/flash.ts";
import { identityContext, viewerContext } from "../session/context.ts";
import { PROVIDER_ORIGINS } from "../sign-in/identity-providers.ts";
import { inlineStylesSource } from "../styles/inline.ts";
import { readableRefusal } from "./refused-file.ts";
import { isFromNobody, isSharedPage, SHARED, SPECULATION_RULES_PATH } from "./shared-pages.ts";

/** The features of the device that no page uses. */
const UNUSED_FEATURES =
  "geolocation=(), payment=(), usb=(), serial=(), midi=(), display-capture=(), browsing-topics=()";
/** The page on which a creator is on air. It must be loaded as a document: the policy is that of the document. */
const ON_AIR_PATTERN = "my/radio/:radio_id";

/** Returns the Permissions-Policy of a page. Only the page of a broadcaster uses the microphone. */
const permissionsPolicy = (pattern: string) =>
  `camera=(), microphone=(${pattern.replace(/^\//, "") === ON_AIR_PATTERN ? "self" : ""}), ${UNUSED_FEATURES}`;

/** Pages with a form that is answered by a 303 to another provider. `form-action` must name the provider. */
const federatedPatterns: ReadonlySet<string> = new Set([
  "login",
  "login/join",
  "login/confirm",
  "signup",
  "my/settings/providers",
]);
const CHECKOUT = ["https://checkout.stripe.com"];
/** Pages with a form that is answered by a 303 to a page of Stripe, with the origins of such pages. */
const gatewayOrigins: Readonly<Record<string, readonly string[]>> = {
  "my/subscriptions/join/:membership_id": CHECKOUT,
  "my/settings/payments": [...CHECKOUT, "https://billing.stripe.com"],
  "signup/monetize": ["https://connect.stripe.com"],
};
/** The route patterns of pages that send an SMS code. */
const phonePatterns: ReadonlySet<string> = new Set([
  "login/phone",
  "login/phone/code",
  "login/factor",
  "login/confirm",
  "my/settings/factors/phone",
]);
/** The sources that reCAPTCHA needs. Source: reCAPTCHA, "Content Security Policy"; Firebase Authentication's SDK. */
const RECAPTCHA = {
  scripts: " https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
  frames: " https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/",
  connections: ["https://identitytoolkit.googleapis.com", "https://www.google.com/recaptcha/"],
};
/** The page that frames mails of a demo as their recipients see them. */
const FRAMING_PATTERN = "dev/outbox";
/** The page whose script plays live sound: a media source has an address of the kind `blob:`. */
const LISTENING_PATTERN = ":link_id/radios/:radio_id";
const NOTHING: typeof RECAPTCHA = { scripts: "", frames: "", connections: [] };
/** The hosts a member's page connects to when it watches a document in Firestore (app/shell/firestore-watch.client.ts). */
const WATCHED = ["firestore", "identitytoolkit", "securetoken"].map((name) => `https://${name}.googleapis.com`);
/** The address of the picture with which Firestore's channel tests the network. */
const WATCHED_IMAGE = " https://www.google.com/images/cleardot.gif";

interface PolicyOf {
  /** The CSP nonce of a member's page. */
  nonce: string | null;
  inline_styles: string;
  has_recaptcha: boolean;
  is_watching: boolean;
}

/**
 * Allows our own files only. A visitor's page runs no inline script, a member's only those with the page's nonce.
 * Sources that few pages need are allowed on those pages alone.
 */
function contentSecurityPolicy(
  pattern: string,
  { nonce, inline_styles, has_recaptcha, is_watching }: PolicyOf,
): string {
  const name = pattern.replace(/^\//, "");
  const opened = has_recaptcha && phonePatterns.has(name) ? RECAPTCHA : NOTHING;
  const connections = new Set([...(is_watching ? WATCHED : []), ...opened.connections]);
  const asked = connections.size > 0 ? `; connect-src ${["'self'", ...connections].join(" ")}` : "";
  const forms = ["'self'", ...(federatedPatterns.has(name) ? PROVIDER_ORIGINS : []), ...(gatewayOrigins[name] ?? [])];
  const scripts = nonce ? `'self' 'nonce-${nonce}'` : "'self'";
  // A member's page may become any other without a new document: one that plays live sound, or /my/streaming, which frames
  // the preview.
  const media = nonce || name === LISTENING_PATTERN ? "; media-src 'self' blob:" : "";
  const own_frames = nonce || name === FRAMING_PATTERN ? " 'self'" : "";
  const frames = `${FRAME_ORIGINS.join(" ")}${opened.frames}${own_frames}`;
  // Toasts and reCAPTCHA set inline styles.
  const styles = nonce || opened === RECAPTCHA ? "'unsafe-inline'" : inline_styles;
  return `default-src 'self'; script-src ${scripts}${opened.scripts}; style-src 'self' ${styles}; img-src 'self' data:${is_watching ? WATCHED_IMAGE : ""}; frame-src ${frames}; object-src 'none'; base-uri 'none'; form-action ${forms.join(" ")}; frame-ancestors 'none'${asked}${media}`;
}

/** The outermost middleware: writes the collected cookies, and the headers of every page. */
export const responseMiddleware: MiddlewareFunction<Response> = async ({ request, pattern, context }, next) => {
  const jar = new CookieJar(request);
  const nonce = crypto.randomUUID();
  context.set(jarContext, jar);
  context.set(nonceContext, nonce);
  const response = await readableRefusal(request, await next());
  const { headers } = response;
  forgetShownFlash(context, response.status);
  for (const line of jar.lines()) headers.append("set-cookie", line);
  const is_shared = response.status === 200 && request.method === "GET" && isFromNobody(request);
  // The loaders of pages that may be framed: a demo's mails, and the letter form for other sites.
  const has_own_policy = headers.has("content-security-policy");
  const is_whole = !context.get(incompleteContext);
  const may_be_kept = is_shared && is_whole && isSharedPage(pattern, new URL(request.url)) && jar.lines().length === 0;
  headers.set("cache-control", may_be_kept ? SHARED : "private, no-store");
  // Only on visitors' pages, because their links are the same for everybody. The browser loads the rules itself,
  // without a script.
  if (may_be_kept && !has_own_policy && headers.get("content-type")?.startsWith("text/html")) {
    headers.set("speculation-rules", `"${SPECULATION_RULES_PATH}"`);
  }
  const retry_after_s = context.get(retryAfterContext);
  if (retry_after_s !== null) headers.set("retry-after", String(retry_after_s));
  headers.set("x-request-id", context.get(edgeContext).request_id);
  headers.set(ROUTE_HEADER, `/${pattern.replace(/^\//, "")}`);
  headers.set("x-content-type-options", "nosniff");
  headers.set("permissions-policy", permissionsPolicy(pattern));
  // Do not send `no-referrer`: our own forms would then send `Origin: null` and be refused.
  if (!headers.has("referrer-policy")) headers.set("referrer-policy", "strict-origin-when-cross-origin");
  if (new URL(request.url).protocol === "https:") headers.set("strict-transport-security", "max-age=31536000");
  if (has_own_policy) return response;
  headers.set("x-frame-options", "DENY");
  headers.set(
    "content-security-policy",
    contentSecurityPolicy(pattern, {
      nonce: context.get(viewerContext) && nonce,
      inline_styles: await inlineStylesSource(pattern),
      has_recaptcha: context.get(identityContext).recaptcha !== null,
      is_watching: Boolean(context.get(viewerContext) && context.get(identityContext).watched_project),
    }),
  );
  return response;
};
