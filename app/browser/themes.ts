/** The themes that a person can choose. Source: spec section 1, Theme. */
export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

/**
 * The cookie that stores the theme. Scripts can read it and its name has no prefix, unlike our other cookies, because
 * it has no personal data.
 */
export const THEME_COOKIE = "theme";
const THEME_MAX_AGE_S = 400 * 24 * 60 * 60;

export function isTheme(value: unknown): value is Theme {
  return themes.some((theme) => theme === value);
}

/**
 * Returns the cookie that stores a theme, for a header and for `document.cookie`. "system" is stored too, because it is
 * a choice.
 */
export function themeCookie(theme: Theme, is_https: boolean): string {
  const secure = is_https ? "; Secure" : "";
  return `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${THEME_MAX_AGE_S}; SameSite=Lax${secure}`;
}
