import type { Theme } from "../browser/themes.ts";

/** What a route says of itself to the shell. Source: spec section 2, Shell: pages may supply their own layout. */
export interface Handle {
  /** Plain: nothing around the page that leads away from it. */
  layout?: "plain";
  /** The page's theme, whatever its reader chose. Source: spec section 1, Theme: a page may force a theme. */
  theme?: Exclude<Theme, "system">;
  /** Goes without the banner of maintenance that is planned, or without any: docs/decisions/0009. */
  hides_maintenance_banner?: "planned" | "always";
}

/** How the page is framed: as the innermost route that says so wants it. */
export function layoutOf(matches: readonly { handle?: unknown }[]): "default" | "plain" {
  return said(matches, "layout") ?? "default";
}

/** The theme the document is shown in, and how its root element says so; `chosen` is its reader's. */
export function documentTheme(matches: readonly { handle?: unknown }[], chosen: Theme) {
  const forced = said(matches, "theme");
  const theme = forced ?? chosen;
  return { theme, attributes: { "data-theme": theme === "system" ? undefined : theme, "data-theme-forced": forced } };
}

function said<Name extends keyof Handle>(matches: readonly { handle?: unknown }[], name: Name): Handle[Name] {
  const handles = matches.map(({ handle }) => handle as Handle | undefined);
  return handles.findLast((handle) => handle?.[name])?.[name];
}
