import { THEME_COOKIE, type Theme } from "../../app/browser/themes.ts";
import { isFromNobody, sharedAddress } from "../../app/middleware/shared-pages.ts";
import { readTheme } from "../../app/request/theme.ts";

/** The part of a page request that does not depend on the client. */
export interface VisitorRequest {
  url: URL;
  theme: Theme;
}

/** Returns a page request without anything about the client; null when the page depends on the client. */
export function toVisitorRequest(request: Request): VisitorRequest | null {
  if ((request.method !== "GET" && request.method !== "HEAD") || !isFromNobody(request)) return null;
  const url = sharedAddress(new URL(request.url));
  return url && { url, theme: readTheme(request) };
}

/** Returns an anonymous request for the page: the address and the theme, nothing else. */
export function toAnonymousRequest({ url, theme }: VisitorRequest): Request {
  return new Request(url, { headers: theme === "system" ? {} : { cookie: `${THEME_COOKIE}=${theme}` } });
}
