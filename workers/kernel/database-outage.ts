/** Source: Cloudflare D1, "Retry queries" and "Debug D1". */
const PASSING =
  /Network connection lost|caused object to be reset|reset because its code was updated|D1 DB is overloaded|Cannot resolve D1 DB/;
const RESET = /limit and was reset|exceeded timeout/;

/** Returns whether a statement used up the database's time or memory: this one, or another one at the same moment. */
export const isDatabaseReset = (error: unknown): boolean => error instanceof Error && RESET.test(error.message);

/** Returns whether this is one of D1's errors that pass by themselves. A write may have been done all the same. */
export const isDatabaseOutage = (error: unknown): boolean =>
  isDatabaseReset(error) || (error instanceof Error && PASSING.test(error.message));
