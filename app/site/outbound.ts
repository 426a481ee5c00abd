import type { SessionKeys } from "../session/session.ts";

/**
 * Links to other sites go through `/redirect`, which shows the destination first. The page accepts only addresses that
 * this server signed, so that nobody can use our domain for phishing links. Source: OWASP, "Unvalidated Redirects and
 * Forwards Cheat Sheet".
 */
const PURPOSE = "outbound link";
const MAX_LENGTH = 2000;

/** The destination of an outbound link. */
export interface Destination {
  href: string;
  /** The host name in ASCII (Punycode), so that lookalike names in other scripts are visible. */
  host: string;
  /** The host name in Unicode. Null if it is the same, or has characters that could mislead. */
  unicode_host: string | null;
  is_encrypted: boolean;
}

/**
 * Returns the URL if links may lead there: http or https, without user or password, which could be mistaken for the
 * host.
 */
export function admissibleUrl(written: string): URL | null {
  if (written.length > MAX_LENGTH || /[\u0000-\u0020\u007f\\]/.test(written) || !URL.canParse(written)) return null;
  const url = new URL(written);
  const is_web = url.protocol === "https:" || url.protocol === "http:";
  return is_web && !url.username && !url.password && url.hostname ? url : null;
}

/** Returns our path that leads to an address. Null if links may not lead there. */
export async function outboundPath(written: string, keys: SessionKeys): Promise<string | null> {
  if (!admissibleUrl(written)) return null;
  return `/redirect?${new URLSearchParams({ to: written, sig: await keys.mark(written, PURPOSE) })}`;
}

/**
 * Reads the destination from the query of `/redirect`. Returns null if it is forged, or if links may not lead there.
 */
export async function readDestination(
  query: URLSearchParams,
  keys: SessionKeys,
  toUnicode: (host: string) => string,
): Promise<Destination | null> {
  const written = query.get("to") ?? "";
  const url = admissibleUrl(written);
  if (!url || !(await keys.isMarked(written, query.get("sig") ?? "", PURPOSE))) return null;
  const unicode_host = toUnicode(url.hostname);
  // Show the host in Unicode only if it consists of letters, digits, hyphens and dots: other characters may be
  // invisible or change the text direction.
  const says_more = unicode_host !== url.hostname && /^[\p{L}\p{M}\p{N}.-]+$/u.test(unicode_host);
  return {
    href: url.href,
    host: url.host,
    unicode_host: says_more ? unicode_host : null,
    is_encrypted: url.protocol === "https:",
  };
}
