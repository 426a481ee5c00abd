import { grounds } from "../browser/grounds.ts";
import type { Theme } from "../browser/themes.ts";

/** Colours the browser's own toolbar by the theme. */
export function ThemeMeta({ theme }: { theme: Theme }) {
  const [light, dark] = theme === "system" ? [grounds.light, grounds.dark] : [grounds[theme], grounds[theme]];
  return (
    <>
      <meta name="color-scheme" content={theme === "system" ? "light dark" : theme} />
      <meta name="theme-color" media="(prefers-color-scheme: light)" content={light} />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={dark} />
    </>
  );
}
