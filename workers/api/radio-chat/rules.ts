import { groupDigits } from "../../contract/group-digits.ts";
import { STAMPS, type StampId } from "../../contract/letter-choices.ts";
import { toNormalForm } from "../../contract/normal-form.ts";
import type { ChatMessage } from "../../contract/radio-chat.ts";
import { dropUnseen } from "../../contract/visible-text.ts";
import type { Limit } from "../storage/limits.ts";

/** Limits how fast one person writes, in all chats together. */
export const CHAT_LIMIT: Limit = { act: "radio_chat", times: 10, window_ms: 10_000 };
/** Limits how fast one person sends emoji. */
export const CHAT_REACTION_LIMIT: Limit = { act: "radio_chat_reaction", times: 20, window_ms: 10_000 };
/** Limits how often one broadcaster changes the settings of chats. */
export const CHAT_SETTINGS_LIMIT: Limit = { act: "radio_chat_settings", times: 100, window_ms: 60 * 60 * 1000 };

/**
 * Normalises a text for the comparison with NG words: full-width and half-width, upper and lower case count as the same,
 * and unseen characters do not count. The upper case comes first, because only it has the same form for ß and ss.
 */
export function foldText(text: string): string {
  // The normal form may add joiners of its own.
  return dropUnseen(toNormalForm(toNormalForm(dropUnseen(text), "NFKC").toUpperCase().toLowerCase(), "NFKC"));
}

/** Returns what a room shows of a letter. The amount of one that its sender did not make public stays private. */
export function toChatLetter(letter: { amount: number; is_public: boolean; stamp_id: StampId | null }) {
  const { amount, is_public, stamp_id } = letter;
  const is_paid = amount > 0;
  const stamp = STAMPS.find((each) => each.stamp_id === stamp_id) ?? null;
  return { is_paid, amount: is_paid && is_public ? amount : null, stamp };
}

/** Returns the sentence of a letter's line in a room. `name` is null when its sender is not named. */
export function letterWords({ is_paid, amount }: NonNullable<ChatMessage["letter"]>, name: string | null): string {
  const from = name === null ? "" : `${name}さんから`;
  const price = amount === null ? (is_paid ? "有料の" : "") : `${groupDigits(amount)}円の`;
  return `${from}${price}ofuseが届きました。`;
}
