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

/** Blanks that Unicode counts as letters or signs: of Braille, of hieroglyphs and of musical notes. */
const BLANKS = "\\u2800\\u{13441}\\u{13442}\\u{1d159}";
/** No font has noncharacters and private characters, but those of single devices. U+FFFC is the place of an object. */
const UNSHOWABLE = "\\p{Noncharacter_Code_Point}\\p{Co}\\ufffc";
const HIDDEN = new RegExp(
  `[\\p{Default_Ignorable_Code_Point}${UNSHOWABLE}\\u2028\\u2029\\ufff9-\\ufffb${BLANKS}]`,
  "u",
);

/** Whether a text holds invisible characters in a place where they are not legitimate, or characters that most devices cannot show. */
export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text.replace(THAT_BELONG, ""));
}

const BELONGING_OR_HIDDEN = new RegExp(`(${THAT_BELONG.source})|${HIDDEN.source}`, "gu");

/** Returns a text without the characters for which {@link hasHiddenCharacters} is true. */
export function dropHidden(text: string): string {
  return text.replace(BELONGING_OR_HIDDEN, "$1");
}

const ALL_UNSHOWABLE = new RegExp(`[${UNSHOWABLE}]`, "gu");

/** Returns a text without the characters that most devices cannot show. They deceive nobody, and older titles have some. */
export function dropUnshowable(text: string): string {
  return text.replace(ALL_UNSHOWABLE, "");
}

/** Ends a sentence about characters that nobody sees. They come with copied text, and cannot be found to be removed. */
export const RETYPE = "いちど消して、手で入力し直してください。";

/** Returns the sentence for a field whose text {@link hasHiddenCharacters}. */
export const hiddenRefusal = (label: string): string =>
  `${label}に、見えない文字や文字の向きを変える記号は使えません。${RETYPE}`;

/**
 * Returns a text without the characters that show nothing, to compare it with others. Without them between a letter and
 * its mark, `ホ` and `゜` are joined by the normal form.
 */
export function dropUnseen(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}

const SHOWN = new RegExp(`[^\\p{Default_Ignorable_Code_Point}\\p{Z}\\p{C}\\p{M}\\ufffc${BLANKS}]`, "u");

/** Whether a text shows anything. Blanks, marks and characters without a shape alone show nothing. */
export function isVisible(text: string): boolean {
  return SHOWN.test(text);
}
