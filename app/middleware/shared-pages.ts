import { ROUTE_NAMES } from "../../workers/contract/route-names.ts";
import { THEME_COOKIE } from "../browser/themes.ts";
import { cookiesOf, GUEST_COOKIE } from "../request/cookies.ts";

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

/** Of the query, the names each of them reads. Any other name changes nothing on the page: who sent somebody here, say. */
export const readParameters: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["page"]],
  ["search", ["keyword", "name", "genre_id", "page"]],
  ["login", ["to"]],
  ["signup", ["to"]],
  [":link_id", ["page", "category"]],
  [":link_id/ofuse", ["after"]],
  [":link_id/events/:event_id", ["page", "category", "picture"]],
]);

/** Those of which a copy is kept also with something of the query, and what of it may stand together. */
export const queriedPatterns: ReadonlyMap<string, readonly string[]> = new Map([
  [":link_id", ["page", "category", "category page"]],
  [":link_id/events/:event_id", ["page", "category", "picture"]],
]);

/** The parameters that a copy may be kept with, as links write them and in their order. */
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

/**
 * The address that a copy may be kept by: without the parameters that its page does not read, so that they cost no render.
 * Null when what is left is not as our links write it: no link makes a copy of its own.
 */
export function sharedAddress(asked: URL): URL | null {
  // The app's own data requests come from members' pages alone.
  if (!CANONICAL.test(asked.pathname) || asked.pathname.endsWith(".data")) return null;
  const pattern = sharedPattern(asked.pathname);
  const names = readParameters.get(pattern ?? "") ?? [];
  const told = [...asked.searchParams].filter(([name]) => pattern === null || names.includes(name));
  const known = read.filter(([name, pattern]) => told.some(([own, value]) => own === name && pattern.test(value)));
  if (told.length !== known.length || known.some(([name], at) => told[at]?.[0] !== name)) return null;
  const url = new URL(asked);
  url.search = new URLSearchParams(told).toString();
  return url;
}

/** The pattern of the shared page at a path, as the route table has it; null where another page answers. */
function sharedPattern(pathname: string): string | null {
  const path = pathname.slice(1);
  if (sharedPatterns.has(path)) return path;
  const segments = path.split("/");
  const is_persons = !ROUTE_NAMES.includes(segments[0] ?? "");
  const matches = (part: string, at: number) =>
    part === segments[at] || part === ":slug" || part === ":event_id" || (part === ":link_id" && is_persons);
  const found = [...sharedPatterns].find((pattern) => {
    const parts = pattern.split("/");
    return parts.length === segments.length && parts.every(matches);
  });
  return found ?? null;
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
