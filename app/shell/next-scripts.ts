import {
  type ClientInstrumentation,
  createPath,
  type DataRouteObject,
  matchRoutes,
  type Navigation,
} from "react-router";
import { endOfTurn } from "../../workers/kernel/turn.ts";

/** What React Router keeps in `window`, as far as this file reads it. */
interface RouterGlobals {
  __reactRouterDataRouter: { routes: DataRouteObject[]; state: { navigation: Navigation } };
  /** Has every route that the router knows. */
  __reactRouterManifest: { routes: Record<string, RouteScripts> };
}

interface RouteScripts {
  module: string;
  imports?: string[];
}

/**
 * Begins to load all scripts of a page. React Router imports the module of a route, and a browser finds that module's imports, and
 * theirs, one round trip after the other.
 *
 * After a deployment the scripts of the build before are gone. React Router then reloads the present page, and the press would be
 * lost. So the next page is loaded as a document. A form that is being sent keeps React Router's reload.
 *
 * @param to the page's path; nothing is loaded for a relative one.
 */
function loadScripts(to: string): void {
  if (!to.startsWith("/")) return;
  const { __reactRouterDataRouter: router, __reactRouterManifest: manifest } = window as unknown as RouterGlobals;
  const scripts = (matchRoutes(router.routes, to) ?? []).flatMap(({ route }) => {
    const { module, imports = [] } = manifest.routes[route.id] as RouteScripts;
    return [module, ...imports];
  });
  Promise.all(scripts.map((script) => import(/* @vite-ignore */ script))).catch(() => {
    const { location: next, formMethod } = router.state.navigation;
    if (!next || formMethod) return;
    // React Router's reload may come before or after this one. With the next page's address both load that page.
    history.pushState(null, "", createPath(next));
    // A reload restores the scroll position, and Chromium the part of the page that was at the top.
    document.documentElement.style.overflowAnchor = "none";
    scrollTo(0, 0);
    location.reload();
  });
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
