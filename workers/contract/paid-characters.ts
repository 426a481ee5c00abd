import { hasPlainCharacters, segmentsOf } from "./graphemes.ts";

/** An emoji as people see one: shown in colour by default or by a selector, a flag, or a keycap. */
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Regional_Indicator}{2}|[#*0-9]\ufe0f?\u20e3/u;

/** Counts the characters of a paid letter: an emoji is two. Source: product decisions, "Money". */
export function countPaidCharacters(text: string): number {
  if (hasPlainCharacters(text)) return text.length;
  let count = 0;
  for (const { segment } of segmentsOf(text)) count += EMOJI.test(segment) ? 2 : 1;
  return count;
}
