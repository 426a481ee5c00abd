/** The route pattern of a page, as the server names it: `/:link_id/events/:event_id`. */
export function patternOf(pathname = "", params: Readonly<Record<string, string | undefined>> = {}): string {
  // No route matches the path.
  if (params["*"] !== undefined) return "/*";
  const named = new Map(Object.entries(params).map(([name, value]) => [value, name]));
  const segments = pathname.split("/").map((segment) => {
    const name = named.get(decodeSegment(segment));
    return name === undefined || segment === "" ? segment : `:${name}`;
  });
  return segments.join("/").replace(/(?<=.)\/$/, "");
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
