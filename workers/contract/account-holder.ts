import { toNormalForm } from "./normal-form.ts";
import { dropUnseen } from "./visible-text.ts";

/**
 * The name of a bank account's holder, as banks write it: in kana. Their systems have no small kana, no ヲ, and one sign
 * for both the hyphen and 長音. Source: docs/decisions/0028.
 */

/** How many characters a transfer has for the holder's name. Source: 全銀協規定フォーマット, 総合振込, 受取人名. */
export const ACCOUNT_HOLDER_CHARACTERS = 30;

/** What banks write in place of the kana that their systems lack. */
const LARGE_KANA = new Map(
  [
    "ァア",
    "ィイ",
    "ゥウ",
    "ェエ",
    "ォオ",
    "ッツ",
    "ャヤ",
    "ュユ",
    "ョヨ",
    "ヮワ",
    "ヵカ",
    "ヶケ",
    "ヰイ",
    "ヱエ",
    "ヲオ",
  ].map(([lacking = "", written = ""]) => [lacking, written]),
);
const HIRAGANA_TO_KATAKANA = 0x60;

/**
 * Writes a name in the characters that banks use: large full-width katakana, with ー for every dash after a kana; half-width
 * capitals, digits and signs. Drops invisible characters, which copied text has. Converts hiragana, half-width katakana
 * and small kana. Leaves all other characters for {@link findUnusableInHolder}. Converting a converted name changes
 * nothing.
 */
export function toHolderKana(typed: string): string {
  // 濁点 and 半濁点 typed on their own belong to the kana before them.
  const joined = toNormalForm(dropUnseen(typed).replace(/[゛ﾞ]/g, "\u3099").replace(/[゜ﾟ]/g, "\u309a"), "NFKC");
  const katakana = joined
    .replace(/[ぁ-ゖ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + HIRAGANA_TO_KATAKANA))
    .replace(/[ァ-ヺ]/g, (kana) => LARGE_KANA.get(kana) ?? kana);
  return (
    toNormalForm(katakana)
      .replace(/[a-z]/g, (letter) => letter.toUpperCase())
      .replaceAll("\\", "¥")
      // Every dash that keyboards offer for 長音.
      .replace(/[‐‑‒–—―−ー─━]/g, "-")
      .replace(/(?<=[ア-ヴ]\p{M}?)-+/gu, (dashes) => "ー".repeat(dashes.length))
      .replace(/\s+/g, " ")
      .trim()
  );
}

/** Returns the characters of a converted name that banks do not accept, each once. */
export function findUnusableInHolder(kana: string): string[] {
  return [...new Set(kana.match(/[^アイウエオカ-ヂツ-モヤユヨ-ロワンヴー A-Z0-9().,\-/「」¥]/gu))];
}

/** Whether a converted name has a kana, a letter or a digit: it must not consist of signs. */
export const isHolderNamed = (kana: string): boolean => /[ア-ヴA-Z0-9]/.test(kana);

/** Counts the characters of a converted name as a transfer has them: 濁点 and 半濁点 count as characters. */
export function countHolderCharacters(kana: string): number {
  return [...toNormalForm(kana, "NFD")].length;
}
