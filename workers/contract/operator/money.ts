import * as z from "zod";
import { NAME_GRAPHEMES, OPERATOR_NOTE_GRAPHEMES } from "../bounds.ts";
import { count, countUpTo, givenTime, id, pageQuery, pageToken, time } from "../fields.ts";
import { defineOperation } from "../operation.ts";
import { donationCampaign } from "../references.ts";
import { text } from "../text.ts";
import { ACT_ERRORS, describeText, givenReason, MAX_LISTED, yen } from "./parts.ts";

/** Payments, disputes, campaigns, payouts and the ledger, as operators see and change them. */

const operatedPayment = z
  .object({
    payment_id: id,
    kind: describeText("支払いの種類", "ofuse_v3"),
    cause_id: describeText("手紙、コメント、または請求のID", "01kaf2m8q3v7x1n5r9t4w6y8ze"),
    payer_link_id: z
      .string()
      .nullable()
      .meta({ description: "払った人の公開名。ゲストなら null", examples: ["fan_hana"] }),
    creator_link_id: describeText("受け取った人の公開名", "natsume"),
    amount: yen("金額（円）", 1100),
    fee: yen("手数料（円）", 110),
    donation: yen("寄付（円）", 0),
    creator_share: yen("クリエイターの分（円）", 990),
    payment_intent_id: describeText("決済サービスでのID", "pi_1"),
    paid_at: time,
    available_at: time.meta({ description: "決済サービスが入金する日時" }),
    released_at: time.nullable().meta({ description: "振り込める残高に移った日時", examples: [null] }),
    withdrawn_at: time.nullable().meta({ description: "返金や異議で取り消した日時", examples: [null] }),
    held_at: time.nullable().meta({ description: "運営が止めた日時。止めていなければ null", examples: [null] }),
    refunds: z.array(
      z.object({
        refund_id: id,
        cause: describeText("返金のきっかけ", "operator"),
        status: describeText("返金の状態", "paid"),
        created_at: time,
      }),
    ),
    disputes: z.array(
      z.object({
        dispute_id: describeText("異議のID", "dp_1"),
        reason: describeText("異議の理由", "fraudulent"),
        status: describeText("異議の状態", "open"),
        opened_at: time,
      }),
    ),
  })
  .meta({ id: "OperatedPayment", description: "支払い（運営から見たもの）" });

export type OperatedPayment = z.output<typeof operatedPayment>;

/** Finds a payment by its id, by the letter, comment or invoice it paid for, or by the gateway's payment intent or charge. */
export const findPayment = defineOperation({
  id: "findPayment",
  method: "GET",
  path: "/v4/operator/payments",
  auth: "operator",
  summary: "支払いを探す",
  query: z.object({
    reference: z
      .string()
      .regex(/^\w{1,100}$/, "IDの形式が正しくありません。")
      .meta({ description: "支払い、手紙、コメント、請求、または決済サービスのID", examples: ["pi_1"] }),
  }),
  status: 200,
  answer: z.object({ payment: operatedPayment }),
  errors: [],
});

const operatedCheckout = z
  .object({
    session_id: id.meta({ description: "手続きのID。支払いのページ /checkout/{session_id} など" }),
    kind: z
      .enum(["ofuse", "event_comment", "membership"])
      .meta({ description: "何のための手続きか", examples: ["ofuse"] }),
    status: z
      .enum(["open", "processing", "paid", "expired", "failed", "returning", "returned"])
      .meta({ description: "手続きの状態", examples: ["processing"] }),
    amount: yen("金額（円）", 550),
    payer_link_id: operatedPayment.shape.payer_link_id,
    payer_email: z
      .string()
      .nullable()
      .meta({ description: "ゲストのメールアドレス", examples: [null] }),
    creator_link_id: describeText("受け取る人の公開名", "natsume"),
    gateway_session_id: z
      .string()
      .nullable()
      .meta({ description: "決済サービスでのID", examples: ["cs_1"] }),
    payment_id: id.nullable().meta({ description: "記録された支払い。なければ null", examples: [null] }),
    created_at: time,
    expires_at: time.nullable().meta({ description: "支払いの期限。待っていないか、わからなければ null" }),
    returned_at: time.nullable().meta({ description: "払った人に戻した日時", examples: [null] }),
  })
  .meta({ id: "OperatedCheckout", description: "支払いの手続き（運営から見たもの）" });

export type OperatedCheckout = z.output<typeof operatedCheckout>;

/**
 * Finds attempts to pay by their id, by the gateway's session, or by the address of a guest, newest first. They say why a
 * payment is not in the books.
 */
export const listCheckouts = defineOperation({
  id: "listCheckouts",
  method: "GET",
  path: "/v4/operator/checkouts",
  auth: "operator",
  summary: "支払いの手続きを探す",
  query: z.object({
    reference: z
      .string()
      .trim()
      .min(1)
      .max(254)
      .meta({
        description: "手続き、または決済サービスのID、またはゲストのメールアドレス",
        examples: ["guest@example.jp"],
      }),
  }),
  status: 200,
  answer: z.object({ checkouts: z.array(operatedCheckout) }),
  errors: [],
});

/**
 * Refunds a whole payment, and can end the renewals of the plan that it was for, also later. A payment that an operator has refunded
 * before gets the same answer.
 */
export const refundPayment = defineOperation({
  id: "refundPayment",
  method: "POST",
  path: "/v4/operator/payments/{payment_id}/refund",
  auth: "operator",
  summary: "支払いを全額返金する",
  params: z.object({ payment_id: id }),
  body: z.object({
    ends_renewal: z
      .boolean()
      .default(false)
      .meta({ description: "プランの支払いなら、次の更新も止めるか", examples: [true] }),
  }),
  status: 200,
  answer: z.object({ payment: operatedPayment }),
  errors: [...ACT_ERRORS, "payment_withdrawn", "payments_unavailable"],
});

/** Holds the creator's share of a payment, so that no payout has it, until it is given free or refunded. */
export const setPaymentHeld = defineOperation({
  id: "setPaymentHeld",
  method: "PUT",
  path: "/v4/operator/payments/{payment_id}/held",
  auth: "operator",
  summary: "支払いを保留する、または保留を解除する",
  params: z.object({ payment_id: id }),
  body: z.object({ is_held: z.boolean().meta({ examples: [true] }), reason: givenReason }),
  status: 200,
  answer: z.object({ payment: operatedPayment }),
  errors: [...ACT_ERRORS, "payment_withdrawn"],
});

/** The newest hundred disputes, newest first. The clock follows each; an operator answers them at the gateway. */
export const listDisputes = defineOperation({
  id: "listDisputes",
  method: "GET",
  path: "/v4/operator/disputes",
  auth: "operator",
  summary: "異議を新しい順に見る",
  status: 200,
  answer: z.object({
    disputes: z.array(
      z
        .object({
          ...operatedPayment.shape.disputes.element.shape,
          payment_id: id,
          amount: yen("金額（円）", 1100),
          creator_link_id: describeText("受け取った人の公開名", "natsume"),
        })
        .meta({ id: "OperatedDispute", description: "異議（運営から見たもの）" }),
    ),
  }),
  errors: [],
});

/**
 * The payments that are held, newest first, at most a hundred: by an operator, or since a card issuer warned of fraud. Nothing ends a
 * hold by itself.
 */
export const listHeldPayments = defineOperation({
  id: "listHeldPayments",
  method: "GET",
  path: "/v4/operator/held-payments",
  auth: "operator",
  summary: "保留している支払いを新しい順に見る",
  status: 200,
  answer: z.object({
    payments: z.array(
      z
        .object({
          payment_id: id,
          amount: yen("金額（円）", 1100),
          creator_link_id: describeText("受け取った人の公開名", "natsume"),
          held_at: time.meta({ description: "保留した日時" }),
        })
        .meta({ id: "HeldPayment", description: "保留している支払い（運営から見たもの）" }),
    ),
  }),
  errors: [],
});

const campaignId = donationCampaign.shape.donation_campaign_id.regex(
  /^[a-z0-9_]{3,32}$/,
  "IDは、半角の小文字、数字、_ の3〜32文字です。",
);

/** Lists every campaign, the last opened first. */
export const listCampaigns = defineOperation({
  id: "listCampaigns",
  method: "GET",
  path: "/v4/operator/donation_campaigns",
  auth: "operator",
  summary: "寄付キャンペーンの一覧",
  status: 200,
  answer: z.object({ donation_campaigns: z.array(donationCampaign) }),
  errors: [],
});

/** Opens a campaign, now or later, or changes one. Letters name it for good, so its id stays. */
export const openCampaign = defineOperation({
  id: "openCampaign",
  method: "PUT",
  path: "/v4/operator/donation_campaigns/{donation_campaign_id}",
  auth: "operator",
  summary: "寄付キャンペーンを開く、または変更する",
  params: z.object({ donation_campaign_id: campaignId }),
  body: z
    .object({
      name: text({ label: "名前", max: NAME_GRAPHEMES, is_label: true }).meta({ examples: ["能登の復興支援"] }),
      description: text({ label: "説明", max: OPERATOR_NOTE_GRAPHEMES }).meta({
        examples: ["被災した図書館に、本を贈ります。"],
      }),
      url: z
        .url({ protocol: /^https$/, error: "https:// で始まるURLを入力してください。" })
        .max(500, "URLが長すぎます。")
        .meta({ description: "くわしい説明のページ", examples: ["https://example.jp/noto"] }),
      opens_at: givenTime.meta({ description: "受け付けを始める日時" }),
      closes_at: givenTime.meta({ description: "受け付けを終える日時" }),
    })
    .refine(({ opens_at, closes_at }) => opens_at < closes_at, {
      path: ["closes_at"],
      error: "終わりは、始まりより後にしてください。",
    }),
  status: 200,
  answer: z.object({ donation_campaign: donationCampaign }),
  errors: ACT_ERRORS,
});

/** Closes a campaign now. Payments that have begun still give their share. */
export const closeCampaign = defineOperation({
  id: "closeCampaign",
  method: "POST",
  path: "/v4/operator/donation_campaigns/{donation_campaign_id}/close",
  auth: "operator",
  summary: "寄付キャンペーンを終える",
  params: z.object({ donation_campaign_id: campaignId }),
  status: 200,
  answer: z.object({ donation_campaign: donationCampaign }),
  errors: ACT_ERRORS,
});

const operatedPayout = z
  .object({
    payout_id: id,
    creator_link_id: describeText("クリエイターの公開名", "natsume"),
    amount: yen("金額（円）", 10_000),
    bank_fee: yen("振込手数料（円）", 250),
    status: describeText("振込の状態", "pending"),
    failure_reason: z
      .string()
      .nullable()
      .meta({ description: "失敗した理由", examples: [null] }),
    is_held: z.boolean().meta({ description: "運営が止めているか", examples: [false] }),
    created_at: time,
    check_at: time.nullable().meta({ description: "つぎに進める日時。終わったなら null", examples: [null] }),
  })
  .meta({ id: "OperatedPayout", description: "振込（運営から見たもの）" });

export type OperatedPayout = z.output<typeof operatedPayout>;

const operatedSubscription = z
  .object({
    subscription_id: id,
    title: describeText("プランの名前", "応援プラン"),
    creator_link_id: describeText("クリエイターの公開名", "natsume"),
    amount: yen("いまのプランの月額（円）", 500),
    status: z.enum(["active", "past_due", "canceled"]).meta({ description: "加入の状態", examples: ["active"] }),
    is_ending: z.boolean().meta({ description: "期間の終わりに解約するか", examples: [false] }),
    paid_until: time.meta({ description: "いつまで支払い済みか" }),
    created_at: time,
  })
  .meta({ id: "OperatedSubscription", description: "プランへの加入（運営から見たもの）" });

export type OperatedSubscription = z.output<typeof operatedSubscription>;

const madePayment = operatedPayment
  .pick({ payment_id: true, kind: true, creator_link_id: true, amount: true, paid_at: true, withdrawn_at: true })
  .meta({ id: "MadePayment", description: "した支払い（運営から見たもの）" });

export type MadePayment = z.output<typeof madePayment>;

/** What a person paid, began to pay and joined, and what they were paid out: the same page of each list, newest first. */
export const getPersonMoney = defineOperation({
  id: "getPersonMoney",
  method: "GET",
  path: "/v4/operator/people/{user_id}/money",
  auth: "operator",
  summary: "人の支払い、加入、振込を見る",
  params: z.object({ user_id: id }),
  query: z.object({ page_number: pageQuery.page_number }),
  status: 200,
  answer: z.object({
    payments: z.array(madePayment),
    checkouts: z.array(operatedCheckout).meta({ description: "支払いとして記録されていない手続き" }),
    subscriptions: z.array(operatedSubscription),
    payouts: z.array(operatedPayout),
    has_next: z.boolean().meta({ description: "次のページに続く一覧があるか", examples: [false] }),
  }),
  errors: [],
});

/**
 * The payouts that have not ended, oldest first: those under way, those that are held, and those that failed or were canceled
 * and whose money is still on the creator's account at the gateway.
 */
export const listPayoutsUnderWay = defineOperation({
  id: "listPayoutsUnderWay",
  method: "GET",
  path: "/v4/operator/payouts",
  auth: "operator",
  summary: "終わっていない振込を見る",
  query: z.object({ after: id.optional(), limit: countUpTo(MAX_LISTED, MAX_LISTED).meta({ description: "件数" }) }),
  status: 200,
  answer: z.object({ payouts: z.array(operatedPayout), has_next: z.boolean() }),
  errors: [],
});

/** Stops a payout that has not been sent to the bank, or lets it continue. */
export const setPayoutHeld = defineOperation({
  id: "setPayoutHeld",
  method: "PUT",
  path: "/v4/operator/payouts/{payout_id}/held",
  auth: "operator",
  summary: "振込を止める、または再開する",
  params: z.object({ payout_id: id }),
  body: z.object({ is_held: z.boolean().meta({ examples: [true] }) }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

/** Lets the clock continue a payout in its next run, instead of when its wait is over. */
export const retryPayout = defineOperation({
  id: "retryPayout",
  method: "POST",
  path: "/v4/operator/payouts/{payout_id}/retry",
  auth: "operator",
  summary: "振込をすぐに進める",
  params: z.object({ payout_id: id }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

/** What the gateway has and a restored database does not know: transfers of payouts, payments, invoices of plans, refunds, disputes. */
export const UNKNOWN_MONEY_KINDS = ["payout", "payment", "plan", "refund", "dispute"] as const;
const unknownMoneyKind = z
  .enum(UNKNOWN_MONEY_KINDS)
  .meta({ id: "UnknownMoneyKind", description: "記録にないものの種類", examples: ["payout"] });

const gatewayId = pageToken("[a-z]{2,4}_\\w+", 255).meta({ description: "決済サービスでのID", examples: ["tr_1"] });

const unknownMoney = z
  .object({
    kind: unknownMoneyKind,
    gateway_id: gatewayId,
    created_at: time,
    amount: yen("金額（円）", 9308),
    person_link_id: z
      .string()
      .nullable()
      .meta({ description: "払った人、または振込を受け取る人の公開名。わからなければ null", examples: ["natsume"] }),
    reference: describeText("振込先のアカウント、支払いの名前、加入、または支払いのID", "acct_1"),
  })
  .meta({ id: "UnknownMoney", description: "決済サービスにあり、記録にないもの" });

export type UnknownMoney = z.output<typeof unknownMoney>;

/**
 * Lists what the gateway has made of one kind since a moment and the database does not know, as after a restore. `next` is the `after`
 * of the following page, null at the end; a page may be empty before that.
 */
export const listUnknownMoney = defineOperation({
  id: "listUnknownMoney",
  method: "GET",
  path: "/v4/operator/unknown_money",
  auth: "operator",
  summary: "決済サービスにあり、記録にないものを見る",
  query: z.object({
    kind: unknownMoneyKind,
    since: givenTime.meta({ description: "いつから", examples: ["2026-11-20T03:00:00.000Z"] }),
    after: gatewayId.optional(),
  }),
  status: 200,
  answer: z.object({ unknown: z.array(unknownMoney), next: gatewayId.nullable() }),
  errors: ["payments_unavailable", "gateway_unreachable"],
});

/**
 * Settles something that the gateway has and the database does not know: a payout, a refund and a dispute get into the books; a payment
 * goes back; a plan ends, and its payments go back. Does nothing for what is known by now.
 */
export const settleUnknownMoney = defineOperation({
  id: "settleUnknownMoney",
  method: "POST",
  path: "/v4/operator/unknown_money/{gateway_id}/settle",
  auth: "operator",
  summary: "記録にないものを、記録する、または返金する",
  params: z.object({ gateway_id: gatewayId }),
  body: z.object({ kind: unknownMoneyKind }),
  status: 204,
  answer: null,
  errors: [
    ...ACT_ERRORS,
    "balance_insufficient",
    "bank_account_required",
    "bank_account_unreadable",
    "payout_transition_refused",
    "payment_withdrawn",
    "payments_unavailable",
    "gateway_unreachable",
  ],
});

/** The sums of the ledger's accounts by kind, and what the gateway says it keeps for us; null while it does not answer. */
export const getLedgerBalances = defineOperation({
  id: "getLedgerBalances",
  method: "GET",
  path: "/v4/operator/ledger/balances",
  auth: "operator",
  summary: "帳簿と決済サービスの残高を見る",
  status: 200,
  answer: z.object({
    accounts: z.array(
      z.object({ kind: describeText("勘定の種類", "creator_payable"), balance: yen("残高（円）", 990) }),
    ),
    gateway: z
      .object({ available: yen("すぐに使える分（円）", 990), pending: yen("確定待ちの分（円）", 0) })
      .nullable()
      .meta({ description: "決済サービスの残高。応答がなければ null" }),
  }),
  errors: [],
});

/**
 * Checks the invariants of one part of the ledger: the rows numbered after `after`. `next` is the `after` of the following
 * part, null at the end.
 */
export const checkLedger = defineOperation({
  id: "checkLedger",
  method: "GET",
  path: "/v4/operator/ledger/check",
  auth: "operator",
  summary: "帳簿に誤りがないか調べる",
  query: z.object({
    after: z.coerce
      .number()
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .default(0)
      .meta({ description: "調べ終えた行の番号", examples: [0] }),
  }),
  status: 200,
  answer: z.object({
    breaches: z
      .array(
        z.object({
          name: describeText("守られていない条件の名前", "transfer_unbalanced"),
          sentence: describeText("何が誤りか", "The postings of the transfer do not sum to zero."),
          offenders: z
            .array(z.string())
            .meta({ description: "誤りのある行のID（10件まで）", examples: [["01kaf2m8q3v7x1n5r9t4w6y8ze"]] }),
        }),
      )
      .meta({ description: "守られていない条件。なければ空" }),
    next: count.nullable().meta({ description: "次の after。終わりなら null", examples: [null] }),
  }),
  errors: [],
});
