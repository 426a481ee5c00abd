import type { Ofuse } from "../../../workers/contract/ofuses.ts";

type Paid = Pick<Ofuse, "paid" | "letter_appearance_id">;

/** Whether a letter is a fan letter: paid, and on paper. */
export const isFanLetter = ({ paid, letter_appearance_id }: Paid): boolean => paid && letter_appearance_id !== null;

/** Returns what a letter is called. */
export const thingOf = (ofuse: Paid): string => (isFanLetter(ofuse) ? "ファンレター" : "ofuse");
