/** Source: Cloudflare D1, "Retry queries" and "Debug D1". */
const MESSAGES =
  /Network connection lost|caused object to be reset|reset because its code was updated|D1 DB is overloaded|Cannot resolve D1 DB/;

/** Returns whether this is one of D1's errors that pass by themselves. A write may have been done all the same. */
export const isDatabaseOutage = (error: unknown): boolean => error instanceof Error && MESSAGES.test(error.message);
