import { chosenTheme, showTheme } from "./chosen-theme.ts";
import { theme as keptTheme } from "./stored-keys.ts";
import { isTheme, THEME_COOKIE, type Theme, themeCookie } from "./themes.ts";

/**
 * The theme is kept twice: under the key `theme` (spec section 1), and in a cookie, by which the edge makes the page right
 * from its first byte. Here the two are kept in step.
 */

function cookieTheme(): Theme | null {
  const value = new RegExp(`(?:^|; *)${THEME_COOKIE}=(\\w+)`).exec(document.cookie)?.[1];
  return isTheme(value) ? value : null;
}

function writeCookie(theme: Theme): void {
  // biome-ignore lint/suspicious/noDocumentCookie: Safari has no other way that also works over plain http.
  document.cookie = themeCookie(theme, location.protocol === "https:");
}

/** Keeps what somebody chose, and shows it at once. */
export function chooseTheme(theme: Theme): void {
  writeCookie(theme);
  keptTheme.write(theme);
  showTheme(theme);
}

/**
 * Brings the two into step when a page begins: the cookie wins, as a form without script writes it alone; where there is
 * none (it has run out), the key writes it anew. From then on another tab's choice is this one's too.
 */
export function keepThemesInStep(): void {
  const [told, kept] = [cookieTheme(), keptTheme.read()];
  if (told && told !== kept) keptTheme.write(told);
  if (!told && kept) {
    writeCookie(kept);
    showTheme(kept);
  }
  keptTheme.subscribe(() => {
    const theme = keptTheme.read();
    if (theme && theme !== chosenTheme()) showTheme(theme);
  });
}
