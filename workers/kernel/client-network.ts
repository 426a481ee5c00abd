/**
 * Returns what limits count as one client: an IPv4 address, or the network of an IPv6 address. A provider gives each customer a
 * whole /64 of IPv6 addresses. Source: RFC 6177, section 2; RFC 4291, section 2.2.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  // An IPv4 address in IPv6 form.
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const [left = [], right] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = right ? Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0") : [];
  const network = [...left, ...zeros, ...(right ?? [])].slice(0, 4);
  return `${network.map((part) => Number.parseInt(part, 16).toString(16)).join(":")}::/64`;
}
