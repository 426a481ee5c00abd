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
  "kit",
  "news",
  "news/:slug",
  "usecases",
  "help",
  "terms",
  "privacy",
  "external-transmission",
  "transactions",
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

/** Whether the request says nothing of who sends it: any cookie but the theme may be somebody's. */
export function isFromNobody(request: Request): boolean {
  if (request.headers.has("authorization")) return false;
  return [...cookiesOf(request).keys()].every((name) => name === THEME_COOKIE);
}
