import { data, type RouterContextProvider } from "react-router";
import { siteContext } from "../site/site-context.ts";

/** Throws 404 on a site that sends no SMS. */
export function requireOutsideWays(context: Readonly<RouterContextProvider>): void {
  if (!context.get(siteContext).has_outside_ways) throw data(null, { status: 404 });
}
