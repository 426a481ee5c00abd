import { chosenTheme, onThemeChosen } from "../browser/chosen-theme.ts";
import { grounds } from "../browser/grounds.ts";
import { chooseTheme, keepThemesInStep } from "../browser/theme.ts";
import { isTheme } from "../browser/themes.ts";

/**
 * Updates the page's theme as React does on members' pages: see shell/theme-form.tsx, shell/theme-meta.tsx and
 * root.tsx.
 */
function showTheme(): void {
  const theme = chosenTheme();
  const { documentElement: html } = document;
  if (!theme) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>(".theme-form button")) {
    button.ariaPressed = String(button.value === theme);
  }
  if (html.hasAttribute("data-theme-forced")) return;
  const is_system = theme === "system";
  if (is_system) html.removeAttribute("data-theme");
  else html.dataset.theme = theme;
  for (const meta of document.querySelectorAll("meta")) {
    if (meta.name === "color-scheme") meta.content = is_system ? "light dark" : theme;
    if (meta.name === "theme-color") {
      meta.content = grounds[is_system ? (meta.media.includes("dark") ? "dark" : "light") : theme];
    }
  }
}

/** Applies the theme form without loading a page. */
export function startTheme(): void {
  onThemeChosen(showTheme);
  keepThemesInStep();
  document.addEventListener("submit", (event) => {
    const { value } = (event.submitter ?? {}) as Partial<HTMLButtonElement>;
    if (!(event.target as Element).matches(".theme-form") || !isTheme(value)) return;
    event.preventDefault();
    chooseTheme(value);
  });
}
