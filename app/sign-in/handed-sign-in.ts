import { decodeJwt, errors } from "jose";
import type { User } from "../../workers/contract/users.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";

/** Whose account a sign-in is of, as its person is told before it becomes theirs. */
export interface NamedAccount {
  name: string | null;
  /** Null before the registration. */
  link_id: string | null;
  email: string | null;
  icon_image: User["icon_image"];
}

/**
 * A sign-in that another service hands over by a custom token: the token as it came; then, tried, whose account it opened,
 * until the person says that it is the one they want. `mark` is that of the page that named it: what is agreed to is what was shown.
 */
export type HandedSignIn = { to: string } & (
  | { step: "asked"; token: string }
  | { step: "named"; mark: string; refresh_token: string; account: NamedAccount }
);

const TEN_MINUTES_S = 10 * 60;
export const handedSignIn = new SealedCookie<HandedSignIn>("soziIdHanded", TEN_MINUTES_S);

/** A cookie has no room for a longer one beside the longest `to`; those of `/v2/general/auth/custom-token` have some 800 bytes. */
export const MAX_CUSTOM_TOKEN = 2048;

/** Whom a custom token says it is for. Not verified: good for leaving somebody as they are, and for nothing else. */
export function uidSaid(token: string): string | null {
  try {
    const { uid } = decodeJwt(token);
    return typeof uid === "string" ? uid : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
