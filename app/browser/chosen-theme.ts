import type { Theme } from "./themes.ts";

/**
 * The theme that the person chose since the document was loaded, or null. It has its own file, because every page loads
 * it.
 */
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
