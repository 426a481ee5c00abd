import { matchRoutes, type RouteObject, type ServerBuild } from "react-router";

type Routes = ServerBuild["routes"];

/**
 * Returns the methods that the app's route at a path takes, for the Allow header of a 405. Source: RFC 9110, section
 * 15.5.6.
 */
export function allowedMethods(routes: Routes, pathname: string): string {
  const matches = matchRoutes(childrenOf(routes), pathname) ?? [];
  // React Router sends a form to the last route that has a path of its own.
  const { id = "" } = matches.findLast(({ route }) => route.path)?.route ?? {};
  return routes[id]?.module.action ? "GET, HEAD, POST" : "GET, HEAD";
}

/** Returns the routes below a route, as a tree. */
function childrenOf(routes: Routes, parent_id?: string): RouteObject[] {
  return Object.values(routes).flatMap((route) =>
    route && route.parentId === parent_id
      ? [{ id: route.id, path: route.path, children: childrenOf(routes, route.id) }]
      : [],
  );
}
