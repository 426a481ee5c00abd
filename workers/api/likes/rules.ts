import { signText, verifySignature } from "../../kernel/digest.ts";
import { isId } from "../../kernel/ids.ts";
import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

/** The signed text names its purpose, because the same key signs other things and no signature may pass for another. */
const signedText = (guest_id: string) => `guest likes ${guest_id}`;

/** Creates the token that identifies a guest's browser: the guest's id with our signature. */
export async function guestToken(guest_id: string, key: string): Promise<string> {
  return `${guest_id}.${await signText(signedText(guest_id), key)}`;
}

/** Returns the guest's id; null for a token that we did not sign. */
export async function guestOf(token: string, key: string): Promise<string | null> {
  const [guest_id = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !isId(guest_id)) return null;
  return (await verifySignature(signedText(guest_id), signature, key)) ? guest_id : null;
}

/** How the column `liker` names a guest. */
export const guestLiker = (guest_id: string) => `guest-${guest_id}`;

/** Tells the writer of a post or a comment who likes it. The spec has no notification type for likes, so it is `custom`. */
export function noticesOfLike(liked: OutboxEvents["liked"]): Notice[] {
  const { liker_user_id, owner_user_id, event_id, event_link_id, comment_id } = liked;
  if (liker_user_id === owner_user_id) return [];
  const subject = comment_id ?? event_id;
  const post = `/${event_link_id}/events/${event_id}`;
  const path = comment_id === null ? post : `${post}/comments/${comment_id}`;
  return [
    {
      user_id: owner_user_id,
      actor_user_id: liker_user_id,
      type: "custom",
      topic: "liked",
      occasion: `liked ${subject} ${liker_user_id}`,
      path,
      bundle: { key: `liked ${subject}`, path },
      event_id,
      ...(comment_id !== null && { subject_id: comment_id }),
      message:
        comment_id === null
          ? "{actors}が{event}に「いいね」しました。"
          : "{actors}が{event}のあなたのコメントに「いいね」しました。",
    },
  ];
}
