import { ROUTE_NAMES } from "../../workers/contract/route-names.ts";
import { DISPLAY_COOKIE } from "../browser/displays.ts";
import { THEME_COOKIE } from "../browser/themes.ts";
import { cookiesOf, GUEST_COOKIE, MAIL_LANGUAGE_COOKIE, RADIO_KEYS_COOKIE } from "../request/cookies.ts";

/**
 * Pages that are the same for every visitor, by the pattern of their route (the home's is empty). The edge may cache
 * them; no other page is ever cached. Source: docs/decisions/0006.
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
  ":link_id/podcast.xml",
  ":link_id/embed",
  ":link_id/about",
  ":link_id/plans",
  ":link_id/ofuse",
  ":link_id/radio",
  ":link_id/events/:event_id",
  ":link_id/events/:event_id/likeness",
]);

/**
 * The query parameters that each shared page reads. Any other parameter, such as a referrer, changes nothing on the
 * page.
 */
export const readParameters: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["page"]],
  ["news", ["page"]],
  ["search", ["keyword", "name", "genre_id", "page"]],
  ["login", ["to"]],
  ["signup", ["to"]],
  [":link_id", ["page", "category"]],
  [":link_id/embed", ["theme"]],
  [":link_id/ofuse", ["after"]],
  [":link_id/radio", ["page"]],
  [":link_id/events/:event_id", ["page", "category", "picture"]],
]);

/** The shared pages that are also cached with a query, and the combinations of parameters that may be cached. */
export const queriedPatterns: ReadonlyMap<string, readonly string[]> = new Map([
  ["news", ["page"]],
  [":link_id", ["page", "category", "category page"]],
  [":link_id/embed", ["theme"]],
  [":link_id/events/:event_id", ["page", "category", "picture"]],
]);

/** The parameters in cached addresses and their valid values, in the order of our links. */
const read: readonly [string, RegExp][] = [
  ["category", /^[0-7][0-9a-hjkmnp-tv-z]{25}$/],
  ["page", /^[1-9]\d{0,4}$/],
  ["picture", /^[1-9]\d?$/],
  ["theme", /^(?:light|dark)$/],
];
/** Matches a path as our links write it. Other spellings could create unlimited cache entries of the same page. */
const CANONICAL = /^\/$|^(?:\/[^/%A-Z]+)+$/;

/**
 * The page that other sites show in a frame. It is the same for everybody, also for members: the worker reads no cookie
 * for it. Source: docs/decisions/0046.
 */
export const EMBED_PATH = /^\/[a-z0-9_]{3,32}\/embed$/;

/** The rules that say which shared pages a browser may prefetch (routes/speculation-rules.ts). */
export const SPECULATION_RULES_PATH = "/speculation-rules.json";

/** The Cache-Control of a shared page: it may be stored, and is revalidated before every use. */
export const SHARED = "public, no-cache";

/**
 * Returns the cache key of a shared page: its address without the parameters the page does not read. Returns null for any
 * other page, and for a query our links never write: it must not create an extra cache entry.
 */
export function sharedAddress(asked: URL): URL | null {
  // Only members' pages send the app's data requests.
  if (!CANONICAL.test(asked.pathname) || asked.pathname.endsWith(".data")) return null;
  const pattern = sharedPattern(asked.pathname);
  if (pattern === null) return null;
  const names = readParameters.get(pattern) ?? [];
  const read_pairs = [...asked.searchParams].filter(([name]) => names.includes(name));
  const known = read.filter(([name, pattern]) =>
    read_pairs.some(([own, value]) => own === name && pattern.test(value)),
  );
  if (read_pairs.length !== known.length || known.some(([name], at) => read_pairs[at]?.[0] !== name)) return null;
  const url = new URL(asked);
  url.search = new URLSearchParams(read_pairs).toString();
  return url;
}

/** Returns the route pattern of the shared page at a path, or null when another page answers. */
function sharedPattern(pathname: string): string | null {
  const path = pathname.slice(1);
  if (sharedPatterns.has(path)) return path;
  const segments = path.split("/");
  const is_persons = !ROUTE_NAMES.includes(segments[0] ?? "");
  const matchesSegment = (part: string, at: number) =>
    part === segments[at] || part === ":slug" || part === ":event_id" || (part === ":link_id" && is_persons);
  const found = [...sharedPatterns].find((pattern) => {
    const parts = pattern.split("/");
    return parts.length === segments.length && parts.every(matchesSegment);
  });
  return found ?? null;
}

/** Whether the page of this route is the same for everybody at this address. */
export function isSharedPage(pattern: string, url: URL): boolean {
  const name = pattern.replace(/^\//, "");
  if (!sharedPatterns.has(name) || sharedAddress(url)?.search !== url.search) return false;
  return url.search === "" || (queriedPatterns.get(name) ?? []).includes([...url.searchParams.keys()].join(" "));
}

/**
 * Cookies that change no shared page: only forms read those of guests and of the mails' language, and only pages of
 * single radios that of keys. The worker writes the display into the copy that it serves (workers/web/visitor-pages.ts).
 */
const NOBODYS = new Set([
  THEME_COOKIE,
  ...[GUEST_COOKIE, RADIO_KEYS_COOKIE, MAIL_LANGUAGE_COOKIE, DISPLAY_COOKIE].flatMap((name) => [
    name,
    `__Host-${name}`,
  ]),
]);

/** Whether the request carries nothing personal that a page could show. Any unknown cookie counts as personal. */
export function isFromNobody(request: Request): boolean {
  if (request.headers.has("authorization")) return false;
  return [...cookiesOf(request).keys()].every((name) => NOBODYS.has(name));
}
