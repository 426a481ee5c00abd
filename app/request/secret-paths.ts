/** Addresses that are themselves the right to what they show: a guest's payment, mail choices, overlays, private podcasts. */
const SECRET = /^((?:https?:\/\/[^/]+)?(?:\/(?:checkout|unsubscribe|overlay)|\/[^/]+\/podcast))\/[^/]+/;

/** Returns a path or an address without the secret that it may hold, for logs and statistics. */
export const withoutSecret = (address: string): string => address.replace(SECRET, "$1/…");
