import { cookiesOf } from "./cookies.ts";

/** Source: spec section 1, Theme. */
const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

/** Readable by scripts and the same on every scheme, unlike our other cookies: it says nothing about anybody. */
export const THEME_COOKIE = "theme";

/** The theme this browser asks for; what is no theme is the system's. */
export function themeOf(request: Request): Theme {
  const wanted = cookiesOf(request).get(THEME_COOKIE);
  return themes.find((theme) => theme === wanted) ?? "system";
}
