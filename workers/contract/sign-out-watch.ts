/** Close codes of the socket `/session/watch`. Source: RFC 6455, section 7.4.2: applications choose from 4000-4999. */

/** The sign-in has ended. */
export const SIGNED_OUT = 4001;
/** The message that the socket sends before it closes with {@link SIGNED_OUT}. */
export const SIGNED_OUT_MESSAGE = "signed out";
/** The request has no session, or one that has expired or ended. The page may have to renew it. */
export const WITHOUT_SESSION = 4002;
/** In this deployment pages watch a Firestore document instead (`SIGN_OUT_WATCH`). */
export const WATCHED_ELSEWHERE = 4003;
