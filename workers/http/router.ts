import { Hono } from "hono";
import type { Operation } from "../contract/operation.ts";
import { Problem } from "../kernel/problem.ts";
import { nameRoute } from "../kernel/request-log.ts";

/** A request to the address of an operation. */
export interface Arrival {
  request: Request;
  /** The path's parameters, decoded but not validated. */
  params: Record<string, string>;
  request_id: string;
}

/** An operation of the contract and its handler. `Context` is what the worker passes to each route. */
export interface Route<Context> {
  operation: Pick<Operation, "method" | "path" | "auth">;
  answer(arrival: Arrival, context: Context): Promise<Response>;
}

export type Router<Context> = (request: Request, request_id: string, context: Context) => Promise<Response>;

type Passed<Context> = { Bindings: { request_id: string; context: Context } };

/**
 * Creates a router that finds the route of each request. The router throws its route's errors, `not_found` for an
 * unknown path, and `method_not_allowed` for a known path with another method.
 */
export function createRouter<Context>(routes: readonly Route<Context>[]): Router<Context> {
  const app = new Hono<Passed<Context>>();
  for (const { operation, answer } of routes) {
    app.on(operation.method, patternOf(operation.path), (c) => {
      nameRoute(c.req.raw, operation.path);
      return answer(
        { request: c.req.raw, params: c.req.param() as Record<string, string>, request_id: c.env.request_id },
        c.env.context,
      );
    });
  }
  // Do not answer 405 at operators' paths: it would reveal that they exist.
  const known = routes.filter(({ operation }) => operation.auth !== "operator");
  const routesByPath = Map.groupBy(known, ({ operation }) => operation.path);
  for (const [path, group] of routesByPath) {
    // Hono answers HEAD by the route of GET.
    const allow = group.flatMap(({ operation: { method } }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    app.all(patternOf(path), () => {
      throw new Problem("method_not_allowed", { allow });
    });
  }
  app.notFound(() => {
    throw new Problem("not_found");
  });
  app.onError((error) => {
    throw error;
  });
  return async (request, request_id, context) => app.fetch(request, { request_id, context });
}

/** Returns the contract's path in Hono's syntax: `/users/{user_id}` becomes `/users/:user_id`. */
function patternOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}
