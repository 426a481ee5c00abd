import { safeTo } from "../request/to.ts";

/** Why a person authenticates: to sign in, to link another way to sign in, or again before a sensitive change. */
const purposes = ["sign_in", "link", "confirm"] as const;
/**
 * `name`: show whose account it is before signing in. Only the custom-token page uses it; no form or address can
 * request it.
 */
export type Purpose = (typeof purposes)[number] | "name";

/** The purpose of a sign-in, and the path to go to afterwards. */
export interface Aim {
  to: string;
  purpose: Purpose;
}

/** Reads the aim from a form or a query. Anything invalid defaults to signing in and going to the home page. */
export function aimOf(fields: FormData | URLSearchParams): Aim {
  const wanted = fields.get("purpose");
  return { to: safeTo(fields.get("to")), purpose: purposes.find((purpose) => purpose === wanted) ?? "sign_in" };
}

/** The longest path that fits a cookie or a mail. A longer one is replaced by the home page. */
const MAX_TO = 512;

export const keptTo = (to: string): string => (to.length > MAX_TO ? "/" : to);
export const keptAim = ({ to, purpose }: Aim): Aim => ({ to: keptTo(to), purpose });
