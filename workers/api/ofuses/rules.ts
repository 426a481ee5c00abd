import { type Ofuse, WRITTEN_FIELDS } from "../../contract/ofuses.ts";
import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

type Written = Pick<Ofuse, (typeof WRITTEN_FIELDS)[number]>;

/** Picks the fields that a letter's sender wrote, from a request body or from a row. */
export function pickWritten(from: Written): Written {
  return Object.fromEntries(WRITTEN_FIELDS.map((field) => [field, from[field]])) as Written;
}

/** The words of a search beyond this number are ignored. Each costs a comparison with every letter of the box. */
const MAX_SOUGHT_WORDS = 5;
const HIRAGANA = /[\u3041-\u3096]/g;
const KATAKANA = /[\u30a1-\u30f6]/g;
const KANA_HEIGHT = 0x60;
const moveKana = (text: string, kana: RegExp, by: number) =>
  text.replace(kana, (letter) => String.fromCharCode(letter.charCodeAt(0) + by));

/**
 * Splits a search into words, each with the forms in which a letter may have it: as typed, in full-width kana, in hiragana
 * and in katakana. Small letters only, as `letter_words` has them: like SQLite's `lower`, this changes only A to Z.
 */
export function findWordForms(keyword: string): string[][] {
  const words = keyword.normalize("NFC").split(/\s+/).filter(Boolean).slice(0, MAX_SOUGHT_WORDS);
  return words.map((word) => {
    const [typed, wide] = [word, word.normalize("NFKC")].map((form) =>
      form.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
    ) as [string, string];
    return [...new Set([typed, wide, moveKana(wide, KATAKANA, -KANA_HEIGHT), moveKana(wide, HIRAGANA, KANA_HEIGHT)])];
  });
}

export function noticesOfLetter(letter: OutboxEvents["ofuse_sent"]): Notice[] {
  const { ofuse_id, amount, is_fan_letter, receiver_user_id, sender_user_id } = letter;
  const from = sender_user_id === null ? "" : "{actor}さんから";
  const sent =
    amount > 0 ? `${amount.toLocaleString("ja-JP")}円の${is_fan_letter ? "ファンレター" : "ofuse"}` : "ofuse";
  return [
    {
      user_id: receiver_user_id,
      actor_user_id: sender_user_id,
      type: amount > 0 ? "get_ofuse" : "get_free_ofuse",
      occasion: `ofuse_sent ${ofuse_id}`,
      subject_id: ofuse_id,
      path: `/my/box/${ofuse_id}`,
      message: `${from}${sent}が届きました。`,
    },
  ];
}

export function noticesOfReply({
  ofuse_id,
  receiver_user_id,
  sender_user_id,
}: OutboxEvents["ofuse_replied"]): Notice[] {
  // A guest reads the reply after claiming the letter.
  if (sender_user_id === null) return [];
  return [
    {
      user_id: sender_user_id,
      actor_user_id: receiver_user_id,
      type: "get_ofuse_reply",
      occasion: `ofuse_replied ${ofuse_id}`,
      subject_id: ofuse_id,
      path: `/my/box/${ofuse_id}`,
      message: "{actor}さんからofuseの返信が届きました。",
    },
  ];
}
