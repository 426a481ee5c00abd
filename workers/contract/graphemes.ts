/** Counts characters as a reader sees them. This file imports nothing, so that a browser can load it without zod. */

/** Constructed on first use: that takes milliseconds, and most texts need none. */
let segmenter: Intl.Segmenter | undefined;

/** Splits a text into the characters that a reader sees. */
export function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("ja", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/**
 * Texts of characters that are one grapheme each in any position: no mark, no carriage return, all in the first plane.
 */
const ONE_EACH = /^[\n -~、-。「-』ぁ-ゖァ-ー一-鿿！-～]*$/;

/** Whether each character of the text is a grapheme of its own. False for some texts of which that holds. */
export const hasPlainCharacters = (text: string): boolean => ONE_EACH.test(text);

/** Counts the characters that a reader sees. A letter with its marks is one, and so is an emoji with its joiners. */
export function countGraphemes(text: string): number {
  // Segmenting takes a microsecond or more per call, and a post may have 30,000 runs of text.
  if (hasPlainCharacters(text)) return text.length;
  let count = 0;
  for (const _ of segmentsOf(text)) count++;
  return count;
}

/**
 * Returns the length in UTF-8. Every bound in graphemes has a second one in bytes, because one grapheme can hold any
 * number of marks.
 */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
