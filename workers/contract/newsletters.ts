import * as z from "zod";
import { ALT_GRAPHEMES, IMAGES_IN_A_POST, TITLE_GRAPHEMES } from "./bounds.ts";
import { type Block, document } from "./document.ts";
import { documentBody } from "./document-body.ts";
import { plainText } from "./document-text.ts";
import { count, flag, givenTime, id, image, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/** Which of their own newsletters a creator lists. Source: spec section 3, enumerations. */
export const newsletterListing = z.enum(["all", "published", "scheduled", "draft"]);
export type NewsletterListing = z.output<typeof newsletterListing>;
/** An audience: all followers, or only those who joined a plan. */
export const fanScope = z
  .enum(["fans", "memberships"])
  .meta({ id: "FanScope", description: "届ける相手（フォロワー全員、プランに入っている人）" });
export const newsletterStatus = z
  .enum(["draft", "scheduled", "published"])
  .meta({ id: "NewsletterStatus", description: "状態（下書き、配信予約、配信済み）", examples: ["scheduled"] });

/** A newsletter in its creator's list, without the body. Source: spec section 3, Newsletter. */
export const newsletterSummary = z
  .object({
    id,
    title: z.string().meta({ description: "タイトル。下書きでは空のこともある", examples: ["十一月の窓辺から"] }),
    is_draft: z.boolean().meta({ description: "下書きか" }),
    status: newsletterStatus,
    fan_scope: fanScope,
    membership_id: id.nullable().meta({ description: "届ける相手のプランのID", examples: [null] }),
    publish_at: time
      .nullable()
      .meta({ description: "配信の予定。下書きでは、書いた人の心づもり", examples: ["2026-11-25T11:00:00.000Z"] }),
    published_at: time.nullable().meta({ description: "配信した日時", examples: [null] }),
    created_at: time,
    updated_at: time.meta({ description: "最後に変更した日時" }),
  })
  .meta({ id: "NewsletterSummary", description: "ニュースレター（一覧）" });
export type NewsletterSummary = z.output<typeof newsletterSummary>;

/** The outcomes of a newsletter's mails. We do not count who opened it: no mail has a tracking pixel. */
const mailCounts = {
  receivers_count: count.meta({ description: "メールを送る相手の数", examples: [120] }),
  sent_count: count.meta({ description: "送信できた数", examples: [118] }),
  bounced_count: count.meta({ description: "宛先がなく、届かなかった数", examples: [2] }),
  unsubscribed_count: count.meta({
    description: "このメールから配信が停止された回数。再開したあとの停止も数える",
    examples: [1],
  }),
};

const ownNewsletterSummary = newsletterSummary
  .extend(mailCounts)
  .meta({ id: "OwnNewsletterSummary", description: "自分のニュースレター（一覧）" });
export type OwnNewsletterSummary = z.output<typeof ownNewsletterSummary>;

const newsletterAudience = z
  .object({
    membership_id: id.nullable().meta({ description: "プランのID。フォロワー全員のときは null", examples: [null] }),
    receivers_count: count.meta({ description: "いま配信すると、メールが届く人の数", examples: [14] }),
    has_readers: z.boolean().meta({ description: "いま配信すると、サイトで読める人がいるか", examples: [true] }),
  })
  .meta({ id: "NewsletterAudience", description: "ニュースレターを届けられる相手" });
export type NewsletterAudience = z.output<typeof newsletterAudience>;

const receivedNewsletter = z
  .object({
    id,
    user: userSummary,
    title: z.string().meta({ description: "タイトル", examples: ["十一月の窓辺から"] }),
    fan_scope: fanScope,
    published_at: time.meta({ description: "配信した日時" }),
  })
  .meta({ id: "ReceivedNewsletter", description: "届いたニュースレター（一覧）" });
export type ReceivedNewsletter = z.output<typeof receivedNewsletter>;

/** A newsletter as its reader opens it. When it is locked, it has its title and no byte of its body. */
const newsletter = newsletterSummary
  .extend({
    user: userSummary,
    is_locked: z.boolean().meta({ description: "呼び出した人には読めないか" }),
    body: z
      .string()
      .nullable()
      .meta({ description: "本文を文章だけにしたもの。読めないときは null", examples: ["こんにちは、なつめです。"] }),
    document: document.nullable().meta({ description: "本文。読めないときは null" }),
    images: z.array(image).meta({
      description: "本文で使う画像。書いた人には、まだ本文に入れていない画像も。読めないときは空",
    }),
  })
  .meta({ id: "Newsletter", description: "ニュースレター" });
export type Newsletter = z.output<typeof newsletter>;

const params = z.object({ id });

/** Blocks that a newsletter cannot hold: mailboxes play no sound, show no embeds, and know nobody's plan. */
const UNMAILABLE: ReadonlySet<Block["type"]> = new Set(["audio", "embed", "paywall"]);

/**
 * A picture of a newsletter. Mailboxes fetch it without a sign-in, so it is one that everybody may see who has its address
 * (`uploadImage`).
 */
const newsletterPicture = z.object({
  image_id: id,
  alt: text({ label: "画像の説明", max: ALT_GRAPHEMES, min: 0 })
    .default("")
    .meta({ examples: ["夜明けの海"] }),
});

/**
 * A complete newsletter as its writer sends it. A draft may be unfinished. `scheduled` requires a `publish_at` in the
 * future; `published` sends at once, which cannot be undone.
 */
const newsletterBody = z
  .object({
    title: text({ label: "タイトル", max: TITLE_GRAPHEMES, min: 0, is_label: true })
      .default("")
      .meta({ examples: ["十一月の窓辺から"] }),
    document: documentBody.default([]).meta({
      description: "本文（文章、見出し、箇条書き、引用、区切り線、画像だけ）",
      examples: [[{ type: "paragraph", content: [{ type: "text", text: "こんにちは、なつめです。" }] }]],
    }),
    images: z
      .array(newsletterPicture)
      .max(IMAGES_IN_A_POST, `画像は${IMAGES_IN_A_POST}枚までです。`)
      .default([])
      .meta({
        description: "自分でアップロードした、公開の画像。本文の画像は、すべてここにも入れる",
        examples: [[]],
      }),
    fan_scope: fanScope.default("fans"),
    membership_id: id
      .nullable()
      .default(null)
      .meta({ description: "届ける相手のプランのID（memberships のとき）", examples: [null] }),
    status: newsletterStatus.default("draft"),
    publish_at: givenTime
      .nullable()
      .default(null)
      .meta({ description: "配信の予定。下書きでは、書いた人の心づもりで、配信はされない", examples: [null] }),
  })
  .meta({ id: "NewsletterBody", description: "ニュースレターの内容" });
export type NewsletterBody = z.output<typeof newsletterBody>;

function refuseFaults(given: NewsletterBody, context: z.RefinementCtx): void {
  const addFault = (field: keyof NewsletterBody, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  const { title, document: blocks, images, fan_scope, membership_id, status, publish_at } = given;
  if (blocks.some(({ type }) => UNMAILABLE.has(type)))
    addFault("document", "ニュースレターには、音声、埋め込み、限定公開の線を入れられません。");
  const own = new Set(images.map(({ image_id }) => image_id));
  if (blocks.some((block) => block.type === "image" && !own.has(block.image_id)))
    addFault("document", "本文の画像が、画像の一覧にありません。");
  if ((fan_scope === "memberships") !== (membership_id !== null))
    addFault(
      "membership_id",
      membership_id === null ? "届けるプランを選んでください。" : "メンバーに届けるときだけ、プランを選べます。",
    );
  if (status === "scheduled" && publish_at === null) addFault("publish_at", "配信する日時を指定してください。");
  if (status === "published" && publish_at !== null)
    addFault("publish_at", "すぐに配信するときは、配信する日時を指定できません。");
  if (status === "draft") return;
  if (title === "") addFault("title", "タイトルを入力してください。");
  if (!blocks.some(({ type }) => type === "image") && plainText(blocks).trim() === "")
    addFault("document", "本文を入力してください。");
}

const contentErrors = [
  "image_not_usable",
  "registration_required",
  "idempotency_key_reused",
  "creator_required",
  "membership_not_found",
  "publish_at_passed",
  "newsletter_without_receivers",
  "newsletter_limit_reached",
  "too_many_requests",
] as const;

/** Only creators write newsletters. Source: spec section 6. */
export const createNewsletter = defineOperation({
  id: "createNewsletter",
  method: "POST",
  path: "/v4/news_letters",
  auth: "required",
  summary: "ニュースレターを作成する（下書き、配信予約、またはすぐに配信）",
  body: newsletterBody.superRefine(refuseFaults),
  status: 201,
  answer: z.object({ news_letter: newsletter }),
  errors: ["newsletters_paused", ...contentErrors, "draft_limit_reached"],
});

/** Lists what the caller may read now: of the people they follow, and for the plans they have joined. */
export const listNewsletters = defineOperation({
  id: "listNewsletters",
  method: "GET",
  path: "/v4/news_letters",
  auth: "required",
  summary: "届いたニュースレターの一覧（新しい順）",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ news_letters: z.array(receivedNewsletter), ...pageAnswer }),
  errors: ["registration_required"],
});

export const getNewsletter = defineOperation({
  id: "getNewsletter",
  method: "GET",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "ニュースレターを1通取得",
  params,
  status: 200,
  answer: z.object({ news_letter: newsletter }),
  errors: ["registration_required"],
});

/**
 * Replaces a draft or a scheduled newsletter. `status` schedules it, cancels the schedule (`draft`) or sends it. With
 * `seen_updated_at`, the call fails when another page has changed the newsletter since.
 */
export const updateNewsletter = defineOperation({
  id: "updateNewsletter",
  method: "PUT",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "ニュースレターを変更する（予約、取り消し、配信も）",
  params,
  missing_fields: "reset",
  body: newsletterBody
    .extend({
      seen_updated_at: givenTime
        .meta({ description: "読んだときの updated_at。あとから変更されていれば、変更されない" })
        .optional(),
    })
    .superRefine(refuseFaults),
  status: 200,
  answer: z.object({ news_letter: newsletter }),
  errors: ["newsletters_paused", ...contentErrors, "newsletter_published", "newsletter_conflict"],
});

export const deleteNewsletter = defineOperation({
  id: "deleteNewsletter",
  method: "DELETE",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "配信前のニュースレターを削除する",
  params,
  status: 204,
  answer: null,
  errors: ["registration_required", "newsletter_published"],
});

/** Mails the newsletter to its writer alone. The spec has no such call: docs/decisions/0036. */
export const testNewsletter = defineOperation({
  id: "testNewsletter",
  method: "POST",
  path: "/v4/news_letters/{id}/test",
  auth: "required",
  summary: "自分だけにテストメールを送る",
  params,
  status: 200,
  answer: z.object({ is_sent: z.literal(true) }),
  errors: ["registration_required", "idempotency_key_reused", "newsletter_empty", "too_many_requests"],
});

/** The mail of a newsletter as its receivers get it. The spec has no such call: docs/decisions/0036. */
export const previewNewsletter = defineOperation({
  id: "previewNewsletter",
  method: "GET",
  path: "/v4/news_letters/{id}/mail",
  auth: "required",
  summary: "メールの見本（書いた人だけ）",
  params,
  status: 200,
  answer: z.object({
    subject: z.string().meta({ description: "件名", examples: ["十一月の窓辺から｜なつめさんのニュースレター"] }),
    html: z.string().meta({ description: "HTMLの本文", examples: ['<!doctype html><html lang="ja"></html>'] }),
    text: z.string().meta({ description: "文章だけの本文", examples: ["こんにちは、なつめです。"] }),
  }),
  errors: ["registration_required"],
});

const stopToken = z
  .string()
  .max(200)
  .meta({ description: "メールのリンクにある署名つきの印", examples: ["01m7zvhtjmkdshhcvbmqvkbzqe.x"] });

const newsletterStops = z
  .object({
    creator_name: z.string().meta({ description: "クリエイターの名前", examples: ["なつめ"] }),
    is_stopped: z.boolean().meta({ description: "このクリエイターのニュースレターを停止しているか" }),
    is_all_stopped: z.boolean().meta({ description: "すべてのニュースレターを停止しているか" }),
    has_creator_left: z.boolean().meta({ description: "クリエイターが退会したか。再開はできない", examples: [false] }),
  })
  .meta({ id: "NewsletterStops", description: "ニュースレターのメールを受け取るか" });
export type NewsletterStops = z.output<typeof newsletterStops>;

/** Reads what the receiver of a mail has stopped. The link's signature is the proof, so it works without a log-in. */
export const getNewsletterStops = defineOperation({
  id: "getNewsletterStops",
  method: "GET",
  path: "/v4/news_letter_stops",
  auth: "none",
  summary: "メールのリンクから、配信停止の状態を取得",
  query: z.object({ token: stopToken }),
  status: 200,
  answer: newsletterStops,
  errors: [],
});

/** Stops or resumes newsletters by mail. A left-out field changes nothing. Source: RFC 8058; docs/decisions/0036. */
export const updateNewsletterStops = defineOperation({
  id: "updateNewsletterStops",
  method: "PUT",
  path: "/v4/news_letter_stops",
  auth: "none",
  summary: "メールのリンクから、配信を停止または再開する",
  missing_fields: "kept",
  body: z.object({
    token: stopToken,
    is_stopped: z
      .boolean()
      .meta({ description: "このクリエイターのものを停止するか", examples: [true] })
      .optional(),
    is_all_stopped: z
      .boolean()
      .meta({ description: "すべてを停止するか", examples: [false] })
      .optional(),
  }),
  status: 200,
  answer: newsletterStops,
  errors: [],
});

export const listOwnNewsletters = defineOperation({
  id: "listOwnNewsletters",
  method: "GET",
  path: "/v4/my/news_letters",
  auth: "required",
  summary: "自分のニュースレターの一覧（新しい順）と今月の残り回数（クリエイターでなければ空の一覧と0）",
  query: z.object({
    ...pageQuery,
    is_draft: flag
      .meta({ description: "true なら下書きだけ、false なら配信予約と配信済みだけ。なければすべて" })
      .optional(),
    listing: newsletterListing
      .meta({
        description:
          "並べるもの（すべて、配信済み、配信予約、下書き）。なければすべて。is_draft もあれば、両方に合うもの",
        examples: ["scheduled"],
      })
      .optional(),
    with_audiences: flag.default(false).meta({ description: "true なら、届けられる相手ごとの人数も返す" }),
  }),
  status: 200,
  answer: z.object({
    news_letters: z.array(ownNewsletterSummary),
    ...pageAnswer,
    remaining_count: count.meta({
      description: "今月（日本時間）あと何回配信できるか。配信予約も数える。クリエイターでなければ 0",
      examples: [3],
    }),
    audiences: z
      .array(newsletterAudience)
      .meta({ description: "届けられる相手と人数。with_audiences のとき" })
      .optional(),
  }),
  errors: ["registration_required"],
});
