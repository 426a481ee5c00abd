import type { MailGaps } from "../../contract/mails.ts";
import type { NotificationTopic } from "../../contract/notifications.ts";
import type { Words } from "./parts.ts";

/** The words of mails that tell of a notification. */

/** The subject of each topic's mails, and the words of their button. */
const SUBJECTS: { readonly [Topic in NotificationTopic]?: readonly [subject: string, label: string] } = {
  get_ofuse: ["ofuseが届きました", "ofuseを読む"],
  get_free_ofuse: ["ofuseが届きました", "ofuseを読む"],
  get_ofuse_reply: ["ofuseの返信が届きました", "返信を読む"],
  new_paid_event_comment: ["有料のコメントが届きました", "コメントを読む"],
  new_event_comment: ["コメントが届きました", "コメントを読む"],
  get_reply_comment: ["コメントに返信がありました", "返信を読む"],
  new_subscriber: ["プランに新しいメンバーが加わりました", "メンバーを見る"],
  event_created: ["新しい投稿があります", "投稿を見る"],
  radio_started: ["ラジオの放送が始まりました", "ラジオを聴く"],
};

export function notificationWords({ topic, message, link, stop_link }: MailGaps["notification"]): Words {
  const [subject, label] = SUBJECTS[topic] ?? ["お知らせがあります", "お知らせを見る"];
  return {
    subject: `【ofuse】${subject}`,
    parts: [message, { link, label }],
    stop: {
      link: stop_link,
      reason: "このメールは、ofuseでお知らせのメールを受け取る設定の方へお送りしています。",
    },
  };
}
