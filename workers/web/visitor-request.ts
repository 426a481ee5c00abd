import type { Display } from "../../app/browser/displays.ts";
import { THEME_COOKIE, type Theme } from "../../app/browser/themes.ts";
import { EMBED_PATH, isFromNobody, sharedAddress } from "../../app/middleware/shared-pages.ts";
import { readDisplay } from "../../app/request/display.ts";
import { readTheme } from "../../app/request/theme.ts";
import { isSafe } from "./same-origin.ts";

/** The part of a page request that does not depend on the client. */
export interface VisitorRequest {
  url: URL;
  theme: Theme;
  /** Not a part of the page that is rendered and kept: the worker writes it into the copy that it serves. */
  display: Display;
}

/** Returns a page request without anything about the client; null when the page depends on the client. */
export function toVisitorRequest(request: Request): VisitorRequest | null {
  if ((request.method !== "GET" && request.method !== "HEAD") || !isFromNobody(request)) return null;
  const url = sharedAddress(new URL(request.url));
  return url && { url, theme: readTheme(request), display: readDisplay(request) };
}

/** Returns an anonymous request for the page: the address and the theme, nothing else. */
export function toAnonymousRequest({ url, theme }: VisitorRequest): Request {
  return new Request(url, { headers: theme === "system" ? {} : { cookie: `${THEME_COOKIE}=${theme}` } });
}

/** Removes the cookies of a request for the page that other sites frame. */
export function forgetFramedCookies<R extends Request>(request: R): R {
  if (!isSafe(request) || !EMBED_PATH.test(new URL(request.url).pathname)) return request;
  const headers = new Headers(request.headers);
  headers.delete("cookie");
  return new Request(request, { headers }) as R;
}
