import { toNormalForm } from "../../../../workers/contract/normal-form.ts";
/** Addresses of other sites that share a page. They need no script of these sites. */
export function placesFor(text: string, address: string): { name: string; href: string }[] {
  return [
    { name: "X", href: `https://x.com/intent/post?${new URLSearchParams({ text, url: address })}` },
    { name: "LINE", href: `https://social-plugins.line.me/lineit/share?${new URLSearchParams({ url: address })}` },
    {
      name: "Bluesky",
      href: `https://bsky.app/intent/compose?${new URLSearchParams({ text: `${text}\n${address}` })}`,
    },
  ];
}

/**
 * Returns the address at which a server of Misskey or Mastodon begins a post. Both have the same one. Sources: Mastodon,
 * `/share`; Misskey Hub, "Share form".
 */
export const serverPlace = (host: string, text: string, address: string): string =>
  `https://${host}/share?${new URLSearchParams({ text: `${text}\n${address}` })}`;

/** A name in the domain name system, whose last part is no number. Source: RFC 1123, section 2.1. */
const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * Returns the host name of a server as a person types it: `mstdn.jp`, `https://mstdn.jp/` or `@name@mstdn.jp`. Names in
 * other scripts become ASCII (Punycode). Returns null for everything else, also for an IP address or a port.
 */
export function readServer(typed: string): string | null {
  const written = toNormalForm(typed, "NFKC")
    .trim()
    .replace(/^https:\/\//i, "")
    .replace(/\/$/, "")
    .replace(/^@?\w+@/, "");
  const address = `https://${written}/`;
  if (!URL.canParse(address)) return null;
  const { hostname, href } = new URL(address);
  return href === `https://${hostname}/` && HOST.test(hostname) ? hostname : null;
}
