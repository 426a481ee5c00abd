import { data, type MiddlewareFunction } from "react-router";
import type { Failure } from "../v4/client.ts";
import { edgeContext } from "./context.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether an unsafe request comes from one of our own pages. `Origin` must be there and be ours; where the browser
 * also says `Sec-Fetch-Site`, it must agree. A request that names no origin is refused: our pages always name it.
 */
export function isSameOrigin(request: Request): boolean {
  if (SAFE.has(request.method)) return true;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return false;
  return request.headers.get("origin") === new URL(request.url).origin;
}

/** Refuses every unsafe request from elsewhere, logging in and out included, before anything looks at it. */
export const sameOriginMiddleware: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  if (isSameOrigin(request)) return next();
  const failure: Failure = {
    code: "cross_site",
    detail: "安全のため、このサイトの外からの送信は受け付けていません。ページを開き直して、もう一度お試しください。",
    request_id: context.get(edgeContext).request_id,
  };
  throw data(failure, { status: 403 });
};
