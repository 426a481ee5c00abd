import { isFromNobody } from "../../app/middleware/shared-pages.ts";
import { THEME_COOKIE, type Theme, themeOf } from "../../app/session/theme.ts";

/** What links carry to tell who sent somebody here. It changes nothing on a page. */
const TRACKING =
  /^(?:utm_\w+|_ga|_gl|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igsh(?:id)?|mc_[ce]id)$/;
const MAX_QUERY_LENGTH = 512;

/** A request for a page as anybody might send it. */
export interface VisitorRequest {
  /** The same page asked for by nobody in particular: it carries the address and the theme, and nothing else. */
  request: Request;
  url: URL;
  theme: Theme;
}

/** The request without anything of the person who sends it; null when it is theirs alone to be answered. */
export function asVisitor(request: Request): VisitorRequest | null {
  if ((request.method !== "GET" && request.method !== "HEAD") || !isFromNobody(request)) return null;
  const url = new URL(request.url);
  // The app's own data requests come from members' pages alone.
  if (url.pathname.endsWith(".data") || url.search.length > MAX_QUERY_LENGTH) return null;
  const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
  url.search = new URLSearchParams(kept.sort(byNameThenValue)).toString();
  const theme = themeOf(request);
  const headers: HeadersInit = theme === "system" ? {} : { cookie: `${THEME_COOKIE}=${theme}` };
  return { request: new Request(url, { headers }), url, theme };
}

function byNameThenValue([a, x]: [string, string], [b, y]: [string, string]): number {
  if (a !== b) return a < b ? -1 : 1;
  return x < y ? -1 : Number(x > y);
}
