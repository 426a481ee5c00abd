const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a request changes nothing. Source: RFC 9110, section 9.2.1. */
export function isSafe(request: Request): boolean {
  return SAFE.has(request.method);
}

/**
 * Whether an unsafe request comes from one of our own pages. `Origin` must be there and be ours; where the browser
 * also says `Sec-Fetch-Site`, it must agree. A request that names no origin is refused: our pages always name it.
 * Logging in and out are no exception.
 */
export function isSameOrigin(request: Request): boolean {
  if (isSafe(request)) return true;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return false;
  return request.headers.get("origin") === new URL(request.url).origin;
}
