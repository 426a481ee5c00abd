/** What the socket `/session/notifications` says. Its close codes are those of sign-out-watch.ts. */

/** A notification has just been written. */
export const NEW_NOTIFICATION = "new";
/** Said to a page that has just connected: there are unread notifications. */
export const HAS_UNREAD = "unread";
