import { type DataStrategyResult, data, type MiddlewareFunction } from "react-router";
import { announceUnsent, unsentFor } from "../v4/unsent.ts";

/**
 * In the browser: a form that a member's page sent and nobody answered, or answered with a failure, leaves the page as it
 * is. The router would put the error page in its place, and with it every word that stands in another form.
 */
export const keepPage: MiddlewareFunction<Record<string, DataStrategyResult>> = async ({ request }, next) => {
  const results = await next();
  if (request.method === "GET" || request.signal.aborted) return results;
  return Object.fromEntries(
    Object.entries(results).map(([route, answer]) => {
      if (answer.type !== "error" || answer.result instanceof Response) return [route, answer];
      const unsent = unsentFor(answer.result);
      announceUnsent(unsent, { is_told: false });
      // As a refusal the router knows: with such a status it asks for no page anew.
      return [route, { type: "data", result: data(null, unsent.status) }];
    }),
  );
};
