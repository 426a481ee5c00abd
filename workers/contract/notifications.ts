import * as z from "zod";
import { id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** Source: spec section 3, with `{product}` read as `ofuse`. */
export const notificationType = z
  .enum([
    "custom",
    "get_ofuse",
    "get_free_ofuse",
    "get_ofuse_reply",
    "event_created",
    "news_letter_received",
    "subscription_renewed",
    "subscription_past_due",
    "subscription_canceled",
    "membership_disabled",
    "new_subscriber",
    "new_event_comment",
    "payout_failed",
    "get_reply_comment",
    "new_paid_event_comment",
    "radio_started",
  ])
  .meta({ id: "NotificationType", description: "お知らせの種類", examples: ["get_ofuse_reply"] });

/**
 * The topics that a member can choose: a type, or a part of the type `custom`. All other notifications are about money or
 * from the operator, and always go out. Source: docs/decisions/0037.
 */
export const notificationTopic = z
  .enum([
    "get_ofuse",
    "get_free_ofuse",
    "get_ofuse_reply",
    "liked",
    "followed",
    "new_paid_event_comment",
    "new_event_comment",
    "get_reply_comment",
    "new_subscriber",
    "event_created",
    "news_letter_received",
    "radio_started",
  ])
  .meta({ id: "NotificationTopic", description: "受け取り方を選べるお知らせ", examples: ["get_ofuse_reply"] });
export type NotificationTopic = z.output<typeof notificationTopic>;
export const isNotificationTopic = (topic: string): topic is NotificationTopic =>
  (notificationTopic.options as string[]).includes(topic);

/** The topics that have a mail. True if members get the mail until they choose otherwise. */
export const MAILED_TOPICS: { readonly [Topic in NotificationTopic]?: boolean } = {
  get_ofuse: true,
  get_free_ofuse: true,
  get_ofuse_reply: true,
  new_paid_event_comment: true,
  new_event_comment: false,
  get_reply_comment: false,
  new_subscriber: true,
  event_created: false,
  // The newsletter itself (docs/decisions/0036).
  news_letter_received: true,
  radio_started: false,
};

/**
 * Whether members get a topic on the browsers where they turned push notifications on, until they choose otherwise: what
 * somebody says to the person directly. Source: docs/decisions/0037.
 */
export const PUSHED_TOPICS: { readonly [Topic in NotificationTopic]: boolean } = {
  get_ofuse: true,
  get_free_ofuse: true,
  get_ofuse_reply: true,
  liked: false,
  followed: false,
  new_paid_event_comment: true,
  new_event_comment: true,
  get_reply_comment: true,
  new_subscriber: true,
  event_created: false,
  news_letter_received: false,
  radio_started: false,
};

/** How a notification reaches its reader. */
export type NotificationChannel = "page" | "mail" | "push";

/** Whether members get a topic by a channel until they choose otherwise. */
export function isOnByDefault(topic: NotificationTopic, channel: NotificationChannel): boolean {
  if (channel === "page") return true;
  return (channel === "mail" ? MAILED_TOPICS : PUSHED_TOPICS)[topic] === true;
}

export const notification = z
  .object({
    notification_id: id,
    type: notificationType,
    is_opened: z.boolean().meta({ description: "開いたか" }),
    message: z
      .string()
      .meta({ description: "そのまま表示できる文", examples: ["たろうさんがあなたのofuseに返信しました。"] }),
    excerpt: z
      .string()
      .nullable()
      .meta({
        description: "手紙、返信、コメントのはじめの1行。ないとき、もう見られないときはnull",
        examples: ["返信ありがとうございます！"],
      }),
    path: z.string().meta({
      description: "開くページのパス",
      examples: ["/my/box/01kag0w2x4y6z8a1b3c5d7e9fg"],
    }),
    actor: userSummary.nullable().meta({ description: "お知らせのもとになった人。複数のときはいちばん新しい人" }),
    actors: z
      .array(userSummary)
      .meta({ description: "文に名前のある人（新しい順、2人まで）。ほかの人は、文に人数がある" }),
    created_at: time,
  })
  .meta({ id: "Notification", description: "お知らせ" });
export type Notification = z.output<typeof notification>;

export const listNotifications = defineOperation({
  id: "listNotifications",
  method: "GET",
  path: "/v4/notifications",
  auth: "required",
  summary: "お知らせ（新しい順、90日間）",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({
    notifications: z.array(notification),
    has_unopened: z.boolean().meta({ description: "未読のお知らせがあるか（ほかのページのものも含む）" }),
    ...pageAnswer,
  }),
  errors: ["registration_required"],
});

export const openAllNotifications = defineOperation({
  id: "openAllNotifications",
  method: "PUT",
  path: "/v4/notifications",
  auth: "required",
  summary: "お知らせをすべて既読にする",
  status: 200,
  answer: z.object({ is_opened: z.literal(true) }),
  errors: ["registration_required", "idempotency_key_reused"],
});

export const openNotification = defineOperation({
  id: "openNotification",
  method: "PUT",
  path: "/v4/notifications/{notification_id}",
  auth: "required",
  summary: "お知らせを1件既読にする",
  params: z.object({ notification_id: id }),
  status: 200,
  answer: z.object({ notification }),
  errors: ["registration_required", "idempotency_key_reused"],
});

/** The example of RFC 8291, appendix A. */
const PUBLIC_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

const topics = z.array(notificationTopic).max(notificationTopic.options.length);
/** The language of the mails whose words are ours. A newsletter has the words of its creator. */
export const mailLanguage = z.enum(["ja", "en"]).meta({ description: "サービスからのメールの言語", examples: ["ja"] });
export type MailLanguage = z.output<typeof mailLanguage>;

const settings = z
  .object({
    page: topics.meta({ description: "「お知らせ」のページに表示するもの" }),
    mail: topics.meta({ description: "メールで受け取るもの" }),
    push: topics.meta({ description: "プッシュ通知で受け取るもの" }),
    mail_language: mailLanguage,
  })
  .meta({ id: "NotificationSettings", description: "お知らせの受け取り方" });
export type NotificationSettings = z.output<typeof settings>;

const isPushOn = z.boolean().meta({ description: "この認証（端末）で、プッシュ通知を受け取っているか" });

export const getNotificationSettings = defineOperation({
  id: "getNotificationSettings",
  method: "GET",
  path: "/v4/notification_settings",
  auth: "required",
  summary: "お知らせの受け取り方",
  status: 200,
  answer: settings.extend({
    push_public_key: z
      .string()
      .nullable()
      .meta({
        description: "プッシュ通知の公開鍵（VAPID、RFC 8292）。送らないサイトではnull",
        examples: [PUBLIC_KEY],
      }),
    is_push_on: isPushOn,
  }),
  errors: ["registration_required"],
});

/** Replaces the choices. A topic that is not named is off. Without `push` or `mail_language`, that choice stays. */
export const updateNotificationSettings = defineOperation({
  id: "updateNotificationSettings",
  method: "PUT",
  path: "/v4/notification_settings",
  auth: "required",
  summary: "お知らせの受け取り方を変更する",
  missing_fields: "kept",
  body: settings.partial({ push: true, mail_language: true }),
  status: 200,
  answer: settings,
  errors: ["registration_required", "idempotency_key_reused"],
});

/**
 * An address at the push service of a browser: Chrome and its relatives, Firefox, Edge, Safari. The API sends requests to
 * it, so it may name no other host.
 */
const pushEndpoint = z
  .string()
  .max(1000)
  .regex(
    /^https:\/\/(?:fcm\.googleapis\.com|[\w-]+\.push\.services\.mozilla\.com|[\w-]+\.notify\.windows\.com|[\w-]+\.push\.apple\.com)\/[\w%!$&'()*+,;=:@.~/?-]+$/,
  )
  .meta({
    description: "プッシュサービスの送り先（`PushSubscription`の`endpoint`）",
    examples: ["https://updates.push.services.mozilla.com/wpush/v2/gAAAAABn"],
  });

/**
 * Turns push notifications on for the browser of the caller's sign-in. It gets them until the sign-in ends. A member has at
 * most 10 such browsers; the oldest makes room. A browser that another member turned on becomes the caller's. Throws
 * `not_found` where the site sends no push notifications, and when `replaces` is no address of the caller's sign-in:
 * the browser replaces an address by itself, and another member may be signed in then.
 */
export const putPushSubscription = defineOperation({
  id: "putPushSubscription",
  method: "PUT",
  path: "/v4/push_subscriptions",
  auth: "required",
  summary: "この端末でプッシュ通知を受け取る",
  body: z.object({
    endpoint: pushEndpoint,
    p256dh: z
      .string()
      .regex(/^B[\w-]{86}$/)
      .meta({ description: "ブラウザーの公開鍵（P-256、base64url）", examples: [PUBLIC_KEY] }),
    auth: z
      .string()
      .regex(/^[\w-]{22}$/)
      .meta({ description: "ブラウザーとの共有鍵（base64url）", examples: ["BTBZMqHH6r4Tts7J_aSIgg"] }),
    replaces: z
      .string()
      .max(1000)
      .meta({
        description: "ブラウザーが取り替えた、まえの送り先。この認証のものでなければ、登録しない",
        examples: ["https://updates.push.services.mozilla.com/wpush/v2/gAAAAABm"],
      })
      .optional(),
  }),
  status: 200,
  answer: z.object({ is_push_on: isPushOn }),
  errors: ["registration_required", "idempotency_key_reused"],
});

/**
 * Keeps push notifications on for a browser whose member has confirmed their identity, which opened another sign-in. Throws
 * `not_found` unless the former sign-in was the caller's and had them on.
 */
export const movePushSubscription = defineOperation({
  id: "movePushSubscription",
  method: "PUT",
  path: "/v4/push_subscriptions/sign_in",
  auth: "required",
  summary: "本人確認のあとも、この端末でプッシュ通知を受け取る",
  body: z.object({
    former_sign_in_id: z
      .string()
      .max(100)
      .meta({ description: "まえの認証のID", examples: ["01kaf2m8q3v7x1n5r9t4w6y8ze"] }),
  }),
  status: 204,
  answer: null,
  errors: ["registration_required", "idempotency_key_reused"],
});

/** Turns push notifications off for the browser of the caller's sign-in. Succeeds also where they are off. */
export const deletePushSubscription = defineOperation({
  id: "deletePushSubscription",
  method: "DELETE",
  path: "/v4/push_subscriptions",
  auth: "required",
  summary: "この端末でのプッシュ通知をやめる",
  status: 204,
  answer: null,
  errors: ["registration_required"],
});

const mailToken = z
  .string()
  .max(200)
  .meta({ description: "メールのリンクにある署名つきの印", examples: ["get_ofuse.01m7zvhtjmkdshhcvbmqvkbzqe.x"] });

const mailSettings = z
  .object({ topic: notificationTopic.meta({ description: "メールで知らせたもの" }), mail: settings.shape.mail })
  .meta({ id: "MailSettings", description: "お知らせのメールの受け取り方" });

export type MailSettings = z.output<typeof mailSettings>;

/** Reads what the receiver of a mail gets by mail. The link's signature is the proof, so it works without a log-in. */
export const getMailSettings = defineOperation({
  id: "getMailSettings",
  method: "GET",
  path: "/v4/mail_settings",
  auth: "none",
  summary: "メールのリンクから、お知らせのメールの受け取り方を取得",
  query: z.object({ token: mailToken }),
  status: 200,
  answer: mailSettings,
  errors: [],
});

/** Replaces the choices about mails. Source: RFC 8058; docs/decisions/0037. */
export const updateMailSettings = defineOperation({
  id: "updateMailSettings",
  method: "PUT",
  path: "/v4/mail_settings",
  auth: "none",
  summary: "メールのリンクから、お知らせのメールの受け取り方を変更する",
  body: z.object({
    token: mailToken,
    mail: settings.shape.mail
      .meta({ description: "メールで受け取るもの。なければ、リンクのメールの種類だけを止める" })
      .optional(),
  }),
  status: 200,
  answer: mailSettings,
  errors: [],
});
