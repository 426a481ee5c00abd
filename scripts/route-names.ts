import routes from "../app/routes.ts";

/** Returns the first segments of the app's addresses that could also be a link_id. */
export function routeNames(): string[] {
  const firsts = routes.map(({ path = "" }) => path.split("/")[0] ?? "");
  return [...new Set(firsts)].filter((name) => /^[a-z0-9_]+$/.test(name)).sort();
}

export function routeNamesSource(names: readonly string[]): string {
  const list = names.map((name) => `  "${name}",\n`).join("");
  return `/** First segments of the app's addresses. scripts/typegen.ts writes this list from the route table, and a test compares the two. */
export const ROUTE_NAMES: readonly string[] = [\n${list}];\n`;
}
