/** Counts characters as a reader sees them. This file imports nothing, so that a browser can load it without zod. */

const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });

/**
 * Texts of characters that are one grapheme each in any position: no mark, no carriage return, all in the first plane.
 */
const ONE_EACH = /^[\n -~、-。「-』ぁ-ゖァ-ー一-鿿！-～]*$/;

/** Counts the characters that a reader sees. A letter with its marks is one, and so is an emoji with its joiners. */
export function countGraphemes(text: string): number {
  // Segmenting takes a microsecond or more per call, and a post may have 30,000 runs of text.
  if (ONE_EACH.test(text)) return text.length;
  let count = 0;
  for (const _ of segmenter.segment(text)) count++;
  return count;
}

/**
 * Returns the length in UTF-8. Every bound in graphemes has a second one in bytes, because one grapheme can hold any
 * number of marks.
 */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
