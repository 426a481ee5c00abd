/** What a socket of `/session/watch` is closed with. Source: RFC 6455, section 7.4.2: 4000-4999 are an application's own. */

/** The sign-in has ended. */
export const SIGNED_OUT = 4001;
/** What is said before. */
export const SIGNED_OUT_MESSAGE = "signed out";
/** There is no session, or none that is good: it may have to be renewed, or it is over. */
export const WITHOUT_SESSION = 4002;
/** In this deployment pages watch a document of the provider's. */
export const WATCHED_ELSEWHERE = 4003;
