import * as z from "zod";
import {
  BIO_GRAPHEMES,
  EXTERNAL_LINKS,
  FIRST_BIRTH_YEAR,
  GENRES_OF_A_PERSON,
  NAME_GRAPHEMES,
  URL_LENGTH,
} from "./bounds.ts";
import { eventSummary } from "./events.ts";
import { count, countUpTo, flag, id, image, time, userSummary, wordId } from "./fields.ts";
import { joinedPlan } from "./memberships.ts";
import { nameRefusal } from "./names.ts";
import { mailLanguage } from "./notifications.ts";
import { defineOperation } from "./operation.ts";
import { cleanAddress, text } from "./text.ts";

const BIO = "水彩でねこと海を描いています。";

export const LINK_ID = /^[a-z0-9_]{3,32}$/;

export const externalLink = z
  .object({
    external_site_id: wordId.meta({ examples: ["website"] }),
    url: z.url({ protocol: /^https$/ }).meta({ description: "https のURL", examples: ["https://natsume.example/"] }),
  })
  .meta({ id: "ExternalLink", description: "外部サイトへのリンク" });

/** A person as anybody may see them. `is_followed` and `is_blocked` are about the caller, and false for a visitor. */
export const user = userSummary
  .extend({
    bio: z.string().meta({ description: "自己紹介", examples: [BIO] }),
    cover_image: image.nullable().meta({ description: "カバー画像" }),
    followers_count: count.meta({ description: "フォロワーの数" }),
    followings_count: count.meta({ description: "フォロー中の数", examples: [12] }),
    external_links: z.array(externalLink),
    genre_ids: z.array(wordId.meta({ examples: ["illustration"] })),
    accepts_free_ofuses: z.boolean().meta({ description: "無料のofuseを受け付けるか", examples: [true] }),
    is_followed: z.boolean().meta({ description: "呼び出した人がフォローしているか" }),
    is_blocked: z.boolean().meta({ description: "呼び出した人がブロックしているか" }),
    created_at: time,
  })
  .meta({ id: "User", description: "ユーザー" });
export type User = z.output<typeof user>;

/** A person as they see themselves. Source: spec section 3, User. */
export const profile = user
  .extend({
    default_name: z
      .string()
      .nullable()
      .meta({ description: "登録したときの表示名", examples: ["なつめ"] }),
    email: z
      .string()
      .nullable()
      .meta({ description: "メールアドレス", examples: ["natsume@mail.example"] }),
    email_invalid: z.boolean().meta({ description: "このアドレスにメールが届かないか" }),
    birth_year: z
      .int()
      .nullable()
      .meta({ description: "生まれた年（西暦）。登録のときに聞いていない人は null", examples: [1998] }),
    mail_language: mailLanguage,
  })
  .meta({ id: "Profile", description: "本人から見たユーザー" });
export type Profile = z.output<typeof profile>;

/** A name that may be stored already. A new name must also pass {@link nameRefusal}. */
const name = text({ label: "表示名", max: NAME_GRAPHEMES }).meta({ examples: ["なつめ"] });

const newName = name.superRefine((value, context) => {
  const message = nameRefusal(value);
  if (message) context.addIssue({ code: "custom", message });
});

const WRONG_BIRTH_YEAR = `生まれた年は、${FIRST_BIRTH_YEAR}年から今年までの西暦を、数字で入力してください。`;

/**
 * Optional in the contract, because older callers do not send it. The registration form requires it
 * (docs/decisions/0019).
 */
const birth_year = z
  .int({
    error: ({ input }) => (input === undefined ? "生まれた年を入力してください。" : WRONG_BIRTH_YEAR),
  })
  .min(FIRST_BIRTH_YEAR, WRONG_BIRTH_YEAR)
  .max(2200, WRONG_BIRTH_YEAR)
  .meta({ description: "生まれた年（西暦）", examples: [1998] });

const guardian_consent = z
  .literal(true)
  .meta({ description: "保護者の同意を得ているか。18歳未満の人には必要", examples: [true] });

const registrationBody = z.object({
  default_name: newName,
  birth_year: birth_year.optional(),
  guardian_consent: guardian_consent.optional(),
});

/** A person's name in addresses. The call decides which names are reserved or taken. */
const linkId = z
  .string("ユーザーIDを入力してください。")
  .overwrite(cleanAddress)
  .regex(LINK_ID, "ユーザーIDは、半角の英小文字、数字、アンダーバーで3〜32文字にしてください。")
  .meta({ description: "公開ページの名前（/{link_id}）", examples: ["natsume"] });

const ownImageId = (description: string) =>
  id.nullable().meta({ description: `${description}（/v4/images で送った自分の画像）。なくすには null` });

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
  is_sensitive: true,
  summary: "アカウント登録",
  body: registrationBody,
  status: 201,
  answer: z.object({ user: profile }),
  errors: [
    "registrations_paused",
    "profile_already_exists",
    "email_unverified",
    "under_age",
    "guardian_consent_required",
    "idempotency_key_reused",
  ],
});

export const updateProfile = defineOperation({
  id: "updateProfile",
  method: "PUT",
  path: "/v4/profile",
  auth: "required",
  is_sensitive: true,
  summary: "プロフィールの変更",
  /**
   * A name that stays the same need not pass {@link nameRefusal}, so that a person with an older name can change the
   * other fields.
   */
  missing_fields: "kept",
  body: z.object({
    name: name.optional(),
    default_name: name.optional(),
    bio: text({ label: "自己紹介", max: BIO_GRAPHEMES, min: 0, lines: true })
      .meta({ examples: [BIO] })
      .optional(),
    accepts_free_ofuses: z
      .boolean()
      .meta({ description: "無料のofuseを受け付けるか", examples: [true] })
      .optional(),
    /** Copies the token's proven address and ends `email_invalid`. The app sends it after a person confirmed a mail. */
    email_confirmed: z.literal(true).meta({ description: "確認済みのアドレスをトークンから引き継ぐ" }).optional(),
    icon_image_id: ownImageId("アイコン").optional(),
    cover_image_id: ownImageId("カバー画像").optional(),
    /** The old link_id redirects to the new one for 90 days, and nobody else can take it: docs/decisions/0019. */
    link_id: linkId.optional(),
    /** The year of birth can be given once. */
    birth_year: birth_year.optional(),
    guardian_consent: guardian_consent.optional(),
  }),
  status: 200,
  answer: z.object({ user: profile }),
  errors: [
    "registration_required",
    "email_unverified",
    "name_not_usable",
    "image_not_usable",
    "link_id_reserved",
    "link_id_taken",
    "link_id_change_limit_reached",
    "birth_year_already_given",
    "under_age",
    "guardian_consent_required",
    "idempotency_key_reused",
  ],
});

/**
 * A recently given-up link_id finds its former owner: the answer's `link_id` then differs from the one asked for. A
 * person who left is not found.
 */
export const getUser = defineOperation({
  id: "getUser",
  method: "GET",
  path: "/v4/users",
  auth: "optional",
  summary: "ユーザーを1人取得（user_id または link_id）",
  query: z
    .object({
      user_id: id.optional(),
      link_id: z
        .string()
        .max(64)
        .meta({ description: "公開ページの名前", examples: ["natsume"] })
        .optional(),
      with_events: flag.meta({ description: "最近の投稿も返すか" }).default(false),
    })
    .refine((query) => (query.user_id === undefined) !== (query.link_id === undefined), {
      path: ["link_id"],
      error: "user_id か link_id のどちらか一方を指定してください。",
    }),
  status: 200,
  answer: z.object({
    user,
    events: z.array(eventSummary).optional(),
    free_ofuses_left: z
      .int()
      .nonnegative()
      .nullable()
      .meta({
        description:
          "呼び出した人が今日この相手へ送れる無料のofuseの残り。ログインしていないとき、自分自身のときは null",
        examples: [2],
      }),
    joined_plans: z.array(joinedPlan).meta({ description: "呼び出した人が加入している、この人のプラン" }),
    on_air_radio: z
      .object({
        radio_id: id,
        title: z.string().meta({ description: "タイトル", examples: ["夜ふかし缶詰"] }),
      })
      .nullable()
      .meta({ description: "この人がいま放送しているラジオ。URLを知っている人だけのものは除く", examples: [null] }),
  }),
  errors: [],
});

export const recommendUsers = defineOperation({
  id: "recommendUsers",
  method: "GET",
  path: "/v4/users/recommend",
  auth: "optional",
  summary: "おすすめのクリエイター",
  query: z.object({ limit: countUpTo(25, 6).meta({ description: "件数" }) }),
  status: 200,
  answer: z.object({ users: z.array(user) }),
  errors: [],
});

export const updateExternalLinks = defineOperation({
  id: "updateExternalLinks",
  method: "PUT",
  path: "/v4/external_links",
  auth: "required",
  summary: "外部リンクを変更する",
  /**
   * Replaces all links, in the given order. A named site takes only its own addresses; `website` takes any. With
   * `seen_external_links`, the call fails when another page has changed the links since.
   */
  body: z.object({
    external_links: z
      .array(
        z.object({
          external_site_id: wordId.meta({ examples: ["website"] }),
          url: z
            .url({ protocol: /^https$/, error: "https:// で始まるURLを入力してください。" })
            .max(URL_LENGTH, `URLは${URL_LENGTH}文字以内で入力してください。`)
            .refine(isPlainAddress, "https:// で始まるURLを入力してください。")
            .meta({ description: "https のURL", examples: ["https://natsume.example/"] }),
        }),
      )
      .max(EXTERNAL_LINKS, `リンクは${EXTERNAL_LINKS}件までです。`),
    seen_external_links: z
      .array(externalLink)
      .meta({ description: "読んだときの external_links。あとから変更されていれば、変更されない" })
      .optional(),
  }),
  status: 200,
  answer: z.object({ external_links: z.array(externalLink) }),
  errors: ["registration_required", "external_link_not_usable", "external_links_conflict", "idempotency_key_reused"],
});

/**
 * Whether an address uses TLS and a host name with a dot, and holds no user name or password, which could disguise the
 * host.
 */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return protocol === "https:" && username === "" && password === "" && /\.[a-z][a-z0-9-]*$/i.test(hostname);
}

export const updateGenres = defineOperation({
  id: "updateGenres",
  method: "PUT",
  path: "/v4/genres",
  auth: "required",
  summary: "自分のジャンルを変更する",
  body: z.object({
    genre_ids: z
      .array(wordId.meta({ examples: ["illustration"] }))
      .max(GENRES_OF_A_PERSON, `ジャンルは${GENRES_OF_A_PERSON}つまで選べます。`),
  }),
  status: 200,
  answer: z.object({ genre_ids: z.array(wordId.meta({ examples: ["illustration"] })) }),
  errors: ["registration_required", "genre_not_found", "idempotency_key_reused"],
});
