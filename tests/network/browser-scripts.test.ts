import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ClientModules, clientModulesFile } from "../../scripts/client-modules.ts";

/**
 * The most bytes of scripts that a member's browser loads before a page is hydrated: on any page, on the page that members open
 * most, and beyond what all pages load on a page with at most one small form. docs/decisions/0050.
 */
const FIRST_LOAD_BYTES = 108_000;
const CREATOR_PAGE_BYTES = 100_000;
const BEYOND_SHARED_BYTES = 10_000;
/** Pages without forms of their own; buttons that send something are no forms. */
const WITHOUT_FORMS = [
  "routes/creator/posts",
  "routes/creator/about",
  "routes/creator/plans",
  "routes/creator/radio",
  "routes/home/home",
  "routes/my/box",
  "routes/my/notifications",
  "routes/my/followings",
  "routes/my/members",
  "routes/my/subscriptions",
  "routes/my/memberships",
  "routes/my/earnings/payouts",
  "routes/search/search",
];

const client = join(import.meta.dirname, "../../build/client");
const scripts = readdirSync(join(client, "assets"))
  .filter((name) => name.endsWith(".js"))
  .map((name) => `/assets/${name}`);
const textOf = (script: string) => readFileSync(join(client, script), "utf8");
const packedBytes = (script: string) => statSync(join(client, `${script}.br`)).size;
const modules = JSON.parse(readFileSync(clientModulesFile, "utf8")) as ClientModules;
const isOf = (name: string) => (module: string) => module.startsWith(`node_modules/${name}/`);
const scriptsWith = (name: string) =>
  Object.entries(modules.scripts).flatMap(([script, inside]) => (inside.some(isOf(name)) ? [script] : []));

/**
 * Returns how a package got into the bundle: the imports from a route to the module that needs it. Empty if it did not.
 */
function pathsTo(name: string): string[] {
  if (scriptsWith(name).length === 0) return [];
  const inside = isOf(name);
  const askers = Object.keys(modules.importers)
    .filter(inside)
    .flatMap((module) => modules.importers[module] ?? [])
    .filter((importer) => !inside(importer));
  return [...new Set(askers)].map((asker) => `${pathTo(asker)} -> ${name}`);
}

function pathTo(module: string, below: readonly string[] = []): string {
  const path = [module, ...below];
  const importer = modules.importers[module]?.find((other) => !path.includes(other));
  return importer && !module.startsWith("app/routes/") ? pathTo(importer, path) : path.join(" -> ");
}

interface RouteScripts {
  id: string;
  parentId?: string;
  module: string;
  imports?: string[];
  clientActionModule?: string;
  clientLoaderModule?: string;
  clientMiddlewareModule?: string;
  hydrateFallbackModule?: string;
}

/** Reads React Router's manifest of each route's scripts: it preloads exactly these in a page's HTML. */
function manifest() {
  const path = scripts.find((script) => script.startsWith("/assets/manifest-")) ?? "";
  const text = textOf(path).replace("window.__reactRouterManifest=", "").replace(/;\s*$/, "");
  const { entry, routes } = JSON.parse(text) as { entry: RouteScripts; routes: Record<string, RouteScripts> };
  return { path, entry, routes };
}

/**
 * Returns the scripts that a page needs before hydration: its own, those of its parent routes, and all their imports.
 * The manifest is not included: the page contains the part it needs (React Router's lazy route discovery;
 * e2e/first-load).
 */
function firstLoad(id: string): string[] {
  const { entry, routes } = manifest();
  const loaded = scriptsOf(entry);
  for (let route = routes[id]; route; route = routes[route.parentId ?? ""]) loaded.push(...scriptsOf(route));
  return [...new Set(loaded)];
}

function scriptsOf(route: RouteScripts): string[] {
  const { module, imports = [], clientActionModule, clientLoaderModule, clientMiddlewareModule } = route;
  const parts = [module, clientActionModule, clientLoaderModule, clientMiddlewareModule, route.hydrateFallbackModule];
  return [...imports, ...parts.filter((part) => part !== undefined)];
}

/** Occurs in every schema of zod 4, even minified: property names are never shortened. */
const ZOD = /\b_zod\b/;

describe("the scripts for browsers", () => {
  test("contain no zod: the server validates forms", () => {
    const server = readFileSync(join(client, "../server/index.js"), "utf8");
    expect(ZOD.test(server), "the mark by which zod is known").toBe(true);
    expect(scripts.length).toBeGreaterThan(20);
    expect(pathsTo("zod")).toEqual([]);
    expect(scripts.filter((script) => ZOD.test(textOf(script)))).toEqual([]);
  });

  test("load toasts from a separate script, only when needed", () => {
    const toasts = scriptsWith("sonner");
    expect(toasts).toHaveLength(1);
    const { routes } = manifest();
    const early = Object.keys(routes).filter((id) => firstLoad(id).some((script) => toasts.includes(script)));
    expect(early).toEqual([]);
  });

  test("format numbers and times without Intl, whose first call takes a slow phone a tenth of a second", () => {
    const slow = scripts.filter((script) => /\.toLocale\w*String\(|Intl\.DateTimeFormat/.test(textOf(script)));
    expect(slow.map((script) => ({ script, modules: modules.scripts[script] }))).toEqual([]);
  });

  test(`are at most ${CREATOR_PAGE_BYTES} bytes on a creator's page, and ${BEYOND_SHARED_BYTES} more than the shared ones on pages without forms`, () => {
    const bytesOf = (id: string) => firstLoad(id).reduce((sum, script) => sum + packedBytes(script), 0);
    expect(bytesOf("routes/creator/posts")).toBeLessThanOrEqual(CREATOR_PAGE_BYTES);
    const shared = bytesOf("root");
    const beyond = WITHOUT_FORMS.map((id) => ({ id, bytes: bytesOf(id) - shared }));
    expect(beyond.filter(({ bytes }) => bytes > BEYOND_SHARED_BYTES)).toEqual([]);
  });

  test(`are at most ${FIRST_LOAD_BYTES} bytes before hydration, on every page`, () => {
    const routes = Object.keys(manifest().routes);
    expect(routes).toEqual(
      expect.arrayContaining(["root", "routes/home/home", "routes/creator/posts", "routes/dev/styleguide"]),
    );
    const heavy = routes.flatMap((id) => {
      const loaded = firstLoad(id);
      // React DOM is most of any page. Without it, this test would not measure a page.
      const framework = scriptsWith("browser-react-dom");
      expect(framework).toHaveLength(1);
      expect(loaded, id).toEqual(expect.arrayContaining(framework));
      const weighed = loaded.map((script) => ({ script, bytes: packedBytes(script) }));
      const bytes = weighed.reduce((sum, one) => sum + one.bytes, 0);
      return bytes <= FIRST_LOAD_BYTES
        ? []
        : [{ id, bytes, of: weighed.sort((a, b) => b.bytes - a.bytes).slice(0, 8) }];
    });
    expect(heavy).toEqual([]);
  });
});
