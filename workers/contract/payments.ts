import * as z from "zod";
import { amount, currency, id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { groupDigits } from "./group-digits.ts";
import { SPENDING_LIMIT_MAX_YEN } from "./limits.ts";
import { ofuse } from "./ofuses.ts";
import { defineOperation } from "./operation.ts";
import { donation } from "./support.ts";

/**
 * A fan's ways to pay, and the payments for letters and comments. The gateway keeps the cards. We keep none of their numbers.
 */

const paymentMethodId = z
  .string("カードを選んでください。")
  .regex(/^pm_\w{1,200}$/, "カードを選び直してください。")
  .meta({ description: "決済サービスでのID", examples: ["pm_1QXa2b3c4d"] });

/** A card that a person has saved at the payment gateway. */
export const paymentMethod = z
  .object({
    payment_method_id: paymentMethodId,
    brand: z.string().meta({ description: "カードの種類", examples: ["visa"] }),
    last4: z.string().meta({ description: "カード番号の下4桁", examples: ["4242"] }),
    exp_month: z.int().meta({ description: "有効期限の月", examples: [12] }),
    exp_year: z.int().meta({ description: "有効期限の年", examples: [2029] }),
    is_default: z.boolean().meta({
      description: "プランのお支払いに使うカードか。加入ごとに違うカードを使っていれば、そのどれもが true",
      examples: [true],
    }),
    plans: z
      .array(z.object({ subscription_id: id, title: z.string().meta({ examples: ["アトリエ会員"] }) }))
      .meta({ description: "このカードで支払っている加入と、そのプランの名前" }),
  })
  .meta({ id: "PaymentMethod", description: "登録したカード" });
export type PaymentMethod = z.output<typeof paymentMethod>;

const hostedUrl = z.string().meta({
  description: "決済サービスのページ。ブラウザーで開く",
  examples: ["https://billing.stripe.com/p/session/test_a1"],
});

const unreachable = ["registration_required", "payments_unavailable", "gateway_unreachable"] as const;

/** Lists the caller's saved cards. */
export const getPaymentMethods = defineOperation({
  id: "getPaymentMethods",
  method: "GET",
  path: "/v4/payment_methods",
  auth: "required",
  summary: "支払い方法",
  status: 200,
  answer: z.object({ payment_methods: z.array(paymentMethod) }),
  errors: unreachable,
});

/** Begins to save a card: the answer has the address of the gateway's page that takes its number. */
export const createPaymentMethod = defineOperation({
  id: "createPaymentMethod",
  method: "POST",
  path: "/v4/payment_methods",
  auth: "required",
  summary: "支払い方法を登録する",
  status: 201,
  answer: z.object({ setup_url: hostedUrl }),
  errors: [...unreachable, "too_many_requests", "idempotency_key_reused"],
});

/** Makes a saved card the one that pays for all of the caller's plans. Payments that failed are tried again with it at once. */
export const updatePaymentMethod = defineOperation({
  id: "updatePaymentMethod",
  method: "PUT",
  path: "/v4/payment_methods",
  auth: "required",
  summary: "支払い方法を変更する",
  body: z.object({ payment_method_id: paymentMethodId }),
  status: 200,
  answer: z.object({ payment_methods: z.array(paymentMethod) }),
  errors: [...unreachable, "too_many_requests", "idempotency_key_reused"],
});

/** A payment that the caller made: for a letter, a comment, or a month of a plan. */
export const ownPayment = z
  .object({
    payment_id: id,
    kind: z.enum(["ofuse_v3", "fan_letter_support", "comment_support", "membership"]).meta({
      description:
        "ofuse_v3: 有料のofuse、fan_letter_support: ファンレター、comment_support: 有料コメント、membership: プラン",
      examples: ["membership"],
    }),
    creator: userSummary.meta({ description: "支払った相手のクリエイター" }),
    amount: amount.meta({ description: "金額（円、税込）" }),
    paid_at: time.meta({ description: "支払った日時" }),
    refunded_at: time.nullable().meta({ description: "返金した日時。していなければ null" }),
    refund_state: ofuse.shape.refund_state,
    subscription_id: id.nullable().meta({ description: "プランの支払いなら、その加入" }),
    invoice_id: id.nullable().meta({ description: "プランの支払いなら、その請求" }),
    session_id: id.nullable().meta({ description: "ofuseやコメントの支払いなら、その決済（領収書）" }),
  })
  .meta({ id: "OwnPayment", description: "自分の支払い" });
export type OwnPayment = z.output<typeof ownPayment>;

/** A payment of the caller that was begun and not made, or that came too late and goes or went back. */
export const pendingPayment = z
  .object({
    session_id: id.meta({ description: "決済または加入手続きのID" }),
    kind: z.enum(["ofuse", "event_comment", "membership"]).meta({ description: "支払うもの", examples: ["ofuse"] }),
    status: z.enum(["open", "processing", "returning", "returned"]).meta({
      description:
        "open: 手続きの途中、processing: コンビニでのお支払い待ち、returning: お届けできなかったため返金の手続き中、returned: お届けできなかったため返金したもの",
      examples: ["open"],
    }),
    creator: userSummary.meta({ description: "受け取る人" }),
    amount: amount.meta({ description: "金額（円、税込）" }),
    expires_at: time.nullable().meta({ description: "お支払いの期限。決まっていなければ null" }),
    returned_at: time.nullable().meta({ description: "返金した日時。していなければ null", examples: [null] }),
  })
  .meta({ id: "PendingPayment", description: "手続きの途中の支払い、または届けられずに返金した支払い" });
export type PendingPayment = z.output<typeof pendingPayment>;

/** Lists what the caller has paid, latest first. Our own: docs/decisions/0032. */
export const listPayments = defineOperation({
  id: "listPayments",
  method: "GET",
  path: "/v4/payments",
  auth: "required",
  summary: "自分の支払いの一覧（新しい順）",
  query: z.object({ session_id: id.meta({ description: "この決済だけ" }).optional(), ...pageQuery }),
  status: 200,
  answer: z.object({
    payments: z.array(ownPayment),
    pending: z.array(pendingPayment).meta({
      description: "手続きの途中のもの（すべて）と、届けられずに返金したもののうち、日時がこのページに入るもの",
    }),
    ...pageAnswer,
  }),
  errors: ["registration_required"],
});

/** Ends a payment that was begun and not made, so that nobody can pay it any more. Idempotent. Our own: docs/decisions/0034. */
export const cancelPayment = defineOperation({
  id: "cancelPayment",
  method: "DELETE",
  path: "/v4/payments/pending/{session_id}",
  auth: "required",
  summary: "手続きの途中の支払いを取りやめる",
  params: z.object({ session_id: id }),
  status: 204,
  answer: null,
  errors: [...unreachable, "payment_not_cancelable"],
});

/** Opens the gateway's page on which the caller removes cards and sees payments. */
export const createCustomerPortal = defineOperation({
  id: "createCustomerPortal",
  method: "POST",
  path: "/v4/customer_portal",
  auth: "required",
  summary: "決済サービスの管理画面を開く",
  status: 201,
  answer: z.object({ portal_url: hostedUrl }),
  errors: [...unreachable, "too_many_requests", "idempotency_key_reused"],
});

/**
 * `open`: not paid yet. `processing`: the payer has a number to pay at a shop. `paid`: delivered. `failed` and `expired`:
 * nothing was charged. `returned`: paid, but the letter could not be delivered, so that the money goes back.
 */
export const checkoutStatus = z
  .enum(["open", "processing", "paid", "failed", "expired", "returned"])
  .meta({ id: "CheckoutStatus", description: "決済の状態", examples: ["paid"] });
export type CheckoutStatus = z.output<typeof checkoutStatus>;

/** A payment for a letter or a comment, for the holder of its id: the id is a secret of the payer. */
export const checkoutSession = z
  .object({
    session_id: id.meta({ description: "決済のID" }),
    kind: z.enum(["ofuse", "event_comment"]).meta({ description: "支払うもの", examples: ["ofuse"] }),
    status: checkoutStatus,
    is_confirmed: z.boolean().meta({
      description:
        "いまの状態を決済サービスに確認できたか。false のあいだは、open や processing でも支払いが済んでいることがある",
      examples: [true],
    }),
    amount: amount.meta({ description: "金額（円、税込）" }),
    currency,
    creator: userSummary.meta({ description: "受け取る人" }),
    is_guest: z.boolean().meta({ description: "ログインせずに支払うものか", examples: [false] }),
    url: z
      .string()
      .nullable()
      .meta({ description: "決済ページのURL。open のときだけ", examples: [null] }),
    expires_at: time.nullable().meta({ description: "申し込みの期限。open のときだけ", examples: [null] }),
    voucher: z
      .object({
        url: z.string().meta({
          description: "支払い番号のページのURL",
          examples: ["https://payments.stripe.com/konbini/voucher/a1b2c3"],
        }),
        expires_at: time.meta({ description: "お支払いの期限" }),
      })
      .nullable()
      .meta({ description: "コンビニでの支払い方。processing のときだけ", examples: [null] }),
    words: z
      .object({
        message: z.string().meta({ description: "本文", examples: ["いつも素敵な絵をありがとうございます。"] }),
        is_public: z.boolean().meta({ description: "公開するか", examples: [false] }),
        is_anonymous: z.boolean().meta({ description: "名前を伏せるか", examples: [false] }),
        stamp_id: ofuse.shape.stamp_id,
        letter_appearance_id: ofuse.shape.letter_appearance_id,
        donation_percent: z
          .int()
          .nullable()
          .meta({ description: "寄付に回す割合（％）", examples: [null] }),
        sender_name: z.string().meta({ description: "送る人の名前。書いていないゲストなら空", examples: [""] }),
        sender_email: z
          .string()
          .nullable()
          .meta({ description: "ゲストのメールアドレス", examples: [null] }),
      })
      .nullable()
      .meta({ description: "書いたもの。届けるまで残る", examples: [null] }),
    is_fan_letter: z.boolean().meta({ description: "便せんに書いたofuse（ファンレター）か", examples: [false] }),
    fee: amount.meta({ description: "サービスの手数料（円）", examples: [55] }),
    donation: donation.nullable().meta({ description: "寄付に回す分。しなければ null", examples: [null] }),
    creator_share: amount.meta({ description: "クリエイターが受け取る額（円）", examples: [495] }),
    ofuse_id: id.nullable().meta({ description: "届いたofuse" }),
    event_id: id.nullable().meta({ description: "コメントした投稿", examples: [null] }),
    comment_id: id.nullable().meta({ description: "届いたコメント", examples: [null] }),
    reaction: z
      .string()
      .nullable()
      .meta({ description: "受け取る人が設定しているお礼の言葉", examples: ["ありがとうございます！"] }),
    claim_key: z
      .string()
      .nullable()
      .meta({ description: "ゲストのofuseを、あとから自分のものにする鍵（claimOfuse）", examples: [null] }),
    letter: z
      .object({
        message: z.string().meta({ description: "本文", examples: ["いつも素敵な絵をありがとうございます。"] }),
        is_public: z.boolean().meta({ description: "公開するか", examples: [false] }),
      })
      .nullable()
      .meta({ description: "あとから自分のものにできるofuse。claim_key がなければ null", examples: [null] }),
    hidden_comment: z
      .object({ message: z.string().meta({ description: "本文", examples: ["線のやわらかさが好きです。"] }) })
      .nullable()
      .meta({ description: "投稿した人が非表示にしたコメント。表示されていれば null", examples: [null] }),
    payment_id: id.nullable().meta({ description: "領収書の番号。支払うまでは null" }),
    replaced_by: id
      .nullable()
      .meta({ description: "内容を直してはじめた次の決済。直していなければ null", examples: [null] }),
    created_at: time,
    paid_at: time.nullable().meta({ description: "支払いの日時" }),
    withdrawn_at: time.nullable().meta({ description: "支払いが返金された日時", examples: [null] }),
    refund_state: ofuse.shape.refund_state,
    seller_number: z
      .string()
      .nullable()
      .meta({ description: "支払ったときの売り手の登録番号（適格請求書発行事業者）。なければ null", examples: [null] }),
  })
  .meta({ id: "CheckoutSession", description: "ofuseやコメントの決済" });
export type CheckoutSession = z.output<typeof checkoutSession>;

export const getCheckoutSession = defineOperation({
  id: "getCheckoutSession",
  method: "GET",
  path: "/v4/checkout_sessions/{session_id}",
  auth: "none",
  summary: "決済の状態",
  params: z.object({ session_id: id }),
  status: 200,
  answer: z.object({ checkout_session: checkoutSession }),
  errors: [],
});

/** A guest who has an account now claims a paid letter: it is in their letter box from now on, and bears their name. */
export const claimOfuse = defineOperation({
  id: "claimOfuse",
  method: "POST",
  path: "/v4/checkout_sessions/{session_id}/claim",
  auth: "required",
  summary: "ゲストとして送ったofuseを、自分のアカウントのものにする",
  params: z.object({ session_id: id }),
  body: z.object({
    claim_key: z
      .string()
      .max(100)
      .meta({
        description: "getCheckoutSession の claim_key",
        examples: ["Jd0f8qzqk2m4o6s8u0w2y4A6C8E0G2I4K6M8O0Q2S4U"],
      }),
  }),
  status: 200,
  answer: z.object({ ofuse_id: id }),
  errors: ["registration_required", "blocked", "cannot_ofuse_yourself", "idempotency_key_reused"],
});

const yenLimit = (description: string) =>
  z
    .int()
    .nullable()
    .meta({ description, examples: [10_000, null] });

/** What a person pays in the present Japanese calendar month, and may pay. Source: docs/decisions/0034. */
export const spending = z
  .object({
    monthly_limit: yenLimit("自分で決めた1か月の上限額（円）。なければ null"),
    next_limit: z
      .object({ monthly_limit: yenLimit("変わったあとの上限額（円）。なければ null"), from: time })
      .nullable()
      .meta({ description: "これから変わる上限額。引き上げは翌日に変わる" }),
    minor_limit: yenLimit("18歳未満の人の1か月の上限額（円）。なければ null"),
    paid: amount.meta({ description: "今月支払った額（円）", examples: [1_500] }),
    pending: amount.meta({ description: "お支払いの手続きの途中の額（円）", examples: [0] }),
    renewals: amount.meta({ description: "今月これから更新されるプランの額（円）", examples: [500] }),
  })
  .meta({ id: "Spending", description: "今月のお支払いと上限額" });
export type Spending = z.output<typeof spending>;

/** Returns what the caller pays this month, and may pay. Our own: docs/decisions/0034. */
export const getSpending = defineOperation({
  id: "getSpending",
  method: "GET",
  path: "/v4/my/spending",
  auth: "required",
  summary: "今月のお支払いと上限額",
  status: 200,
  answer: z.object({ spending }),
  errors: ["registration_required"],
});

const LIMIT_SENTENCE = `上限額は、0円から${groupDigits(SPENDING_LIMIT_MAX_YEN)}円までの整数で入力してください。`;

/** Sets the most that the caller wants to pay in a month. A lower amount applies at once, a higher one from the next day. */
export const updateSpending = defineOperation({
  id: "updateSpending",
  method: "PUT",
  path: "/v4/my/spending",
  auth: "required",
  summary: "1か月の上限額を決める",
  body: z.object({
    monthly_limit: z
      .int(LIMIT_SENTENCE)
      .min(0, LIMIT_SENTENCE)
      .max(SPENDING_LIMIT_MAX_YEN, LIMIT_SENTENCE)
      .nullable()
      .meta({ description: "上限額（円）。なくすには null", examples: [10_000, null] }),
  }),
  status: 200,
  answer: z.object({ spending }),
  errors: ["registration_required", "idempotency_key_reused"],
});
