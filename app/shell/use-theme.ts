import { useSyncExternalStore } from "react";
import { chosenTheme, onThemeChosen } from "../browser/chosen-theme.ts";
import type { Theme } from "../browser/themes.ts";

/** @param told the theme that the server rendered. */
export function useTheme(told: Theme): Theme {
  return useSyncExternalStore(
    onThemeChosen,
    () => chosenTheme() ?? told,
    () => told,
  );
}
