/** What the socket `/session/notifications` says. Its close codes are those of sign-out-watch.ts. */

/** A notification has just been written. */
export const NEW_NOTIFICATION = "new";
/** Said to a page that has just connected: there are unread notifications. */
export const HAS_UNREAD = "unread";
/** Nothing is unread any more: said to a page that has just connected, and after its member has opened notifications. */
export const ALL_READ = "read";
/**
 * The parameter with which a page asks for {@link ALL_READ}. A page of an older version takes every word that it does not
 * know for an unread notification.
 */
export const TELLS_READ = "tells_read";
