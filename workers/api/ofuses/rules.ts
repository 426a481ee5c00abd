import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

export function noticesOfLetter({ ofuse_id, receiver_user_id, sender_user_id }: OutboxEvents["ofuse_sent"]): Notice[] {
  return [
    {
      user_id: receiver_user_id,
      actor_user_id: sender_user_id,
      type: "get_free_ofuse",
      occasion: `ofuse_sent ${ofuse_id}`,
      subject_id: ofuse_id,
      path: `/my/box/${ofuse_id}`,
      message: "{actor}さんからofuseが届きました。",
    },
  ];
}

export function noticesOfReply({
  ofuse_id,
  receiver_user_id,
  sender_user_id,
}: OutboxEvents["ofuse_replied"]): Notice[] {
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
