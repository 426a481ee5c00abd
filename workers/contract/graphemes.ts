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

/** An emoji as people see one: shown in colour by default or by a selector, a flag, or a keycap. */
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Regional_Indicator}{2}|[#*0-9]\ufe0f?\u20e3/u;

/** Counts the characters of a paid letter: an emoji is two. Source: product decisions, "Money". */
export function countPaidCharacters(text: string): number {
  if (ONE_EACH.test(text)) return text.length;
  let count = 0;
  for (const { segment } of segmenter.segment(text)) count += EMOJI.test(segment) ? 2 : 1;
  return count;
}

/**
 * Returns the length in UTF-8. Every bound in graphemes has a second one in bytes, because one grapheme can hold any
 * number of marks.
 */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
