/**
 * The codes of R2 that pass by themselves: an error of its own, no service, a connection that ended, too many requests for
 * one object. Source: Cloudflare R2, "Error codes": a message ends with its code.
 */
const MESSAGES = /\((?:10001|10043|10054|10058)\)$/;

/** Returns whether this is one of R2's errors that pass by themselves. A write may have been done all the same. */
export const isBucketOutage = (error: unknown): boolean => error instanceof Error && MESSAGES.test(error.message);
