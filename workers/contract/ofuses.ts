import { z } from "zod";
import { amount, currency, flag, id, pageAnswer, pageQuery, sortBy, time, userSummary } from "./fields.ts";
import { LETTER_BYTES, LETTER_GRAPHEMES } from "./graphemes.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/** Which side of a letter the caller is on. */
export const ofuseType = z.enum(["received", "sent"]);

/** A letter, seen by its sender or its receiver. `amount` is integer yen, 0 for a free one. */
export const ofuse = z.object({
  ofuse_id: id,
  type: ofuseType,
  paid: z.boolean(),
  amount,
  currency,
  message: z.string(),
  sender: userSummary,
  receiver: userSummary,
  is_public: z.boolean(),
  is_opened: z.boolean(),
  is_liked: z.boolean(),
  is_not_replied: z.boolean(),
  reply: z.object({ message: z.string(), created_at: time }).nullable(),
  created_at: time,
});
export type Ofuse = z.output<typeof ofuse>;

/** A letter its sender let everybody read, as on the receiver's page. */
export const publicOfuse = ofuse.pick({
  ofuse_id: true,
  paid: true,
  amount: true,
  currency: true,
  message: true,
  sender: true,
  is_liked: true,
  reply: true,
  created_at: true,
});
export type PublicOfuse = z.output<typeof publicOfuse>;

/** Source: decisions, "free ofuse": 200 graphemes and 8 kB. */
export const letterMessage = text({
  label: "メッセージ",
  max: LETTER_GRAPHEMES,
  max_bytes: LETTER_BYTES,
  lines: true,
});

/** A reply has the room of a comment. */
export const replyMessage = text({ label: "返信", max: 1000, max_bytes: 16_384, lines: true });

export const sendFreeOfuse = defineOperation({
  id: "sendFreeOfuse",
  method: "POST",
  path: "/v4/free_ofuses",
  auth: "required",
  summary: "無料のofuseを送る",
  body: z.object({ receiver_user_id: id, message: letterMessage, is_public: flag.default(false) }),
  status: 201,
  answer: z.object({ ofuse }),
  errors: [
    "registration_required",
    "cannot_ofuse_yourself",
    "free_ofuse_not_accepted",
    "free_ofuse_limit_reached",
    "idempotency_key_reused",
  ],
});

export const listOfuses = defineOperation({
  id: "listOfuses",
  method: "GET",
  path: "/v4/ofuses",
  auth: "required",
  summary: "レターボックス",
  query: z.object({
    ...pageQuery,
    type: ofuseType.default("received"),
    paid: flag.optional(),
    is_not_replied: flag.optional(),
    sort_by: sortBy.default("newest"),
  }),
  status: 200,
  answer: z.object({ ofuses: z.array(ofuse), ...pageAnswer }),
  errors: ["registration_required"],
});

export const getOfuse = defineOperation({
  id: "getOfuse",
  method: "GET",
  path: "/v4/ofuses/{ofuse_id}",
  auth: "required",
  summary: "ofuseを1通取得（送った人と受け取った人だけ）",
  params: z.object({ ofuse_id: id }),
  status: 200,
  answer: z.object({ ofuse }),
  errors: ["registration_required"],
});

/** The receiver opens a letter, or answers it once. */
export const updateOfuse = defineOperation({
  id: "updateOfuse",
  method: "PUT",
  path: "/v4/ofuses/{ofuse_id}",
  auth: "required",
  summary: "受け取ったofuseを既読にする、または返信する（返信は1通まで）",
  params: z.object({ ofuse_id: id }),
  body: z.union([z.object({ reply: replyMessage }), z.object({ is_opened: z.literal(true) })]),
  status: 200,
  answer: z.object({ ofuse }),
  errors: ["registration_required", "ofuse_already_replied", "idempotency_key_reused"],
});

export const likeOfuse = defineOperation({
  id: "likeOfuse",
  method: "POST",
  path: "/v4/ofuses/{ofuse_id}/like",
  auth: "required",
  summary: "受け取ったofuseに「いいね」を付ける、または外す",
  params: z.object({ ofuse_id: id }),
  body: z.object({ is_liked: flag.default(true) }),
  status: 200,
  answer: z.object({ is_liked: z.boolean() }),
  errors: ["registration_required", "idempotency_key_reused"],
});

export const listUserOfuses = defineOperation({
  id: "listUserOfuses",
  method: "GET",
  path: "/v4/users/{user_id}/ofuses",
  auth: "optional",
  summary: "公開されたofuseの一覧（新しい順）",
  params: z.object({ user_id: id }),
  query: z.object({
    /** The last `ofuse_id` already seen. */
    after: id.optional(),
    first: z.coerce.number().int().min(1).max(25).default(20),
  }),
  status: 200,
  answer: z.object({ ofuses: z.array(publicOfuse), has_next: z.boolean() }),
  errors: [],
});
