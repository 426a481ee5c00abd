/**
 * Reads an amount or a count as people type it: `１,０００円` is 1000. Returns NaN for anything else (`1e3`, `1.5`), so that
 * the schema of the field refuses it with the field's sentence.
 */
export function readTypedNumber(typed: string): number {
  const digits = typed
    .normalize("NFKC")
    .replace(/[,、\s]/g, "")
    .replace(/^¥|円$/g, "");
  return /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
}
