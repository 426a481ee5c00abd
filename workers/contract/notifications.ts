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
    actor: userSummary.nullable().meta({ description: "お知らせのもとになった人" }),
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
