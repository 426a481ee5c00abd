/**
 * Patterns for characters that are invisible or change the direction of the text around them. Most of them serve to
 * deceive. Some are legitimate: a variation selector behind its character (渡邉󠄀, ❄️), joiners between emoji and in
 * scripts that need them, and the tags of a flag. Source: UAX #31, section 2.3; UTS #51.
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

/** Whether a text holds invisible characters in a place where they are not legitimate. */
export function hasHiddenCharacters(text: string): boolean {
  return /[\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]/u.test(text.replace(THAT_BELONG, ""));
}

/**
 * Returns a text without the characters that show nothing, to compare it with others. Without them between a letter and
 * its mark, `ホ` and `゜` are joined by the normal form.
 */
export function dropUnseen(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}

/** Whether a text shows anything. Blanks, marks and characters without a shape alone show nothing. */
export function isVisible(text: string): boolean {
  return /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{C}\p{M}\u2800]/u.test(text);
}
