import type { Theme } from "../browser/themes.ts";

/**
 * The `handle` of a route: how the shell renders its page. Source: spec section 2, Shell: pages may supply their own
 * layout.
 */
export interface Handle {
  /** The layout `plain` has no navigation around the page. */
  layout?: "plain";
  /** Forces a theme for the page, whatever the viewer chose. Source: spec section 1, Theme. */
  theme?: Exclude<Theme, "system">;
  /** Hides the banner about planned maintenance, or all maintenance banners. Source: docs/decisions/0009. */
  hides_maintenance_banner?: "planned" | "always";
}

/** Returns the layout of the innermost route that has a layout. */
export function layoutOf(matches: readonly { handle?: unknown }[]): "default" | "plain" {
  return innermostValue(matches, "layout") ?? "default";
}

/** Returns the theme of the document, and the attributes of its root element. `chosen` is the viewer's choice. */
export function documentTheme(matches: readonly { handle?: unknown }[], chosen: Theme) {
  const forced = innermostValue(matches, "theme");
  const theme = forced ?? chosen;
  return { theme, attributes: { "data-theme": theme === "system" ? undefined : theme, "data-theme-forced": forced } };
}

function innermostValue<Name extends keyof Handle>(matches: readonly { handle?: unknown }[], name: Name): Handle[Name] {
  const handles = matches.map(({ handle }) => handle as Handle | undefined);
  return handles.findLast((handle) => handle?.[name])?.[name];
}
