/** Finds the client of a request that came through a reverse proxy. */
import { isIP } from "node:net";

/** Returns the plain form of an address: an IPv4 address in IPv6 form is IPv4, and a zone is dropped. */
function plainAddress(address: string): string {
  const [bare = ""] = address.trim().split("%");
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  return v4 ?? bare.toLowerCase();
}

export interface Origin {
  address: string;
  is_https: boolean;
}

/**
 * Returns the client's address and whether it used https. The headers count only when the connection comes from a trusted
 * proxy. Of the addresses in X-Forwarded-For the last one that no trusted proxy has is the client's: everything before it
 * may be invented by the client.
 *
 * @param peer the address of the connection itself.
 */
export function originOf(
  peer: string,
  { forwarded_for, forwarded_proto }: { forwarded_for: string | undefined; forwarded_proto: string | undefined },
  trusted: readonly string[],
): Origin {
  const proxies = new Set(trusted.map(plainAddress));
  let address = plainAddress(peer);
  if (!proxies.has(address)) return { address, is_https: false };
  const hops = (forwarded_for ?? "").split(",").map(plainAddress);
  for (let hop = hops.pop(); hop !== undefined && isIP(hop) !== 0; hop = hops.pop()) {
    address = hop;
    if (!proxies.has(hop)) break;
  }
  // The last value is that of the nearest proxy.
  return { address, is_https: forwarded_proto?.split(",").at(-1)?.trim().toLowerCase() === "https" };
}
