import * as z from "zod";
import {
  LETTER_BYTES,
  LETTER_GRAPHEMES,
  NAME_GRAPHEMES,
  PAID_LETTER_BYTES,
  REPLY_BYTES,
  REPLY_GRAPHEMES,
} from "./bounds.ts";
import {
  amount,
  countUpTo,
  currency,
  flag,
  id,
  MAX_ANONYMOUS_PAGE_SIZE,
  MAX_PAGE_SIZE,
  PAGE_SIZE,
  pageAnswer,
  pageQuery,
  removalId,
  searchedWords,
  sortBy,
  time,
  userSummary,
  wordId,
} from "./fields.ts";
import { groupDigits } from "./group-digits.ts";
import { DONATION_PERCENTS, LETTER_APPEARANCES, STAMPS } from "./letter-choices.ts";
import { likeBody } from "./likes.ts";
import { PAID_OFUSE_MAX_YEN, YEN_PER_CHARACTER } from "./limits.ts";
import { isGuestName, nameRefusal } from "./names.ts";
import { defineOperation } from "./operation.ts";
import { countPaidCharacters } from "./paid-characters.ts";
import { donation, openedCheckout, replacedSession, supportAmount } from "./support.ts";
import { emailAddress, text } from "./text.ts";

/** The message that the examples use. */
const LETTER = "いつも素敵な絵をありがとうございます。";
const REPLY = "読んでくださってうれしいです。これからも描きます。";

/** The caller's side of a letter. */
export const ofuseType = z
  .enum(["received", "sent"])
  .meta({ id: "OfuseType", description: "受け取ったものか、送ったものか" });

/** The order of a letter box: the usual ones, or unread letters first. Letters sent have no such order: newest first. */
export const boxOrder = z
  .enum([...sortBy.options, "unread"])
  .meta({ id: "BoxOrder", description: "並び順。unread は、届いたofuseの未読が先" });

/** The filters of a letter box besides its type. */
const boxFilter = {
  paid: flag.optional(),
  is_not_replied: flag.optional(),
  sort_by: boxOrder.default("newest"),
  keyword: searchedWords
    .meta({
      description: "本文、返信、相手の名前から探す言葉。空白で区切るとすべてを含むもの",
      examples: ["個展"],
    })
    .optional(),
};

const stampId = z.enum(
  STAMPS.map(({ stamp_id }) => stamp_id),
  "スタンプを選び直してください。",
);
const letterAppearanceId = z.enum(
  LETTER_APPEARANCES.map(({ letter_appearance_id }) => letter_appearance_id),
  "便せんを選び直してください。",
);

/** What a sender may choose for a letter. */
const letterLooks = {
  stamp_id: stampId
    .nullable()
    .default(null)
    .meta({ description: "スタンプ（listStamps）", examples: ["thanks"] }),
  letter_appearance_id: letterAppearanceId
    .nullable()
    .default(null)
    .meta({ description: "便せん（listLetterAppearances）", examples: ["sakura"] }),
};

/** A letter as its sender or its receiver sees it. `amount` is integer yen, 0 for a free letter. */
export const ofuse = z
  .object({
    ofuse_id: id,
    type: ofuseType,
    paid: z.boolean().meta({ description: "有料かどうか" }),
    amount: amount.meta({ description: "金額（円、整数）。無料なら0", examples: [0] }),
    currency,
    message: z.string().meta({ description: "本文", examples: [LETTER] }),
    stamp_id: stampId.nullable().meta({ description: "スタンプ。なければ null", examples: ["thanks"] }),
    letter_appearance_id: letterAppearanceId.nullable().meta({
      description: "便せん。なければ null。有料のofuseで便せんを使ったものが、ファンレター",
      examples: ["sakura"],
    }),
    sender: userSummary
      .nullable()
      .meta({ description: "送った人。受け取った人から見た匿名のofuseと、ゲストのofuseでは null" }),
    sender_name: z.string().meta({
      description: "送った人の名前。sender が null なら「匿名」か、ゲストの名乗った名前（なければ「ゲスト」）",
      examples: ["たろう"],
    }),
    is_anonymous: z.boolean().meta({ description: "送った人が名前を伏せたか", examples: [false] }),
    is_guest: z.boolean().meta({
      description: "ゲストが送り、まだ自分のアカウントに残していないか。残すまで、返信はゲストに届かない",
      examples: [false],
    }),
    receiver: userSummary.meta({ description: "受け取った人" }),
    is_public: z.boolean().meta({ description: "送った人が公開したか" }),
    is_hidden: z.boolean().meta({
      description: "受け取った人が、公開されたofuseを自分のページから外したか。受け取った人にだけわかる",
    }),
    is_opened: z.boolean().meta({ description: "受け取った人が開いたか", examples: [true] }),
    is_liked: z.boolean().meta({ description: "受け取った人が「いいね」を付けたか", examples: [true] }),
    is_not_replied: z.boolean().meta({ description: "まだ返信がないか" }),
    reply: z
      .object({ message: z.string().meta({ description: "返信の本文", examples: [REPLY] }), created_at: time })
      .nullable()
      .meta({ description: "返信" }),
    donation: donation.nullable().meta({ description: "寄付に回した分。していなければ null", examples: [null] }),
    refund_state: z
      .enum(["refunded", "disputed"])
      .nullable()
      .meta({
        description: "支払いが返金されたか、カード会社への異議の申し立てを確認中か。どちらでもなければ null",
        examples: [null],
      }),
    created_at: time,
  })
  .meta({ id: "Ofuse", description: "ofuse（送った人と受け取った人から見たもの）" });
export type Ofuse = z.output<typeof ofuse>;

/**
 * The fields that a sender writes, each stored in the column of the same name. The API stores, presents and exports the
 * fields of this list. The compiler refuses a field of {@link ofuse} that is neither in this list nor presented.
 */
export const WRITTEN_FIELDS = [
  "message",
  "stamp_id",
  "letter_appearance_id",
] as const satisfies readonly (keyof Ofuse)[];

/** A letter that its sender made public, as the receiver's page shows it: without its amount (docs/decisions/0030). */
export const publicOfuse = ofuse
  .pick({
    ofuse_id: true,
    paid: true,
    message: true,
    stamp_id: true,
    letter_appearance_id: true,
    sender: true,
    sender_name: true,
    is_liked: true,
    is_hidden: true,
    reply: true,
    created_at: true,
  })
  .meta({ id: "PublicOfuse", description: "公開されたofuse" });
export type PublicOfuse = z.output<typeof publicOfuse>;

export const letterMessage = text({
  label: "メッセージ",
  max: LETTER_GRAPHEMES,
  max_bytes: LETTER_BYTES,
  lines: true,
}).meta({ examples: [LETTER] });

export const replyMessage = text({
  label: "返信",
  max: REPLY_GRAPHEMES,
  max_bytes: REPLY_BYTES,
  lines: true,
}).meta({ examples: [REPLY] });

export const sendFreeOfuse = defineOperation({
  id: "sendFreeOfuse",
  method: "POST",
  path: "/v4/free_ofuses",
  auth: "required",
  has_keys_of_words: true,
  summary: "無料のofuseを送る",
  body: z.object({
    receiver_user_id: id.meta({ description: "受け取る人のID" }),
    message: letterMessage,
    ...letterLooks,
    is_public: flag.meta({ description: "受け取る人のページで公開するか" }).default(false),
  }),
  status: 201,
  answer: z.object({
    ofuse,
    reaction: z
      .string()
      .nullable()
      .meta({ description: "受け取った人が設定しているお礼の言葉", examples: ["読みました。ありがとう！"] }),
  }),
  errors: [
    "registration_required",
    "blocked",
    "cannot_ofuse_yourself",
    "free_ofuse_not_accepted",
    "free_ofuse_limit_reached",
    "daily_ofuse_limit_reached",
    "daily_public_ofuse_limit_reached",
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
    ...boxFilter,
    // An opened letter moves behind all unread ones, so a list after it leaves these out.
    after: id
      .meta({
        description:
          "このofuseのあとから。続きを読むときに、page_number の代わりに使う。未読を先にする並び順では、そのofuseが既読になると残りの未読を飛ばす",
      })
      .optional(),
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
  query: z.object({
    neighbors_in: ofuseType.optional().meta({ description: "この箱での、絞り込みと並び順の中の前と次のofuseも返す" }),
    ...boxFilter,
  }),
  status: 200,
  answer: z.object({
    ofuse,
    neighbors: z
      .object({
        previous_ofuse_id: id.nullable().meta({ description: "一覧でひとつ前のofuse" }),
        next_ofuse_id: id.nullable().meta({ description: "一覧でひとつ次のofuse" }),
        next_unread_ofuse_id: id.nullable().meta({ description: "ほかの未読のofuseのうち、いちばん新しいもの" }),
      })
      .nullable()
      .meta({ description: "前後のofuse。このofuseが neighbors_in の箱になければ null" }),
    removal_id: removalId,
  }),
  errors: ["registration_required"],
});

/** The receiver opens a letter, replies to it once, or hides a public letter from their page and shows it again. */
export const updateOfuse = defineOperation({
  id: "updateOfuse",
  method: "PUT",
  path: "/v4/ofuses/{ofuse_id}",
  auth: "required",
  summary: "受け取ったofuseを既読にする、返信する（1通まで）、または自分のページから外す・戻す",
  params: z.object({ ofuse_id: id }),
  // Strict: a body with two changes must not make one of them and lose the other.
  body: z.union([
    z.strictObject({ reply: replyMessage }),
    z.strictObject({ is_opened: z.literal(true) }),
    z.strictObject({ is_hidden: z.boolean() }),
  ]),
  status: 200,
  answer: z.object({ ofuse }),
  errors: ["registration_required", "blocked", "ofuse_already_replied", "idempotency_key_reused"],
});

export const likeOfuse = defineOperation({
  id: "likeOfuse",
  method: "POST",
  path: "/v4/ofuses/{ofuse_id}/like",
  auth: "required",
  summary: "受け取ったofuseに「いいね」を付ける、または外す",
  params: z.object({ ofuse_id: id }),
  body: likeBody.pick({ is_liked: true }),
  status: 200,
  answer: z.object({ is_liked: z.boolean() }),
  errors: ["registration_required", "blocked", "daily_like_limit_reached", "idempotency_key_reused"],
});

export const listUserOfuses = defineOperation({
  id: "listUserOfuses",
  method: "GET",
  path: "/v4/users/{user_id}/ofuses",
  auth: "optional",
  summary: "公開されたofuseの一覧（新しい順）",
  params: z.object({ user_id: id }),
  query: z.object({
    after: id.meta({ description: "最後に読んだofuse_id" }).optional(),
    first: countUpTo(MAX_PAGE_SIZE, PAGE_SIZE).meta({
      description: `件数（トークンがなければ${MAX_ANONYMOUS_PAGE_SIZE}件まで）`,
    }),
  }),
  status: 200,
  answer: z.object({ ofuses: z.array(publicOfuse), has_next: pageAnswer.has_next }),
  errors: [],
});

/** Returns how many characters an amount pays for. Source: product decisions, "Money". */
export const charactersFor = (amount_yen: number): number => Math.floor(amount_yen / YEN_PER_CHARACTER);

/** Refuses a message with more characters than the amount pays for, at the message. */
export function checkPaidLength(
  { amount, message }: { amount: number; message: string },
  context: z.RefinementCtx,
): void {
  const [max, length] = [charactersFor(amount), countPaidCharacters(message)];
  if (length <= max) return;
  context.addIssue({
    code: "custom",
    path: ["message"],
    message: `メッセージは、${groupDigits(amount)}円なら${groupDigits(max)}文字までです（現在${groupDigits(length)}文字、絵文字は2文字）。`,
  });
}

/** Refuses a share without a campaign and a campaign without a share, at the field that is missing. */
export function checkDonation(
  letter: { donation_campaign_id: string | null; donation_percent: number | null },
  context: z.RefinementCtx,
): void {
  const { donation_campaign_id, donation_percent } = letter;
  if (donation_campaign_id !== null && donation_percent === null)
    context.addIssue({ code: "custom", path: ["donation_percent"], message: "寄付の割合を選んでください。" });
  if (donation_campaign_id === null && donation_percent !== null)
    context.addIssue({ code: "custom", path: ["donation_campaign_id"], message: "寄付する先を選んでください。" });
}

/** What the payer of a letter writes and chooses. */
export const paidLetter = z.object({
  amount: supportAmount,
  message: text({
    label: "メッセージ",
    max: charactersFor(PAID_OFUSE_MAX_YEN),
    max_bytes: PAID_LETTER_BYTES,
    lines: true,
  }).meta({ examples: [LETTER] }),
  ...letterLooks,
  donation_campaign_id: wordId
    .nullable()
    .default(null)
    .meta({ description: "寄付する先（listDonationCampaigns）", examples: [null] }),
  donation_percent: z
    .literal([...DONATION_PERCENTS], `寄付の割合は、${DONATION_PERCENTS.join("、")}%から選んでください。`)
    .nullable()
    .default(null)
    .meta({ description: "クリエイターが受け取るはずの額のうち、寄付に回す割合（%）", examples: [null] }),
  is_public: flag.meta({ description: "受け取る人のページで公開するか" }).default(false),
  is_anonymous: flag
    .meta({ description: "名前を伏せるか。運営のほかは、だれにもわからない", examples: [false] })
    .default(false),
  sender_name: text({ label: "お名前", min: 0, max: NAME_GRAPHEMES })
    .overwrite((name) => (isGuestName(name) ? "" : name))
    .superRefine((name, context) => {
      const refusal = name === "" ? null : nameRefusal(name, "お名前");
      if (refusal) context.addIssue({ code: "custom", message: refusal });
    })
    .default("")
    .meta({ description: "ゲストの名前。ログインしている人のものは使わない", examples: [""] }),
  sender_email: emailAddress.optional().meta({
    description:
      "領収書と、ofuseをあとから自分のものにするリンクを送るゲストのアドレス。ログインしている人のものは使わない",
    examples: ["tabi@example.jp"],
  }),
  replaces_session_id: replacedSession,
});

/**
 * Begins the payment for a letter. The letter is sent when it is paid. Guests must make their idempotency keys at random:
 * the keys of all guests are one set.
 */
export const sendOfuse = defineOperation({
  id: "sendOfuse",
  method: "POST",
  path: "/v4/ofuses",
  auth: "optional",
  has_keys_of_guests: true,
  summary: "有料のofuseを送る（ログインしなくても送れる）",
  body: paidLetter
    .extend({ receiver_user_id: id.meta({ description: "受け取る人のID" }) })
    .superRefine(checkPaidLength)
    .superRefine(checkDonation),
  status: 201,
  answer: z.object({ checkout_session: openedCheckout }),
  errors: [
    "payments_paused",
    "guest_letters_paused",
    "registration_required",
    "blocked",
    "cannot_ofuse_yourself",
    "support_not_accepted",
    "checkout_not_replaceable",
    "donation_campaign_closed",
    "spending_limit_reached",
    "minor_limit_reached",
    "payment_limit_reached",
    "too_many_requests",
    "idempotency_key_reused",
    "payments_unavailable",
    "gateway_unreachable",
  ],
});
