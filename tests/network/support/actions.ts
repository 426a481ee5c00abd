import { readFileSync } from "node:fs";
import { join } from "node:path";
import routes from "../../../app/routes.ts";

interface RouteEntry {
  path?: string;
  file: string;
  children?: RouteEntry[];
}

const app = join(import.meta.dirname, "../../../app");
/** Also matches an alias: `export const action = loader`. */
const ACTION = /^export (?:(?:async )?function|const) action\b/m;

/** Returns the path pattern of every route that accepts forms. A splat `*` becomes `/nothing`. */
export function actionPatterns(entries: readonly RouteEntry[] = routes, parent = ""): string[] {
  const found = entries.flatMap(({ path, file, children = [] }) => {
    const pattern = path ? `${parent}/${path}` : parent;
    const own = ACTION.test(readFileSync(join(app, file), "utf8")) ? [pattern.replace("*", "nothing") || "/"] : [];
    return [...own, ...actionPatterns(children, pattern)];
  });
  return [...new Set(found)];
}
