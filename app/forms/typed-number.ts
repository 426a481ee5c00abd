import * as z from "zod";

/**
 * The schema of an amount or a count that a person types: half-width digits alone, so that `1e3`, `1,000` and `１００` are
 * refused with a sentence that says how to type it. `pipe` puts the schema of the field behind it.
 */
export const typedNumber = (label: string) =>
  z
    .string(`${label}を入力してください。`)
    .trim()
    .regex(/^\d{1,16}$/, `${label}は、半角の数字だけで入力してください。`)
    .transform(Number);
