import { decodeJwt, errors } from "jose";
import type { User } from "../../workers/contract/users.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";

/** The account that the page shows before the person signs in to it. */
export interface NamedAccount {
  name: string | null;
  /** The member's link_id. Null before the registration. */
  link_id: string | null;
  email: string | null;
  icon_image: User["icon_image"];
}

/**
 * A sign-in that another service hands over with a custom token. In step `asked` it has the token; in step `named` the
 * token has been used, and the person still has to confirm the account. The form must return `mark`, so that the person
 * confirms the account that the page showed.
 */
export type HandedSignIn = { to: string } & (
  | { step: "asked"; token: string }
  | { step: "named"; mark: string; refresh_token: string; account: NamedAccount }
);

const TEN_MINUTES_S = 10 * 60;
export const handedSignIn = new SealedCookie<HandedSignIn>("soziIdHanded", TEN_MINUTES_S);

/**
 * The longest token that fits into the cookie next to the longest `to`. Tokens of `/v2/general/auth/custom-token` have
 * about 800 bytes.
 */
export const MAX_CUSTOM_TOKEN = 2048;

/**
 * Returns the account id in a custom token. The token is not verified, so use the id only to skip a sign-in to the
 * account that is already signed in.
 */
export function uidSaid(token: string): string | null {
  try {
    const { uid } = decodeJwt(token);
    return typeof uid === "string" ? uid : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
