/** Counting as a reader counts. Imports nothing, so that a browser may load it alone. */

const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });

/** How many characters a reader sees: a letter with its marks, or an emoji with its joiners, is one. */
export function countGraphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count++;
  return count;
}

/** Length in UTF-8. Every bound in graphemes has a twin in bytes: marks can make one grapheme of anything. */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
