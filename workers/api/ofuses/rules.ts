import { groupDigits } from "../../contract/group-digits.ts";
import { yenInEnglish } from "../../contract/mails.ts";
import { type Ofuse, WRITTEN_FIELDS } from "../../contract/ofuses.ts";
import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

type Written = Pick<Ofuse, (typeof WRITTEN_FIELDS)[number]>;

/** Picks the fields that a letter's sender wrote, from a request body or from a row. */
export function pickWritten(from: Written): Written {
  return Object.fromEntries(WRITTEN_FIELDS.map((field) => [field, from[field]])) as Written;
}

export function noticesOfLetter(letter: OutboxEvents["ofuse_sent"]): Notice[] {
  const { ofuse_id, amount, is_fan_letter, receiver_user_id, sender_user_id } = letter;
  const from = sender_user_id === null ? "" : "{actor}さんから";
  const sent = amount > 0 ? `${groupDigits(amount)}円の${is_fan_letter ? "ファンレター" : "ofuse"}` : "ofuse";
  const english = amount > 0 ? `${is_fan_letter ? "a fan letter" : "an ofuse"} of ${yenInEnglish(amount)}` : "an ofuse";
  return [
    {
      user_id: receiver_user_id,
      actor_user_id: sender_user_id,
      type: amount > 0 ? "get_ofuse" : "get_free_ofuse",
      occasion: `ofuse_sent ${ofuse_id}`,
      subject_id: ofuse_id,
      path: `/my/box/${ofuse_id}`,
      message: `${from}${sent}が届きました。`,
      english: `You have ${english}${sender_user_id === null ? "" : " from {actor}"}.`,
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
      english: "{actor} replied to your ofuse.",
    },
  ];
}

/** Tells the sender that the receiver likes the letter. The spec has no notification type for likes, so it is `custom`. */
export function noticesOfLike({ ofuse_id, receiver_user_id, sender_user_id }: OutboxEvents["ofuse_liked"]): Notice[] {
  if (sender_user_id === null) return [];
  return [
    {
      user_id: sender_user_id,
      actor_user_id: receiver_user_id,
      type: "custom",
      topic: "liked",
      occasion: `ofuse_liked ${ofuse_id}`,
      path: `/my/box/${ofuse_id}`,
      message: "{actor}さんがあなたのofuseに「いいね」しました。",
    },
  ];
}
