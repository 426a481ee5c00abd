import { ANONYMOUS_NAME, BLOCKED_NAME, GUEST_NAME, LEFT_NAME } from "./bounds.ts";
import { toNormalForm } from "./normal-form.ts";
import { dropUnseen, hasHiddenCharacters, hiddenRefusal } from "./visible-text.ts";

/**
 * Rules for display names. A name is shown beside what its owner writes, so it must not imitate the operators, and must
 * not hold invisible characters. Source: product decisions, "Names".
 */

/**
 * Characters that look like the letters of "ofuse": digits, signs and letters of other scripts. NFKC has already
 * replaced full-width and circled letters.
 */
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
 * Normalises a name to how it looks at a glance: without width, case, accents, blanks, signs and long vowels, and with
 * katakana for hiragana. `Ｏ-F u_ｓé` becomes `ofuse`, `公 ・ 式` becomes `公式`, `さぽ～と` becomes `サポト`.
 */
function glanceAt(name: string): string {
  return toNormalForm(toNormalForm(dropUnseen(name), "NFKD").replace(/[\u0300-\u036f]/g, ""), "NFKC")
    .toLowerCase()
    .replace(/[ぁ-ゖ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60))
    .replace(/./gu, (letter) => LOOKALIKES[letter] ?? letter)
    .replace(/ー|[^\p{L}\p{N}]/gu, "");
}

/** `非公式` ("unofficial") is allowed. */
const OPERATORS_WORDS = /(?<!非)公式|運営|事務局|サポト|ofuse/;

/** What we show in place of a name. With such a name, a person would look like somebody without one. */
const SUBSTITUTES = [LEFT_NAME, ANONYMOUS_NAME, GUEST_NAME, BLOCKED_NAME];
const SUBSTITUTES_AT_A_GLANCE = new Set(SUBSTITUTES.map(glanceAt));
const GUEST_AT_A_GLANCE = glanceAt(GUEST_NAME);

/**
 * No name that text() accepts is longer. NFKC expands some characters to eighteen, so 500 kB of them would take half a
 * second.
 */
const MAX_LENGTH = 1024;

/**
 * Returns why nobody may take this name, as a sentence for the field, whose label is `label`. Returns null when the name
 * is allowed, and when text() already refuses it for its length.
 */
export function nameRefusal(name: string, label = "表示名"): string | null {
  if (name.length > MAX_LENGTH) return null;
  if (hasHiddenCharacters(name)) return hiddenRefusal(label);
  if (!/[\p{L}\p{N}]/u.test(toNormalForm(name, "NFKC"))) return `${label}には、文字か数字を1つ以上入れてください。`;
  const glance = glanceAt(name);
  if (SUBSTITUTES_AT_A_GLANCE.has(glance)) {
    const words = SUBSTITUTES.map((word) => `「${word}」`).join("");
    return `${words}は、名前の代わりに表示する言葉のため、${label}に使えません。`;
  }
  if (OPERATORS_WORDS.test(glance)) {
    return `「公式」「運営」「事務局」「サポート」「ofuse」は運営だけが使える言葉のため、${label}に入れられません。`;
  }
  return null;
}

/** Whether a guest's name looks like the one that we show for a guest without a name. */
export const isGuestName = (name: string): boolean => name.length <= MAX_LENGTH && glanceAt(name) === GUEST_AT_A_GLANCE;

/** `officiai` is `official` after {@link isOperatorsLinkId} has replaced `l` by `i`. */
const OPERATORS_PREFIX = /^(?:ofuse|officiai|support|admin|staff)/;

/**
 * Whether a link_id could pass for the operators'. Ignores underscores, and reads digits as the letters they resemble.
 */
export function isOperatorsLinkId(link_id: string): boolean {
  if (link_id.startsWith("_")) return true;
  const plain = link_id
    .replaceAll("_", "")
    .replace(/[1l]/g, "i")
    .replace(/[035]/g, (digit) => LOOKALIKES[digit] ?? digit);
  return OPERATORS_PREFIX.test(plain);
}
