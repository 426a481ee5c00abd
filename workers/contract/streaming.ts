import * as z from "zod";
import { NG_WORD_GRAPHEMES, NG_WORDS, TITLE_GRAPHEMES } from "./bounds.ts";
import { amount, count, day, time } from "./fields.ts";
import { groupDigits } from "./group-digits.ts";
import { STAMPS } from "./letter-choices.ts";
import { PAID_OFUSE_MAX_YEN } from "./limits.ts";
import { letterMessage } from "./ofuses.ts";
import { defineOperation } from "./operation.ts";
import {
  OVERLAY_ANIMATIONS,
  OVERLAY_SOUNDS,
  SHOWN_LETTERS,
  TIMELINE_ID_PREFIX,
  VOICE_SPEEDS,
} from "./overlay-names.ts";
import { urlKey } from "./radios.ts";
import { supportAmount } from "./support.ts";
import { text } from "./text.ts";

/**
 * Overlays: pages with a secret address that streaming software draws over a stream, and that show letters as they
 * arrive. Source: spec sections 3 and 7; docs/decisions/0045. The secret is sent as the key of a radio is, in the header
 * `URL-Restricted-Access-Key`.
 */

const stampId = z.enum(
  STAMPS.map(({ stamp_id }) => stamp_id),
  "スタンプを選び直してください。",
);
const numberWithin = (label: string, min: number, max: number) => {
  const sentence = `${label}は、${groupDigits(min)}から${groupDigits(max)}までの数字で入力してください。`;
  return z.int(sentence).min(min, sentence).max(max, sentence);
};
const color = z.string().regex(/^#[0-9a-f]{6}$/, "色を選び直してください。");

/** What an overlay shows and how. Each field has a default, so that stored settings may lack newer ones. */
export const overlaySettings = z
  .object({
    shown_letters: z
      .enum(SHOWN_LETTERS)
      .default("all")
      .meta({ description: "映すofuse（すべて、有料だけ、無料だけ）" }),
    min_amount: numberWithin("金額", 0, PAID_OFUSE_MAX_YEN)
      .default(0)
      .meta({ description: "この金額（円）以上の有料のofuseだけを映す。0 なら金額を問わない", examples: [0] }),
    stamp_ids: z
      .array(stampId)
      .max(STAMPS.length)
      .default([])
      .meta({ description: "このスタンプのofuseだけを映す。空ならスタンプを問わない", examples: [[]] }),
    hides_names: z
      .boolean()
      .default(false)
      .meta({ description: "送った人の名前とアイコンを隠すか", examples: [false] }),
    ng_words: z
      .array(text({ label: "NGワード", max: NG_WORD_GRAPHEMES, is_label: true }).meta({ examples: ["ネタバレ"] }))
      .max(NG_WORDS, `NGワードは${NG_WORDS}個までです。`)
      .default([])
      .meta({ description: "名前か本文に含むofuseを映さない言葉（全角・半角と大文字・小文字を区別しない）" }),
    animation: z.enum(OVERLAY_ANIMATIONS).default("slide").meta({ description: "現れかた" }),
    duration_seconds: numberWithin("表示する秒数", 3, 60)
      .default(8)
      .meta({ description: "1通を映す秒数", examples: [8] }),
    sound: z.enum(OVERLAY_SOUNDS).default("chime").meta({ description: "届いたときの音" }),
    volume: numberWithin("音量", 0, 100)
      .default(50)
      .meta({ description: "音と声の大きさ（0〜100）", examples: [50] }),
    is_read_aloud: z
      .boolean()
      .default(false)
      .meta({ description: "本文を声に出して読むか", examples: [false] }),
    voice_speed: z.enum(VOICE_SPEEDS).default("normal").meta({ description: "読む速さ" }),
    font_size: numberWithin("文字の大きさ", 16, 96)
      .default(36)
      .meta({ description: "文字の大きさ（px）", examples: [36] }),
    text_color: color.default("#ffffff").meta({ description: "文字の色", examples: ["#ffffff"] }),
    accent_color: color.default("#5ec4b6").meta({ description: "名前と金額の色", examples: ["#5ec4b6"] }),
    card_color: color.default("#14181d").meta({ description: "背景の色", examples: ["#14181d"] }),
    card_opacity: numberWithin("背景の濃さ", 0, 100)
      .default(85)
      .meta({ description: "背景の濃さ（0〜100）。0 なら背景なし", examples: [85] }),
    shows_latest: z
      .boolean()
      .default(false)
      .meta({ description: "今日いちばん新しいofuseを出しておくか", examples: [false] }),
    shows_best: z
      .boolean()
      .default(false)
      .meta({ description: "今日いちばん大きい支援を出しておくか", examples: [false] }),
    goal_title: text({ label: "目標の名前", min: 0, max: TITLE_GRAPHEMES, is_label: true })
      .default("")
      .meta({ examples: ["新しいマイク"] }),
    goal_amount: numberWithin("目標の金額", 1, 100_000_000)
      .nullable()
      .default(null)
      .meta({ description: "目標の金額（円）。なければ null で、目標を出さない", examples: [30_000] }),
    goal_from: day
      .nullable()
      .default(null)
      .meta({ description: "この日（日本時間）からの支援を数える。null ならはじめから", examples: ["2026-11-20"] }),
  })
  .meta({ description: "配信画面の設定" });
export type OverlaySettings = z.output<typeof overlaySettings>;

const letterNumber = count.meta({ description: "届いた順の番号", examples: [42] });

/** A letter as viewers of the stream see it. Words and amount of a letter that is not public stay private. */
export const overlayLetter = z
  .object({
    number: letterNumber,
    is_test: z.boolean().meta({ description: "試しに送ったものか", examples: [false] }),
    is_paid: z.boolean().meta({ description: "有料かどうか", examples: [true] }),
    amount: amount.nullable().meta({ description: "金額（円）。公開された有料のofuseにだけ", examples: [550] }),
    message: z
      .string()
      .nullable()
      .meta({ description: "本文。公開されていなければ null", examples: ["配信、楽しんでいます。"] }),
    sender_name: z
      .string()
      .nullable()
      .meta({ description: "送った人の名前。匿名か、名前を隠す設定なら null", examples: ["たろう"] }),
    icon_url: z
      .string()
      .nullable()
      .meta({ description: "送った人のアイコンのパス", examples: ["/media/01kaf3b5c7d9f1g3h5j7k9m1np/medium"] }),
    stamp: z
      .object({
        stamp_id: stampId.meta({ description: "スタンプ", examples: ["thanks"] }),
        name: z.string().meta({ description: "スタンプの名前", examples: ["ありがとう"] }),
      })
      .nullable()
      .meta({ description: "スタンプ。なければ null" }),
    created_at: time,
  })
  .meta({ id: "OverlayLetter", description: "配信画面に映すofuse" });
export type OverlayLetter = z.output<typeof overlayLetter>;

const goal = z
  .object({
    title: z.string().meta({ description: "目標の名前", examples: ["新しいマイク"] }),
    amount: amount.meta({ description: "目標の金額（円）", examples: [30_000] }),
    total: z
      .int()
      .min(0)
      .meta({ description: "これまでの合計（円）。試しのofuseは数えない", examples: [12_100] }),
  })
  .meta({ id: "OverlayGoal", description: "目標と、これまでの合計" });
export type OverlayGoal = z.output<typeof goal>;

/** What an overlay learns at once: the letters after a number, and what is beside them. */
export const overlayNews = z.object({
  letters: z.array(overlayLetter).meta({ description: "映すofuse（届いた順、100件まで）" }),
  last_number: letterNumber.meta({ description: "ここまでの番号。次は after に渡す", examples: [42] }),
  goal: goal.nullable().meta({ description: "目標。なければ null" }),
  latest: overlayLetter.nullable().meta({ description: "今日いちばん新しいofuse" }),
  best: overlayLetter.nullable().meta({ description: "今日の公開されたofuseのうち、金額がいちばん大きいもの" }),
});
export type OverlayNews = z.output<typeof overlayNews>;

/** Reads an overlay by its token. A wrong or replaced token is `not_found`. */
export const getOverlay = defineOperation({
  id: "getOverlay",
  method: "GET",
  path: "/v4/overlay",
  auth: "none",
  takes_url_key: true,
  summary: "配信画面の内容を取得",
  query: z.object({
    after: z.coerce
      .number()
      .int()
      .min(0)
      .max(1_000_000_000)
      .optional()
      .meta({ description: "この番号よりあとに届いたもの。なければ新しいほうから50件", examples: [42] }),
  }),
  status: 200,
  answer: overlayNews.extend({ settings: overlaySettings }),
  errors: ["too_many_requests"],
});

/** A page that is open somewhere, and shows letters. */
const openOverlay = z
  .object({
    kind: z.enum(["alerts", "timeline"]).meta({ description: "通知の画面か、タイムラインか", examples: ["alerts"] }),
    opened_at: time.meta({ description: "開いた日時" }),
    seen_at: time.meta({ description: "最後に合図があった日時" }),
  })
  .meta({ id: "OpenOverlay", description: "いま開いている配信画面" });

export const getStreaming = defineOperation({
  id: "getStreaming",
  method: "GET",
  path: "/v4/my/streaming",
  auth: "required",
  summary: "配信画面の設定と、いま開いている配信画面",
  status: 200,
  answer: z.object({
    settings: overlaySettings,
    token_created_at: time.nullable().meta({ description: "アドレスを作った日時。まだなければ null" }),
    open_overlays: z.array(openOverlay).meta({ description: "いま開いている配信画面" }),
    goal: goal.nullable().meta({ description: "目標。なければ null" }),
  }),
  errors: ["registration_required"],
});

/** Replaces all settings. Open overlays take them over at once. */
export const updateStreaming = defineOperation({
  id: "updateStreaming",
  method: "PUT",
  path: "/v4/my/streaming",
  auth: "required",
  summary: "配信画面の設定を変更する",
  missing_fields: "reset",
  body: overlaySettings,
  status: 200,
  answer: z.object({ settings: overlaySettings }),
  errors: ["registration_required", "idempotency_key_reused", "too_many_requests"],
});

/** Replaces the token. A repeated call with the same Idempotency-Key gets no token. */
export const updateTimelineToken = defineOperation({
  id: "updateTimelineToken",
  method: "PUT",
  path: "/v4/timeline_token",
  auth: "required",
  summary: "配信画面のトークンを作る、または作り直す",
  status: 200,
  answer: z.object({
    token: urlKey.nullable().meta({
      description: "アドレスに入る秘密の文字。作った応答にだけある",
      examples: ["q2Zt0cN5yVd8Rk1LwXo7Bg"],
    }),
    created_at: time.meta({ description: "作った日時" }),
  }),
  errors: ["registration_required", "idempotency_key_reused", "too_many_requests"],
});

/** The overlay itself calls this every 30 seconds. Its token is all that it has. */
export const updateLiveHeartbeat = defineOperation({
  id: "updateLiveHeartbeat",
  method: "PUT",
  path: "/v4/live_heartbeat",
  auth: "none",
  summary: "配信画面が開いていることを知らせる",
  query: z.object({
    id: z
      .string()
      .regex(/^[\w-]{1,128}$/, "配信画面のIDの形式が正しくありません。")
      .meta({
        description: `配信画面のID。${TIMELINE_ID_PREFIX} で始まるものは、タイムライン`,
        examples: ["overlay-1"],
      }),
    token: z
      .string()
      .min(1)
      .max(256)
      .meta({ description: "配信画面のトークン", examples: ["q2Zt0cN5yVd8Rk1LwXo7Bg"] }),
  }),
  status: 204,
  answer: null,
  errors: ["too_many_requests"],
});

/** Shows a letter on the caller's overlays, and nowhere else. `not_found` before the caller has made a token. */
export const sendTestOfuse = defineOperation({
  id: "sendTestOfuse",
  method: "POST",
  path: "/v4/test_ofuses",
  auth: "required",
  summary: "配信画面の確認用に、試しのofuseを送る",
  body: z.object({
    amount: z
      .union([z.literal(0), supportAmount])
      .default(0)
      .meta({ description: "金額（円）。0 なら無料のofuse", examples: [550] }),
    message: letterMessage
      .default("配信、楽しんでいます。いつもありがとうございます！")
      .meta({ examples: ["配信、楽しんでいます。"] }),
    stamp_id: stampId
      .nullable()
      .default(null)
      .meta({ description: "スタンプ", examples: ["cheer"] }),
  }),
  status: 204,
  answer: null,
  errors: ["registration_required", "idempotency_key_reused", "too_many_requests"],
});
