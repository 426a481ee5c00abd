import { groupDigits } from "../../contract/group-digits.ts";
import { yenInEnglish } from "../../contract/mails.ts";
import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

/** Notifies the writer of the answered comment and the post's owner. A person who is both gets one notification. */
export function noticesOfComment(commented: OutboxEvents["event_commented"]): Notice[] {
  const { comment_id, amount, writer_user_id, event_id, event_user_id, event_link_id, answered_user_id } = commented;
  const notice = {
    actor_user_id: writer_user_id,
    event_id,
    subject_id: comment_id,
    path: `/${event_link_id}/events/${event_id}/comments/${comment_id}`,
  };
  const notices: Notice[] = [];
  if (answered_user_id !== null && answered_user_id !== writer_user_id) {
    notices.push({
      ...notice,
      user_id: answered_user_id,
      type: "get_reply_comment",
      occasion: `comment_answered ${comment_id}`,
      message: "{actor}さんが{event}であなたのコメントに返信しました。",
      english: "{actor} replied to your comment on {event}.",
    });
  }
  if (event_user_id !== writer_user_id && event_user_id !== answered_user_id) {
    notices.push({
      ...notice,
      user_id: event_user_id,
      type: amount > 0 ? "new_paid_event_comment" : "new_event_comment",
      occasion: `event_commented ${comment_id}`,
      message:
        amount > 0
          ? `{actor}さんが{event}に${groupDigits(amount)}円のコメントを送りました。`
          : "{actor}さんが{event}にコメントしました。",
      english:
        amount > 0
          ? `{actor} sent a comment with ${yenInEnglish(amount)} on {event}.`
          : "{actor} wrote a comment on {event}.",
    });
  }
  return notices;
}
