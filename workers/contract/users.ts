import { z } from "zod";
import { eventSummary } from "./events.ts";
import { flag, id, image, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

export const LINK_ID = /^[a-z0-9_]{3,32}$/;

export const externalLink = z.object({ external_site_id: z.string(), url: z.url({ protocol: /^https$/ }) });

/** A person as anybody may see them. `is_followed` is the caller's own relation; false for a visitor. */
export const user = userSummary.extend({
  bio: z.string(),
  cover_image: image.nullable(),
  followers_count: z.int(),
  followings_count: z.int(),
  external_links: z.array(externalLink),
  genre_ids: z.array(z.string()),
  accepts_free_ofuses: z.boolean(),
  is_followed: z.boolean(),
  created_at: time,
});
export type User = z.output<typeof user>;

/** A person as they see themselves. Source: spec section 3, User. */
export const profile = user.extend({
  default_name: z.string().nullable(),
  email: z.string().nullable(),
  email_invalid: z.boolean(),
});
export type Profile = z.output<typeof profile>;

const name = text({ label: "名前", max: 50 });

export const registrationBody = z.object({ default_name: name });

export const getProfile = defineOperation({
  id: "getProfile",
  method: "GET",
  path: "/v4/profile",
  auth: "required",
  summary: "自分のプロフィール",
  status: 200,
  answer: z.object({ user: profile }),
  errors: ["registration_required"],
});

export const createProfile = defineOperation({
  id: "createProfile",
  method: "POST",
  path: "/v4/profile",
  auth: "required",
  summary: "アカウント登録",
  body: registrationBody,
  status: 201,
  answer: z.object({ user: profile }),
  errors: ["profile_already_exists", "email_unverified", "idempotency_key_reused"],
});

export const updateProfile = defineOperation({
  id: "updateProfile",
  method: "PUT",
  path: "/v4/profile",
  auth: "required",
  summary: "プロフィールの変更",
  body: z.object({
    name: name.optional(),
    default_name: name.optional(),
    bio: text({ label: "自己紹介", max: 1000, min: 0, lines: true }).optional(),
    accepts_free_ofuses: z.boolean().optional(),
    /** Takes over the token's proven address, which ends `email_invalid`. Sent after a mail has been confirmed. */
    email_confirmed: z.literal(true).optional(),
  }),
  status: 200,
  answer: z.object({ user: profile }),
  errors: ["registration_required", "email_unverified", "idempotency_key_reused"],
});

export const getUser = defineOperation({
  id: "getUser",
  method: "GET",
  path: "/v4/users",
  auth: "optional",
  summary: "ユーザーを1人取得（user_id または link_id）",
  query: z
    .object({
      user_id: id.optional(),
      link_id: z.string().max(64).optional(),
      with_events: flag.default(false),
    })
    .refine((query) => (query.user_id === undefined) !== (query.link_id === undefined), {
      path: ["link_id"],
      error: "user_id か link_id のどちらか一方を指定してください。",
    }),
  status: 200,
  answer: z.object({ user, events: z.array(eventSummary).optional() }),
  errors: [],
});

export const recommendUsers = defineOperation({
  id: "recommendUsers",
  method: "GET",
  path: "/v4/users/recommend",
  auth: "optional",
  summary: "おすすめのクリエイター",
  query: z.object({ limit: z.coerce.number().int().min(1).max(25).default(6) }),
  status: 200,
  answer: z.object({ users: z.array(user) }),
  errors: [],
});
