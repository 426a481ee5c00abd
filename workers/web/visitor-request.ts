import { THEME_COOKIE, type Theme } from "../../app/browser/themes.ts";
import { isFromNobody, sharedAddress } from "../../app/middleware/shared-pages.ts";
import { readTheme } from "../../app/request/theme.ts";

/** What of a request for a page is not its sender's. */
export interface VisitorRequest {
  url: URL;
  theme: Theme;
}

/** What a page is asked for by, without anything of the person who asks; null when it is theirs alone to be answered. */
export function asVisitor(request: Request): VisitorRequest | null {
  if ((request.method !== "GET" && request.method !== "HEAD") || !isFromNobody(request)) return null;
  const url = sharedAddress(new URL(request.url));
  return url && { url, theme: readTheme(request) };
}

/** The same page asked for by nobody in particular: the address and the theme, and nothing else. */
export function requestOfNobody({ url, theme }: VisitorRequest): Request {
  return new Request(url, { headers: theme === "system" ? {} : { cookie: `${THEME_COOKIE}=${theme}` } });
}
