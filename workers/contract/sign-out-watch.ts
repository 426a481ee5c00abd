/** Close codes of the socket `/session/watch`. Source: RFC 6455, section 7.4.2: applications may use 4000-4999. */

/** The sign-in has ended. */
export const SIGNED_OUT = 4001;
/** Sent before the socket closes with {@link SIGNED_OUT}. */
export const SIGNED_OUT_MESSAGE = "signed out";
/** There is no valid session: it must be renewed, or it has ended. */
export const WITHOUT_SESSION = 4002;
/** In this deployment pages watch a document in Firestore instead. */
export const WATCHED_ELSEWHERE = 4003;

/** The data with which a page watches its sign-in's document in Firestore. The names are those of Firebase's SDK. */
export interface WatchedDocument {
  apiKey: string;
  projectId: string;
  /** Signs the SDK in; only this person may read the document. */
  token: string;
  path: string;
}
