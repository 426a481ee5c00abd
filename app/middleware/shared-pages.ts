import { cookiesOf } from "../session/cookies.ts";
import { THEME_COOKIE } from "../session/theme.ts";

/**
 * Pages that are the same for every visitor, by the pattern of their route (the home's is empty): the edge may keep a
 * copy. A page is in no cache unless it is named here. Source: docs/decisions/0006.
 */
export const sharedPatterns: ReadonlySet<string> = new Set([
  "",
  "login",
  "signup",
  "robots.txt",
  "sitemap.xml",
  ":link_id",
  ":link_id/about",
  ":link_id/plans",
  ":link_id/ofuse",
  ":link_id/events/:event_id",
]);

/** What a shared page is answered with: a copy may be kept, and every use of it is asked for first. */
export const SHARED = "public, no-cache";

/**
 * Cookies that say nothing of a person to us: our theme, and what Cloudflare sets to tell browsers from machines (which we
 * never read). Source: developers.cloudflare.com, "Cloudflare cookies".
 */
const IMPERSONAL = new Set([THEME_COOKIE, "__cf_bm", "_cfuvid", "cf_clearance"]);

/** Whether the request says nothing of who sends it: any other cookie may be somebody's. */
export function isFromNobody(request: Request): boolean {
  if (request.headers.has("authorization")) return false;
  return [...cookiesOf(request).keys()].every((name) => IMPERSONAL.has(name));
}
