import { SealedCookie } from "../session/sealed-cookie.ts";

/**
 * What another provider vouched for while the address belonged to an account that signs in otherwise. It is linked when the
 * account's owner has signed in, in this browser; anybody else's sign-in forgets it.
 */
export interface PendingJoin {
  provider_id: string;
  email: string;
  /** The address it was called back at. */
  request_uri: string;
  pending_token: string;
  to: string;
}

const TEN_MINUTES_S = 10 * 60;
export const pendingJoin = new SealedCookie<PendingJoin>("soziIdJoin", TEN_MINUTES_S);
