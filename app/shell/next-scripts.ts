import { type ClientInstrumentation, matchRoutes, type RouteObject } from "react-router";
import { endOfTurn } from "../../workers/kernel/turn.ts";

/** What React Router keeps in `window`, as far as this file reads it. */
interface RouterGlobals {
  __reactRouterDataRouter?: { routes: RouteObject[] };
  __reactRouterManifest?: { routes: Record<string, { module: string; imports?: string[] } | undefined> };
}

/**
 * Begins to load all scripts of a page. React Router imports the module of a route, and a browser finds that module's imports, and
 * theirs, one round trip after the other. A script that cannot be loaded fails when React Router imports it.
 *
 * @param to the page's path; nothing is loaded for a relative one.
 */
function loadScripts(to: string): void {
  const { __reactRouterDataRouter: router, __reactRouterManifest: manifest } = window as RouterGlobals;
  if (!router || !to.startsWith("/")) return;
  for (const { route } of matchRoutes(router.routes, to) ?? []) {
    const { module, imports = [] } = manifest?.routes[route.id ?? ""] ?? {};
    for (const href of module ? [module, ...imports] : []) {
      if (document.querySelector(`link[rel="modulepreload"][href="${href}"]`)) continue;
      const link = document.createElement("link");
      link.rel = "modulepreload";
      link.href = href;
      document.head.appendChild(link);
    }
  }
}

/**
 * Loads the scripts of the next page at once when a client-side navigation begins.
 *
 * @param partsOf what else the page of a route waits for, by the route's id: it is loaded beside the route's data. A client
 * middleware of the route could wait for it too, but React Router requests the data when it has loaded all middlewares.
 */
export const nextScripts = (partsOf: Record<string, () => Promise<unknown>>): ClientInstrumentation => ({
  router: ({ instrument }) =>
    instrument({
      async navigate(begin, { to }) {
        // The data first: over HTTP/1.1 a browser loads six files at once, in the order of the requests.
        if (typeof to === "string") endOfTurn().then(() => loadScripts(to));
        await begin();
      },
    }),
  route({ id, instrument }) {
    const load = partsOf[id];
    if (!load) return;
    instrument({
      async loader(requestData) {
        await Promise.all([requestData(), endOfTurn().then(load)]);
      },
    });
  },
});
