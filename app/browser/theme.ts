import { chosenTheme, showTheme } from "./chosen-theme.ts";
import { theme as keptTheme } from "./stored-keys.ts";
import { isTheme, THEME_COOKIE, type Theme, themeCookie } from "./themes.ts";

/**
 * The theme is stored twice: under the key `theme` (spec section 1), and in a cookie, from which the server renders the
 * right theme. This file keeps the two equal.
 */

function cookieTheme(): Theme | null {
  const value = new RegExp(`(?:^|; *)${THEME_COOKIE}=(\\w+)`).exec(document.cookie)?.[1];
  return isTheme(value) ? value : null;
}

function writeCookie(theme: Theme): void {
  // biome-ignore lint/suspicious/noDocumentCookie: Safari has no other API for cookies over plain http.
  document.cookie = themeCookie(theme, location.protocol === "https:");
}

/** Stores the chosen theme and applies it to the page. */
export function chooseTheme(theme: Theme): void {
  writeCookie(theme);
  keptTheme.write(theme);
  showTheme(theme);
}

/**
 * Makes the theme's cookie and key equal when a page starts. The cookie wins, because the form without JavaScript sets
 * only the cookie. If the cookie has expired, sets it from the key. Shows the theme, because it may have changed since the
 * server rendered the page. After that, follows changes made in other tabs.
 */
export function keepThemesInStep(): void {
  const stored = cookieTheme() ?? keptTheme.read();
  if (stored) chooseTheme(stored);
  keptTheme.subscribe(() => {
    const theme = keptTheme.read();
    if (theme && theme !== chosenTheme()) showTheme(theme);
  });
}
