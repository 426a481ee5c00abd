import { cookiesOf } from "../session/cookies.ts";
import { GUEST_COOKIE } from "../session/guest.ts";
import { THEME_COOKIE } from "../session/theme.ts";

/**
 * Pages that are the same for every visitor, by the pattern of their route (the home's is empty): the edge may keep a
 * copy. A page is in no cache unless it is named here. Source: docs/decisions/0006.
 */
export const sharedPatterns: ReadonlySet<string> = new Set([
  "",
  "search",
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
  ":link_id/feed.xml",
  ":link_id/feed.atom",
  ":link_id/feed.json",
  ":link_id/about",
  ":link_id/plans",
  ":link_id/ofuse",
  ":link_id/events/:event_id",
]);

/** Those of them that read `page`. */
export const pagedPatterns: ReadonlySet<string> = new Set([":link_id", ":link_id/events/:event_id"]);

/** What links carry to tell who sent somebody here. It changes nothing on a page. */
const TRACKING =
  /^(?:utm_\w+|_ga|_gl|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igsh(?:id)?|mc_[ce]id)$/;
/** The one parameter that shared pages read, as their links write it. */
const PAGE = "page";
const PAGE_NUMBER = /^[1-9]\d{0,4}$/;
/** A path as our links write it. Its other spellings may lead to the same page, and there is no end of them. */
const CANONICAL = /^\/$|^(?:\/[^/%A-Z]+)+$/;

/** What a shared page is answered with: a copy may be kept, and every use of it is asked for first. */
export const SHARED = "public, no-cache";

/** The address without what tracks, where a copy may be kept; null when it is none that our links have: no link makes a copy of its own. */
export function sharedAddress(asked: URL): URL | null {
  // The app's own data requests come from members' pages alone.
  if (!CANONICAL.test(asked.pathname) || asked.pathname.endsWith(".data")) return null;
  const told = [...asked.searchParams].filter(([name]) => !TRACKING.test(name));
  if (told.length > 1 || told.some(([name, value]) => name !== PAGE || !PAGE_NUMBER.test(value))) return null;
  const url = new URL(asked);
  url.search = new URLSearchParams(told).toString();
  return url;
}

/** Whether the page of this route may be given to everybody at this address. */
export function isSharedPage(pattern: string, url: URL): boolean {
  const name = pattern.replace(/^\//, "");
  if (!sharedPatterns.has(name) || sharedAddress(url)?.search !== url.search) return false;
  return url.search === "" || pagedPatterns.has(name);
}

/** No page that is asked for looks at the second: it counts with the forms that are sent alone. */
const NOBODYS = new Set([THEME_COOKIE, GUEST_COOKIE, `__Host-${GUEST_COOKIE}`]);

/** Whether the request says nothing of who sends it that a page could show: any other cookie may be somebody's. */
export function isFromNobody(request: Request): boolean {
  if (request.headers.has("authorization")) return false;
  return [...cookiesOf(request).keys()].every((name) => NOBODYS.has(name));
}
