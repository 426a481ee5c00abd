/**
 * Whether who asks can read brotli. Cloudflare's edge writes an Accept-Encoding of its own and keeps the client's beside
 * the request.
 */
export function takesBrotli(request: Request): boolean {
  const { clientAcceptEncoding } = (request.cf ?? {}) as { clientAcceptEncoding?: string };
  const accepted = clientAcceptEncoding ?? request.headers.get("accept-encoding") ?? "";
  return /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted);
}
