import * as z from "zod";
import { readDigits, TYPED_NUMBER, TYPED_YEN } from "./typed-digits.ts";

const typedDigits = (label: string, accepted: RegExp) =>
  z
    .string(`${label}を入力してください。`)
    .trim()
    .regex(accepted, `${label}は、数字だけで入力してください。`)
    .transform(readDigits);

/**
 * The schema of a count that a person types: digits of half or full width, also with commas between groups of three.
 * Refuses all else, such as `-1`, `1.5` and `1e3`, with a sentence that says how to type it. `pipe` puts the schema of the
 * field behind it.
 */
export const typedNumber = (label: string) => typedDigits(label, TYPED_NUMBER);

/** The schema of an amount that a person types: like {@link typedNumber}, and 円 may follow: `１，５００円`. */
export const typedYen = (label: string) => typedDigits(label, TYPED_YEN);
