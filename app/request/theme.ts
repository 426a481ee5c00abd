import { isTheme, THEME_COOKIE, type Theme } from "../browser/themes.ts";
import { cookiesOf } from "./cookies.ts";

/** Returns the theme chosen in this browser, or "system" when it has chosen none. */
export function readTheme(request: Request): Theme {
  const wanted = cookiesOf(request).get(THEME_COOKIE);
  return isTheme(wanted) ? wanted : "system";
}
