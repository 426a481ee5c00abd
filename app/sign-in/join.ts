import { SealedCookie } from "../session/sealed-cookie.ts";

/**
 * A credential of another provider whose address belongs to an existing account. It is linked when the owner of that
 * account signs in in this browser, and discarded when another account signs in.
 */
export interface PendingJoin {
  provider_id: string;
  email: string;
  /** The callback address at which the provider delivered this credential. */
  request_uri: string;
  pending_token: string;
  to: string;
}

const TEN_MINUTES_S = 10 * 60;
export const pendingJoin = new SealedCookie<PendingJoin>("soziIdJoin", TEN_MINUTES_S);
