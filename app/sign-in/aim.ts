import { safeTo } from "../request/to.ts";

/** Why somebody proves who they are: to come in, to have a further way in, or once more before a sensitive change. */
const purposes = ["sign_in", "link", "confirm"] as const;
/** `name`: to hear whose account it is first. No form and no address says so, but the page of a handed sign-in itself. */
export type Purpose = (typeof purposes)[number] | "name";

/** What a way in is taken for, and the path to go to when it is done. */
export interface Aim {
  to: string;
  purpose: Purpose;
}

/** The aim of a form or an address; what is none of ours is to come in, and to go home. */
export function aimOf(fields: FormData | URLSearchParams): Aim {
  const wanted = fields.get("purpose");
  return { to: safeTo(fields.get("to")), purpose: purposes.find((purpose) => purpose === wanted) ?? "sign_in" };
}

/** What a cookie or a mail has room for: a path longer than this leads home. */
const MAX_TO = 512;

export const keptTo = (to: string): string => (to.length > MAX_TO ? "/" : to);
export const keptAim = ({ to, purpose }: Aim): Aim => ({ to: keptTo(to), purpose });
