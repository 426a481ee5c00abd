import { type RawBuilder, sql } from "kysely";
import { toNormalForm } from "../../contract/normal-form.ts";

/** The words of a search beyond this number are ignored. Each costs a comparison with every row. */
const MAX_SOUGHT_WORDS = 5;
const HIRAGANA = /[\u3041-\u3096]/g;
const KATAKANA = /[\u30a1-\u30f6]/g;
const KANA_HEIGHT = 0x60;
const moveKana = (text: string, kana: RegExp, by: number) =>
  text.replace(kana, (letter) => String.fromCharCode(letter.charCodeAt(0) + by));

const HALF_KANA = new Map(
  Array.from({ length: 0xff9f - 0xff61 + 1 }, (_, at) => String.fromCharCode(0xff61 + at)).map((half) => [
    toNormalForm(half, "NFKC"),
    half,
  ]),
);
/** Half-width 濁点 and 半濁点 are characters of their own, so the kana are taken apart first. */
const toHalfKana = (katakana: string) =>
  toNormalForm(Array.from(toNormalForm(katakana, "NFD"), (letter) => HALF_KANA.get(letter) ?? letter).join(""));

/** `lower` does not change letters of full width: a text has ｌｉｖｅ, ＬＩＶＥ or Ｌｉｖｅ as it was typed. */
const toFullWidth = (small: string): string[] =>
  [small, small.toUpperCase(), small.replace(/[a-z]/, (letter) => letter.toUpperCase())].map((word) =>
    word.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  );

/**
 * Splits a search into words, each with the forms in which a text may have it: as typed, in full-width kana, in hiragana, in
 * katakana, in half-width katakana, and with letters and digits of full width. In small letters, like SQLite's `lower`, which
 * changes only A to Z. A word has at most eight forms: D1 takes 100 parameters.
 */
export function findWordForms(keyword: string): string[][] {
  const words = toNormalForm(keyword).split(/\s+/).filter(Boolean).slice(0, MAX_SOUGHT_WORDS);
  return words.map((word) => {
    const [typed, wide] = [word, toNormalForm(word, "NFKC")].map((form) =>
      form.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
    ) as [string, string];
    const katakana = moveKana(wide, HIRAGANA, KANA_HEIGHT);
    const kana = [moveKana(wide, KATAKANA, -KANA_HEIGHT), katakana, toHalfKana(katakana)];
    return [...new Set([typed, wide, ...kana, ...toFullWidth(wide)])];
  });
}

/** SQL: whether every word of a search is found in one of its forms. `isFound` says it of a form, which is in small letters. */
export function hasWords(keyword: string, isFound: (form: string) => RawBuilder<unknown>): RawBuilder<boolean> {
  const words = findWordForms(keyword).map((forms) => sql`(${sql.join(forms.map(isFound), sql` OR `)})`);
  return words.length === 0 ? sql<boolean>`1` : sql<boolean>`(${sql.join(words, sql` AND `)})`;
}
