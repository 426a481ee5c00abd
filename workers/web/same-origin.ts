const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** Returns true for a safe method. Source: RFC 9110, section 9.2.1. */
export function isSafe(request: Request): boolean {
  return SAFE.has(request.method);
}

/**
 * Returns true when an unsafe request comes from one of our own pages. `Origin` must be present and ours;
 * `Sec-Fetch-Site`, if the browser sends it, must agree. Our pages always send an origin, so a request without one is
 * refused. The rule includes signing in and out.
 */
export function isSameOrigin(request: Request): boolean {
  if (isSafe(request)) return true;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return false;
  return request.headers.get("origin") === new URL(request.url).origin;
}
