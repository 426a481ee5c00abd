import { hasHiddenCharacters } from "./visible-text.ts";

/**
 * What people may call themselves. A name stands beside what somebody says, so it must not pass for ours, and must show all that
 * it is made of. Source: decisions, "Names".
 */

/** Letters that look like those of our name, in other scripts and as digits. NFKC has made full-width and circled ones plain. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["o", "0оοօᴏ〇○◯⭕"],
    ["f", "ƒғϝꜰ"],
    ["u", "υսцᴜ"],
    ["s", "5ѕꜱ$"],
    ["e", "3еєεᴇ€"],
  ].flatMap(([letter = "", others = ""]) => [...others].map((other) => [other, letter])),
);

/**
 * A name as it is taken at a glance: without width, case, accents, blanks, signs and long vowels, hiragana as katakana.
 * `Ｏ-F u_ｓé` is `ofuse`, `公 ・ 式` is `公式`, `さぽ～と` is `サポト`.
 */
function glanceAt(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[ぁ-ゖ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60))
    .replace(/./gu, (letter) => LOOKALIKES[letter] ?? letter)
    .replace(/ー|[^\p{L}\p{N}]/gu, "");
}

/** `非公式` says the contrary. */
const OPERATORS_WORDS = /(?<!非)公式|運営|事務局|サポト|ofuse/;

/** No name that text() takes is longer. Of some characters NFKC makes eighteen, so 500 kB of them would cost half a second. */
const MAX_LENGTH = 1024;

/**
 * Why nobody may take this name, as a sentence to stand beside the field; null where they may, and for a name that text() refuses
 * for its length.
 */
export function nameRefusal(name: string): string | null {
  if (name.length > MAX_LENGTH) return null;
  if (hasHiddenCharacters(name)) return "表示名に、見えない文字や文字の向きを変える記号は使えません。";
  if (!/[\p{L}\p{N}]/u.test(name.normalize("NFKC"))) return "表示名には、文字か数字を1つ以上入れてください。";
  if (OPERATORS_WORDS.test(glanceAt(name))) {
    return "「公式」「運営」「事務局」「サポート」「ofuse」は運営だけが使える言葉のため、表示名に入れられません。";
  }
  return null;
}

/** `official` as {@link isOperatorsLinkId} sees it. */
const OPERATORS_PREFIX = /^(?:ofuse|officiai|support|admin|staff)/;

/** Whether an address would pass for the operators', also with underscores in it and with digits for letters. */
export function isOperatorsLinkId(link_id: string): boolean {
  if (link_id.startsWith("_")) return true;
  const plain = link_id
    .replaceAll("_", "")
    .replace(/[1l]/g, "i")
    .replace(/[035]/g, (digit) => LOOKALIKES[digit] ?? digit);
  return OPERATORS_PREFIX.test(plain);
}
