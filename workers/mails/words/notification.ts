import type { MailGaps } from "../../contract/mails.ts";
import type { MailLanguage, NotificationTopic } from "../../contract/notifications.ts";
import type { InLanguages, Words } from "./parts.ts";

/** The words of mails that tell of a notification. */

type Subject = readonly [subject: string, label: string];

/** The subject of each topic's mails, and the words of their button. */
const SUBJECTS: { readonly [Topic in NotificationTopic]?: { readonly [L in MailLanguage]: Subject } } = {
  get_ofuse: { ja: ["ofuseが届きました", "ofuseを読む"], en: ["You have an ofuse", "Read the ofuse"] },
  get_free_ofuse: { ja: ["ofuseが届きました", "ofuseを読む"], en: ["You have an ofuse", "Read the ofuse"] },
  get_ofuse_reply: { ja: ["ofuseの返信が届きました", "返信を読む"], en: ["Your ofuse has a reply", "Read the reply"] },
  new_paid_event_comment: {
    ja: ["有料のコメントが届きました", "コメントを読む"],
    en: ["You have a paid comment", "Read the comment"],
  },
  new_event_comment: { ja: ["コメントが届きました", "コメントを読む"], en: ["You have a comment", "Read the comment"] },
  get_reply_comment: {
    ja: ["コメントに返信がありました", "返信を読む"],
    en: ["Your comment has a reply", "Read the reply"],
  },
  new_subscriber: {
    ja: ["プランに新しいメンバーが加わりました", "メンバーを見る"],
    en: ["Your plan has a new member", "See the members"],
  },
  event_created: { ja: ["新しい投稿があります", "投稿を見る"], en: ["There is a new post", "See the post"] },
  radio_started: {
    ja: ["ラジオの放送が始まりました", "ラジオを聴く"],
    en: ["A radio is on air", "Listen to the radio"],
  },
};
const OTHERS = { ja: ["お知らせがあります", "お知らせを見る"], en: ["You have a notification", "See it"] } as const;

const REASONS = {
  ja: "このメールは、ofuseでお知らせのメールを受け取る設定の方へお送りしています。",
  en: "You get this mail because your settings on ofuse ask for notifications by mail.",
};

const inLanguage =
  (language: MailLanguage) =>
  ({ topic, message, link, stop_link }: MailGaps["notification"]): Words => {
    const [subject, label] = (SUBJECTS[topic] ?? OTHERS)[language];
    return {
      subject: language === "ja" ? `【ofuse】${subject}` : `[ofuse] ${subject}`,
      parts: [message, { link, label }],
      stop: { link: stop_link, reason: REASONS[language] },
    };
  };

export const notificationWords: InLanguages<"notification"> = { ja: inLanguage("ja"), en: inLanguage("en") };
