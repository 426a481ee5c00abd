import type { SessionKeys } from "../session/session.ts";

/**
 * Links that lead out of the site go by `/redirect`, which says where before anybody gets there. Only what we signed is opened,
 * so that no letter of a swindler can borrow our name. Source: OWASP, "Unvalidated Redirects and Forwards Cheat Sheet".
 */
const PURPOSE = "outbound link";
const MAX_LENGTH = 2000;

/** Where somebody would go. */
export interface Destination {
  href: string;
  /** As the network knows it: a name in another script is in Punycode, and no two names look alike. */
  host: string;
  /** The same as its owner writes it; null where that says nothing more. */
  unicode_host: string | null;
  is_encrypted: boolean;
}

/** The address itself when somebody may be sent there: http or https, without a user or a password that could pass for a host. */
export function admissibleUrl(written: string): URL | null {
  if (written.length > MAX_LENGTH || /[\u0000-\u0020\u007f\\]/.test(written) || !URL.canParse(written)) return null;
  const url = new URL(written);
  const is_web = url.protocol === "https:" || url.protocol === "http:";
  return is_web && !url.username && !url.password && url.hostname ? url : null;
}

/** The path of ours that leads to this address; null for one that nobody may be sent to. */
export async function outboundPath(written: string, keys: SessionKeys): Promise<string | null> {
  if (!admissibleUrl(written)) return null;
  return `/redirect?${new URLSearchParams({ to: written, sig: await keys.mark(written, PURPOSE) })}`;
}

/** The destination of such a path's query; null when it is not ours or leads nowhere one may go. */
export async function readDestination(
  query: URLSearchParams,
  keys: SessionKeys,
  toUnicode: (host: string) => string,
): Promise<Destination | null> {
  const written = query.get("to") ?? "";
  const url = admissibleUrl(written);
  if (!url || !(await keys.isMarked(written, query.get("sig") ?? "", PURPOSE))) return null;
  const unicode_host = toUnicode(url.hostname);
  // Letters, digits, hyphens and dots alone: nothing that turns the text around or cannot be seen.
  const says_more = unicode_host !== url.hostname && /^[\p{L}\p{M}\p{N}.-]+$/u.test(unicode_host);
  return {
    href: url.href,
    host: url.host,
    unicode_host: says_more ? unicode_host : null,
    is_encrypted: url.protocol === "https:",
  };
}
