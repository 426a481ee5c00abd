/** What a route says of itself to the shell. Source: spec section 2, Shell: pages may supply their own layout. */
export interface Handle {
  /** Plain: nothing around the page that leads away from it. */
  layout?: "plain";
  /** Goes without the banner that announces maintenance: docs/decisions/0009. */
  hides_maintenance_banner?: boolean;
}

/** How the page is framed: as the innermost route that says so wants it. */
export function layoutOf(matches: readonly { handle?: unknown }[]): "default" | "plain" {
  const handles = matches.map(({ handle }) => handle as Handle | undefined);
  return handles.findLast((handle) => handle?.layout)?.layout ?? "default";
}
