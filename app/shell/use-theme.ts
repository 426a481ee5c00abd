import { useSyncExternalStore } from "react";
import { useMatches } from "react-router";
import { chosenTheme, onThemeChosen } from "../browser/theme.ts";
import type { Theme } from "../session/theme.ts";

/** What a route may say of its page beyond its data: `export const handle = { theme: "dark" } satisfies PageHandle`. */
export interface PageHandle {
  /** The page has this theme, whatever its reader chose. */
  theme?: Exclude<Theme, "system">;
}

/** @param told the theme the document was made with. */
export function useTheme(told: Theme): Theme {
  return useSyncExternalStore(
    onThemeChosen,
    () => chosenTheme() ?? told,
    () => told,
  );
}

/** The theme the page insists on, if it does; of nested routes the innermost speaks. */
export function useForcedTheme(): PageHandle["theme"] | null {
  return forcedTheme(useMatches().map(({ handle }) => handle));
}

export function forcedTheme(handles: readonly unknown[]): PageHandle["theme"] | null {
  const forced = handles.findLast((handle) => (handle as PageHandle | undefined)?.theme);
  return (forced as PageHandle | undefined)?.theme ?? null;
}
