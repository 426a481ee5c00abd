/** Addresses that are themselves the right to what they show: a guest's payment, mail choices, overlays, private podcasts. */
const SECRET = /^(\/(?:checkout|unsubscribe|overlay)|\/[^/]+\/podcast)\/[^/]+/;

/** Returns a path without the secret that it may hold, for logs and statistics. */
export const withoutSecret = (pathname: string): string => pathname.replace(SECRET, "$1/…");
