import { isFromNobody } from "../../app/middleware/shared-pages.ts";
import { THEME_COOKIE, type Theme, themeOf } from "../../app/session/theme.ts";

/** What links carry to tell who sent somebody here. It changes nothing on a page. */
const TRACKING =
  /^(?:utm_\w+|_ga|_gl|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igsh(?:id)?|mc_[ce]id)$/;
/** The one parameter that shared pages read. With any other the page is its asker's: no link makes a copy of its own. */
const PAGE = "page";

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
  if (url.pathname.endsWith(".data")) return null;
  const told = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
  if (told.length > 1 || told.some(([name]) => name !== PAGE)) return null;
  url.search = new URLSearchParams(told).toString();
  return { url, theme: themeOf(request) };
}

/** The same page asked for by nobody in particular: the address and the theme, and nothing else. */
export function requestOfNobody({ url, theme }: VisitorRequest): Request {
  return new Request(url, { headers: theme === "system" ? {} : { cookie: `${THEME_COOKIE}=${theme}` } });
}
