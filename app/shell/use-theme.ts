import { useSyncExternalStore } from "react";
import { chosenTheme, onThemeChosen } from "../browser/chosen-theme.ts";
import type { Theme } from "../browser/themes.ts";

/** @param server_theme the theme that the server rendered. */
export function useTheme(server_theme: Theme): Theme {
  return useSyncExternalStore(
    onThemeChosen,
    () => chosenTheme() ?? server_theme,
    () => server_theme,
  );
}
