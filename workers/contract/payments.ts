import * as z from "zod";
import { amount, id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation, planOperation } from "./operation.ts";

/** A fan's ways to pay. The gateway keeps the cards. We keep none of their numbers. */

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
    is_default: z.boolean().meta({ description: "プランのお支払いに使うカードか", examples: [true] }),
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
  errors: [...unreachable, "idempotency_key_reused"],
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
  errors: [...unreachable, "idempotency_key_reused"],
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
    subscription_id: id.nullable().meta({ description: "プランの支払いなら、その加入" }),
    invoice_id: id.nullable().meta({ description: "プランの支払いなら、その請求" }),
  })
  .meta({ id: "OwnPayment", description: "自分の支払い" });
export type OwnPayment = z.output<typeof ownPayment>;

/** Lists what the caller has paid, latest first. Our own: docs/decisions/0032. */
export const listPayments = defineOperation({
  id: "listPayments",
  method: "GET",
  path: "/v4/payments",
  auth: "required",
  summary: "自分の支払いの一覧（新しい順）",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ payments: z.array(ownPayment), ...pageAnswer }),
  errors: ["registration_required"],
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
  errors: [...unreachable, "idempotency_key_reused"],
});

export const getCheckoutSession = planOperation({
  id: "getCheckoutSession",
  method: "GET",
  path: "/v4/checkout_sessions/{session_id}",
  auth: "none",
  summary: "決済の状態",
  params: z.object({ session_id: id }),
});
