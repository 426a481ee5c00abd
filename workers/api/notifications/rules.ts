import type { Notification } from "../../contract/notifications.ts";
import type { OutboxEvent } from "../storage/outbox.ts";

/** What nobody hears of, or many do at once: {@link publicationNews}. */
const untold = ["creator_changed", "search_rebuild_wanted", "event_published", "account_left"] as const;
type UntoldKind = (typeof untold)[number];
type ToldEvent = Exclude<OutboxEvent, { kind: UntoldKind }>;

/** Whether one person is told of it. */
export function isTold(event: OutboxEvent): event is ToldEvent {
  return !(untold as readonly string[]).includes(event.kind);
}

/**
 * A notification to be written. `message` is a sentence with gaps: `{actor}` for the name of the person it is about, `{event}`
 * for the title of the post. They are filled when somebody reads it ({@link fillGaps}), so that no row of one person
 * keeps the words of another. `occasion` is unique: the same thing is told once.
 */
interface Telling {
  user_id: string;
  type: Notification["type"];
  occasion: string;
  message: string;
}

/** One about somebody. It is not told between people who have blocked one another. */
interface AboutSomebody extends Telling {
  actor_user_id: string;
  /** The post that fills `{event}`. */
  event_id?: string;
  path: (actor: { link_id: string }) => string;
}

/** One from those who run the site. */
interface FromUs extends Telling {
  actor_user_id: null;
  path: string;
}

export type Announcement = AboutSomebody | FromUs;

/**
 * Who hears of what, in which words. The spec's types have none for a new follower, nor for what became of a report, so
 * they are `custom` (docs/decisions/0001).
 */
export function announcementsOf(event: ToldEvent): Announcement[] {
  switch (event.kind) {
    case "followed": {
      const { follower_id, following_id } = event.payload;
      return [
        {
          user_id: following_id,
          actor_user_id: follower_id,
          type: "custom",
          occasion: `followed ${follower_id} ${following_id}`,
          path: (actor) => `/${actor.link_id}`,
          message: "{actor}さんがあなたをフォローしました。",
        },
      ];
    }
    case "ofuse_sent": {
      const { ofuse_id, receiver_user_id, sender_user_id } = event.payload;
      return [
        {
          user_id: receiver_user_id,
          actor_user_id: sender_user_id,
          type: "get_free_ofuse",
          occasion: `ofuse_sent ${ofuse_id}`,
          path: () => `/my/box/${ofuse_id}`,
          message: "{actor}さんからofuseが届きました。",
        },
      ];
    }
    case "ofuse_replied": {
      const { ofuse_id, receiver_user_id, sender_user_id } = event.payload;
      return [
        {
          user_id: sender_user_id,
          actor_user_id: receiver_user_id,
          type: "get_ofuse_reply",
          occasion: `ofuse_replied ${ofuse_id}`,
          path: () => `/my/box/${ofuse_id}`,
          message: "{actor}さんからofuseの返信が届きました。",
        },
      ];
    }
    case "event_commented": {
      const { comment_id, writer_user_id, event_id, event_user_id, answered_user_id } = event.payload;
      const telling = {
        actor_user_id: writer_user_id,
        event_id,
        path: () => `/${event.payload.event_link_id}/events/${event_id}/comments/${comment_id}`,
      };
      const announcements: Announcement[] = [];
      if (answered_user_id !== null && answered_user_id !== writer_user_id) {
        announcements.push({
          ...telling,
          user_id: answered_user_id,
          type: "get_reply_comment",
          occasion: `comment_answered ${comment_id}`,
          message: "{actor}さんが{event}であなたのコメントに返信しました。",
        });
      }
      // Whose own comment was answered under her own post has heard of it already.
      if (event_user_id !== writer_user_id && event_user_id !== answered_user_id) {
        announcements.push({
          ...telling,
          user_id: event_user_id,
          type: "new_event_comment",
          occasion: `event_commented ${comment_id}`,
          message: "{actor}さんが{event}にコメントしました。",
        });
      }
      return announcements;
    }
    case "report_decided":
      return decisionAnnouncements(event.payload);
  }
}

/** What the readers of a post hear when it is published; each of them once, however often it is. */
export function publicationNews(event: { event_id: string; link_id: string }) {
  return {
    occasionOf: (user_id: string) => `event_published ${event.event_id} ${user_id}`,
    path: `/${event.link_id}/events/${event.event_id}`,
    message: "{actor}さんが{event}を投稿しました。",
  };
}

/** Fills the gaps of a notification's sentence, in one pass: a name that reads `{event}` stays a name. */
export function fillGaps(message: string, words: { actor: string; event: string }): string {
  return message.replace(/\{(actor|event)\}/g, (_, gap: "actor" | "event") => words[gap]);
}

const SUBJECTS = { event: "投稿", event_comment: "コメント", ofuse: "ofuse" };

/** The reporter hears of either outcome; whose thing it is hears only of it being taken down, once for all its reports. */
function decisionAnnouncements(decided: Extract<ToldEvent, { kind: "report_decided" }>["payload"]): FromUs[] {
  const { report_id, reporter_user_id, subject_type, subject_id, subject_user_id, decision, note } = decided;
  const what = SUBJECTS[subject_type];
  const ours = { actor_user_id: null, type: "custom" as const };
  const said = note === null ? "" : `（運営より：${note}）`;
  const outcome =
    decision === "removed"
      ? `通報いただいた${what}を確認し、公開を停止しました。ご連絡ありがとうございました。`
      : `通報いただいた${what}を確認しましたが、今回は公開を続けることにしました。ご連絡ありがとうございました。`;
  const told: FromUs[] = [
    {
      ...ours,
      user_id: reporter_user_id,
      occasion: `report_decided ${report_id}`,
      path: "/terms",
      message: outcome + said,
    },
  ];
  if (decision === "removed") {
    told.push({
      ...ours,
      user_id: subject_user_id,
      occasion: `subject_removed ${subject_type} ${subject_id}`,
      path: "/help#contact",
      message: `あなたの${what}は、利用規約にもとづいて運営が公開を停止しました。${said}ご不明な点や異議がありましたら、お問い合わせからご連絡ください。`,
    });
  }
  return told;
}
