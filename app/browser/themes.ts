import { cookiesOf } from "../request/cookies.ts";

/** Source: spec section 1, Theme. */
export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

/** Readable by scripts and the same on every scheme, unlike our other cookies: it says nothing about anybody. */
export const THEME_COOKIE = "theme";
const THEME_MAX_AGE_S = 400 * 24 * 60 * 60;

/** What the browser paints around the page. */
export const grounds = { light: "#ffffff", dark: "#12181b" };

export function isTheme(value: unknown): value is Theme {
  return themes.some((theme) => theme === value);
}

/** The theme this browser asks for; what is no theme is the system's. */
export function themeOf(request: Request): Theme {
  const wanted = cookiesOf(request).get(THEME_COOKIE);
  return isTheme(wanted) ? wanted : "system";
}

/** The line that keeps a theme, for a header and for `document.cookie` alike. "system" is kept too: it was chosen. */
export function themeCookie(theme: Theme, is_https: boolean): string {
  const secure = is_https ? "; Secure" : "";
  return `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${THEME_MAX_AGE_S}; SameSite=Lax${secure}`;
}
