import type { MiddlewareFunction } from "react-router";
import { CookieJar } from "../session/cookies.ts";
import { edgeContext, jarContext } from "./context.ts";

/** Outermost: writes the cookies collected on the way, and the headers every page carries. */
export const responseMiddleware: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const jar = new CookieJar(request);
  context.set(jarContext, jar);
  const response = await next();
  const { headers } = response;
  for (const line of jar.lines()) headers.append("set-cookie", line);
  if (!headers.has("cache-control")) headers.set("cache-control", "private, no-store");
  headers.set("x-request-id", context.get(edgeContext).request_id);
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-frame-options", "DENY");
  // Not `no-referrer`: our own forms would then send `Origin: null` and be refused.
  headers.set("referrer-policy", "strict-origin-when-cross-origin");
  return response;
};
