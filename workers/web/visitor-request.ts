import { isFromNobody } from "../../app/middleware/shared-pages.ts";
import { THEME_COOKIE, type Theme, themeOf } from "../../app/session/theme.ts";

/** What links carry to tell who sent somebody here. It changes nothing on a page. */
const TRACKING =
  /^(?:utm_\w+|_ga|_gl|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igsh(?:id)?|mc_[ce]id)$/;
const MAX_QUERY_LENGTH = 512;

/** What of a request for a page is not its sender's. */
export interface VisitorRequest {
  url: URL;
  theme: Theme;
}

/** What a page is asked for by, without anything of the person who asks; null when it is theirs alone to be answered. */
export function asVisitor(request: Request): VisitorRequest | null {
  if ((request.method !== "GET" && request.method !== "HEAD") || !isFromNobody(request)) return null;
  const url = new URL(request.url);
  // The app's own data requests come from members' pages alone.
  if (url.pathname.endsWith(".data") || url.search.length > MAX_QUERY_LENGTH) return null;
  if (url.search === "") return { url, theme: themeOf(request) };
  const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
  url.search = new URLSearchParams(kept.sort(byNameThenValue)).toString();
  return { url, theme: themeOf(request) };
}

/** The same page asked for by nobody in particular: the address and the theme, and nothing else. */
export function requestOfNobody({ url, theme }: VisitorRequest): Request {
  return new Request(url, { headers: theme === "system" ? {} : { cookie: `${THEME_COOKIE}=${theme}` } });
}

function byNameThenValue([a, x]: [string, string], [b, y]: [string, string]): number {
  if (a !== b) return a < b ? -1 : 1;
  return x < y ? -1 : Number(x > y);
}
