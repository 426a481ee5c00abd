import type { Theme } from "./themes.ts";

/** The theme chosen since the document was loaded; null when it is still the one it came with. By itself: every page asks. */
let chosen: Theme | null = null;
const listeners = new Set<() => void>();

export const chosenTheme = (): Theme | null => chosen;

export function showTheme(theme: Theme): void {
  chosen = theme;
  for (const listener of listeners) listener();
}

export function onThemeChosen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
