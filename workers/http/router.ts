import { Hono } from "hono";
import type { Operation } from "../contract/operation.ts";
import { Problem } from "../kernel/problem.ts";

/** What arrived at the address of an operation. */
export interface Arrival {
  request: Request;
  /** The path's parameters, decoded and not checked yet. */
  params: Record<string, string>;
  request_id: string;
}

/** One operation of the contract, and what answers it. `Context` is what the worker hands to each of its routes. */
export interface Route<Context> {
  operation: Pick<Operation, "method" | "path" | "auth">;
  answer(arrival: Arrival, context: Context): Promise<Response>;
}

export type Router<Context> = (request: Request, request_id: string, context: Context) => Promise<Response>;

type Passed<Context> = { Bindings: { request_id: string; context: Context } };

/**
 * Finds the route of each request. The router throws what its route throws, `not_found` for an address without operations, and
 * `method_not_allowed` for an address that has others.
 */
export function createRouter<Context>(routes: readonly Route<Context>[]): Router<Context> {
  const app = new Hono<Passed<Context>>();
  for (const { operation, answer } of routes) {
    app.on(operation.method, patternOf(operation.path), (c) =>
      answer(
        { request: c.req.raw, params: c.req.param() as Record<string, string>, request_id: c.env.request_id },
        c.env.context,
      ),
    );
  }
  // An operator's address does not exist for others, whatever the method.
  const known = routes.filter(({ operation }) => operation.auth !== "operator");
  const routesByPath = Map.groupBy(known, ({ operation }) => operation.path);
  for (const [path, group] of routesByPath) {
    const allow = group.map(({ operation }) => operation.method);
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

/** The contract's path as Hono writes it: `/users/{user_id}` becomes `/users/:user_id`. */
function patternOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}
