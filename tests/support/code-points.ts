import fc from "fast-check";

/**
 * Any code point but surrogates, as `unit` of `fc.string`. fast-check's own unit "binary" first lists all 1.1 million of
 * them, which takes two seconds of each process.
 */
export const codePoints = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));
