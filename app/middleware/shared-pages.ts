import { cookiesOf, GUEST_COOKIE } from "../session/cookies.ts";
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
  "speculation-rules.json",
  ":link_id",
  ":link_id/feed.xml",
  ":link_id/feed.atom",
  ":link_id/feed.json",
  ":link_id/about",
  ":link_id/plans",
  ":link_id/ofuse",
  ":link_id/radio",
  ":link_id/events/:event_id",
  ":link_id/events/:event_id/likeness",
]);

/** Those of them that read something of the query, and what of it may stand together. */
export const queriedPatterns: ReadonlyMap<string, readonly string[]> = new Map([
  [":link_id", ["page", "category", "category page"]],
  [":link_id/events/:event_id", ["page", "category", "picture"]],
]);

/** What links carry to tell who sent somebody here. It changes nothing on a page. */
const TRACKING =
  /^(?:utm_\w+|_ga|_gl|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igsh(?:id)?|mc_[ce]id)$/;
/** The parameters that shared pages read, as their links write them and in their order. */
const read: readonly [string, RegExp][] = [
  ["category", /^[0-7][0-9a-hjkmnp-tv-z]{25}$/],
  ["page", /^[1-9]\d{0,4}$/],
  ["picture", /^[1-9]\d?$/],
];
/** A path as our links write it. Its other spellings may lead to the same page, and there is no end of them. */
const CANONICAL = /^\/$|^(?:\/[^/%A-Z]+)+$/;

/** Which of them a browser may ask for before their link is followed; routes/speculation-rules.ts. */
export const SPECULATION_RULES_PATH = "/speculation-rules.json";

/** What a shared page is answered with: a copy may be kept, and every use of it is asked for first. */
export const SHARED = "public, no-cache";

/** The address without what tracks, where a copy may be kept; null when it is none that our links have: no link makes a copy of its own. */
export function sharedAddress(asked: URL): URL | null {
  // The app's own data requests come from members' pages alone.
  if (!CANONICAL.test(asked.pathname) || asked.pathname.endsWith(".data")) return null;
  const told = [...asked.searchParams].filter(([name]) => !TRACKING.test(name));
  const known = read.filter(([name, pattern]) => told.some(([own, value]) => own === name && pattern.test(value)));
  if (told.length !== known.length || known.some(([name], at) => told[at]?.[0] !== name)) return null;
  const url = new URL(asked);
  url.search = new URLSearchParams(told).toString();
  return url;
}

/** Whether the page of this route may be given to everybody at this address. */
export function isSharedPage(pattern: string, url: URL): boolean {
  const name = pattern.replace(/^\//, "");
  if (!sharedPatterns.has(name) || sharedAddress(url)?.search !== url.search) return false;
  return url.search === "" || (queriedPatterns.get(name) ?? []).includes([...url.searchParams.keys()].join(" "));
}

/** No page that is asked for looks at the second: it counts with the forms that are sent alone. */
const NOBODYS = new Set([THEME_COOKIE, GUEST_COOKIE, `__Host-${GUEST_COOKIE}`]);

/** Whether the request says nothing of who sends it that a page could show: any other cookie may be somebody's. */
export function isFromNobody(request: Request): boolean {
  if (request.headers.has("authorization")) return false;
  return [...cookiesOf(request).keys()].every((name) => NOBODYS.has(name));
}
