/**
 * Characters that show nothing, or turn the direction of what stands around them. Most of them deceive; some belong: a
 * variation selector behind what it varies (渡邉󠄀, ❄️), joiners between emoji and in the scripts that are written with them,
 * the tags of a flag. Source: UAX #31, section 2.3; UTS #51.
 */
const JOINING_SCRIPTS = ["Arabic", "Syriac", "Mongolian", "Nko", "Devanagari", "Bengali", "Gurmukhi", "Gujarati"]
  .concat(["Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan"])
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const THAT_BELONG = new RegExp(
  [
    "(?<=[^\\p{Default_Ignorable_Code_Point}\\p{Z}])[\\u180b-\\u180d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]",
    "(?<=\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d(?=\\p{Extended_Pictographic})",
    `(?<=[${JOINING_SCRIPTS}])[\\u200c\\u200d]`,
    "(?<=\\u{1f3f4})[\\u{e0020}-\\u{e007e}]+\\u{e007f}",
  ].join("|"),
  "gu",
);

/** Whether a text holds characters that nobody sees and that do not belong where they stand. */
export function hasHiddenCharacters(text: string): boolean {
  return /[\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]/u.test(text.replace(THAT_BELONG, ""));
}

/** Whether anything of a text is to be seen: blanks, marks and characters without a shape alone are nothing. */
export function isVisible(text: string): boolean {
  return /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{C}\p{M}\u2800]/u.test(text);
}
