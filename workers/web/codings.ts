/**
 * Returns true when the client accepts brotli. Cloudflare replaces Accept-Encoding and keeps the client's value in
 * `cf`.
 */
export function takesBrotli(request: Request): boolean {
  const { clientAcceptEncoding } = (request.cf ?? {}) as { clientAcceptEncoding?: string };
  const accepted = clientAcceptEncoding ?? request.headers.get("accept-encoding") ?? "";
  return /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted);
}
