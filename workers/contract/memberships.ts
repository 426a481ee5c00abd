import * as z from "zod";
import { PLAN_DESCRIPTION_GRAPHEMES, PLAN_MEMBERS_LIMIT, PLAN_TITLE_GRAPHEMES, PLAN_YEN } from "./bounds.ts";
import { eventSummary } from "./events.ts";
import {
  amount,
  count,
  currency,
  flag,
  givenTime,
  id,
  image,
  pageAnswer,
  pageQuery,
  time,
  userSummary,
} from "./fields.ts";
import { groupDigits } from "./group-digits.ts";
import { ofuse } from "./ofuses.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/** Source: spec section 3, enumerations. */
export const activeState = z
  .enum(["active", "inactive"])
  .meta({ id: "ActiveState", description: "加入を受け付けているか" });
export const subscriptionStatus = z.enum(["active", "canceled", "past_due"]);

/** A plan that a fan can join. Its price is in yen a month, tax included. */
export const membership = z
  .object({
    membership_id: id,
    user_id: id,
    title: z.string().meta({ description: "プランの名前", examples: ["アトリエ会員"] }),
    description: z.string().meta({ description: "プランの説明", examples: ["制作の途中を毎週お見せします。"] }),
    amount: amount.meta({ description: "月額（円、税込）" }),
    currency,
    active_state: activeState,
    image: image.nullable().meta({ description: "プランの画像。なければ null" }),
    members_limit: z
      .int()
      .nullable()
      .meta({ description: "定員（人）。なければ null", examples: [30, null] }),
    is_full: z.boolean().meta({ description: "満員か。いまは加入できない", examples: [false] }),
  })
  .meta({ id: "Membership", description: "メンバーシッププラン" });
export type Membership = z.output<typeof membership>;

/** A plan as its creator sees it. */
export const ownMembership = membership
  .extend({
    published_at: time.nullable().meta({ description: "最初に募集を始めた日時。まだなら null" }),
    members_count: count.meta({ description: "いま読めるメンバーの数", examples: [12] }),
    is_deletable: z
      .boolean()
      .meta({ description: "削除できるか。一度でも使われたプランは削除できない", examples: [false] }),
  })
  .meta({ id: "OwnMembership", description: "自分のメンバーシッププラン" });
export type OwnMembership = z.output<typeof ownMembership>;

const membershipParams = z.object({ membership_id: id });
const subscriptionParams = z.object({ subscription_id: id });

const OUT_OF_BOUNDS = `月額は${PLAN_YEN.min}円から${groupDigits(PLAN_YEN.max)}円までの整数で入力してください。`;

/** The price of a plan in yen a month, tax included. Source: product decisions, "Money". */
const price = z
  .int({ error: ({ input }) => (input === undefined ? "月額を入力してください。" : OUT_OF_BOUNDS) })
  .min(PLAN_YEN.min, OUT_OF_BOUNDS)
  .max(PLAN_YEN.max, OUT_OF_BOUNDS)
  .meta({ description: "月額（円、税込）", examples: [500] });

/** The description that the examples use. */
const DESCRIPTION = "制作の途中を毎週お見せします。";

const planWords = {
  title: text({ label: "プランの名前", max: PLAN_TITLE_GRAPHEMES, is_label: true }).meta({
    examples: ["アトリエ会員"],
  }),
  description: text({ label: "プランの説明", max: PLAN_DESCRIPTION_GRAPHEMES, min: 0, lines: true }).meta({
    examples: [DESCRIPTION],
  }),
};

const LIMIT_OUT_OF_BOUNDS = `定員は1人から${groupDigits(PLAN_MEMBERS_LIMIT)}人までの整数で入力してください。`;
const membersLimit = z
  .int(LIMIT_OUT_OF_BOUNDS)
  .min(1, LIMIT_OUT_OF_BOUNDS)
  .max(PLAN_MEMBERS_LIMIT, LIMIT_OUT_OF_BOUNDS)
  .nullable()
  .meta({ description: "定員（人）。なくすには null。減らしても、いまのメンバーはそのまま残る", examples: [30, null] });

export const listUserMemberships = defineOperation({
  id: "listUserMemberships",
  method: "GET",
  path: "/v4/users/{user_id}/memberships",
  auth: "none",
  summary: "ユーザーのメンバーシッププラン",
  params: z.object({ user_id: id }),
  status: 200,
  answer: z.object({ memberships: z.array(membership) }),
  errors: [],
});

/** Lists the caller's own plans in every state. The spec has no such call: docs/decisions/0029. */
export const listOwnMemberships = defineOperation({
  id: "listOwnMemberships",
  method: "GET",
  path: "/v4/my/memberships",
  auth: "required",
  summary: "自分のメンバーシッププラン",
  status: 200,
  answer: z.object({ memberships: z.array(ownMembership) }),
  errors: ["registration_required"],
});

/** Creates a plan after the creator's other plans: as a draft, or open at once. */
export const createMembership = defineOperation({
  id: "createMembership",
  method: "POST",
  path: "/v4/memberships",
  auth: "required",
  summary: "メンバーシッププランを作成する",
  body: z.object({
    ...planWords,
    description: planWords.description.default("").meta({ examples: [DESCRIPTION] }),
    amount: price,
    active_state: activeState.default("inactive"),
    members_limit: membersLimit.default(null),
  }),
  status: 201,
  answer: z.object({ membership: ownMembership }),
  errors: ["registration_required", "creator_required", "membership_limit_reached", "idempotency_key_reused"],
});

/** Lists the plans of all creators that were opened last. */
export const listMemberships = defineOperation({
  id: "listMemberships",
  method: "GET",
  path: "/v4/memberships",
  auth: "none",
  summary: "募集中のメンバーシッププランの一覧（新しい順に25件）",
  status: 200,
  answer: z.object({ memberships: z.array(membership) }),
  errors: [],
});

/** Returns a plan that is open, or was once: its members keep its page. */
export const getMembership = defineOperation({
  id: "getMembership",
  method: "GET",
  path: "/v4/memberships/{membership_id}",
  auth: "none",
  summary: "メンバーシッププランを1件取得",
  params: membershipParams,
  query: z.object({ with_events: flag.default(false) }),
  status: 200,
  answer: z.object({
    membership,
    events: z.array(eventSummary).meta({ description: "このプランで読める投稿。with_events のとき" }).optional(),
  }),
  errors: [],
});

/**
 * Changes a plan. The price is fixed once the plan has been open. `active_state` opens the plan or closes it; closing
 * tells its members, who keep what they have paid for. `position` moves the plan among the creator's plans.
 */
export const updateMembership = defineOperation({
  id: "updateMembership",
  method: "PUT",
  path: "/v4/memberships/{membership_id}",
  auth: "required",
  summary: "メンバーシッププランを変更する",
  params: membershipParams,
  missing_fields: "kept",
  body: z
    .object({
      ...planWords,
      amount: price,
      active_state: activeState,
      members_limit: membersLimit,
      image_id: id.nullable().meta({ description: "プランの画像（/v4/images で送った自分の画像）。なくすには null" }),
      position: z
        .int()
        .min(0)
        .max(99)
        .meta({ description: "並び順（0が先頭）", examples: [0] }),
    })
    .partial(),
  status: 200,
  answer: z.object({ membership: ownMembership }),
  errors: [
    "registration_required",
    "creator_required",
    "membership_price_fixed",
    "image_not_usable",
    "too_many_requests",
    "idempotency_key_reused",
  ],
});

/** Deletes a plan that nobody has joined and that nothing is limited to. Other plans can only be closed. */
export const deleteMembership = defineOperation({
  id: "deleteMembership",
  method: "DELETE",
  path: "/v4/memberships/{membership_id}",
  auth: "required",
  summary: "メンバーシッププランを削除する",
  params: membershipParams,
  status: 204,
  answer: null,
  errors: ["registration_required", "membership_in_use", "idempotency_key_reused"],
});

/** Somebody who has joined a plan, as the plan's creator sees them. */
export const subscriber = z
  .object({
    subscription_id: id,
    user: userSummary,
    status: subscriptionStatus.meta({ description: "加入の状態", examples: ["active"] }),
    paid_until: time.meta({ description: "支払い済みの期間の終わり" }),
    is_ending: z.boolean().meta({ description: "更新されず、支払い済みの期間の終わりに終了するか", examples: [false] }),
    created_at: time.meta({ description: "クリエイターのプランに加入した日時" }),
    member_since: time.meta({
      description: "このプランのメンバーになった日時。ほかのプランから変わった人では、変わった日時",
    }),
  })
  .meta({ id: "Subscriber", description: "プランに入っている人" });

/** Lists those who have joined one of the caller's plans, latest first. */
export const listMembershipSubscriptions = defineOperation({
  id: "listMembershipSubscriptions",
  method: "GET",
  path: "/v4/memberships/{membership_id}/subscriptions",
  auth: "required",
  summary: "自分のプランに入っている人の一覧",
  params: membershipParams,
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ subscriptions: z.array(subscriber), ...pageAnswer }),
  errors: ["registration_required"],
});

/** A plan that a person has joined, as that person sees it. */
export const subscription = z
  .object({
    subscription_id: id,
    membership,
    creator: userSummary.meta({ description: "プランのクリエイター" }),
    status: subscriptionStatus.meta({ description: "加入の状態", examples: ["active"] }),
    paid_until: time.meta({ description: "支払い済みの期間の終わり。解約したあとも、この日時まで読める" }),
    created_at: time.meta({ description: "加入した日時" }),
    is_ending: z.boolean().meta({
      description: "更新をやめ、支払い済みの期間の終わりに終了するか。解約したとき、募集の終了やブロックで止まったとき",
      examples: [false],
    }),
    may_continue: z.boolean().meta({
      description:
        "次の期間も続けられるか。募集が終わったプラン、ブロックのある相手のプラン、利用を停止されたクリエイターのプランは、続けられない",
      examples: [true],
    }),
    // Answers that were kept before this field existed lack it.
    is_creator_disabled: z
      .boolean()
      .default(false)
      .meta({
        description: "クリエイターの利用が停止されているか。停止のあいだは、支払い済みの期間でも限定の投稿を読めない",
        examples: [false],
      }),
    next_charge: z
      .object({
        charged_at: time.meta({ description: "次のお支払いの日時" }),
        amount: amount.meta({ description: "次のお支払いの金額（円、税込）" }),
        membership: membership.meta({ description: "次の期間のプラン" }),
      })
      .nullable()
      .meta({ description: "次のお支払い。ないときは null" }),
    retry_at: time.nullable().meta({ description: "確認できなかったお支払いを、次に試す日時。ないときは null" }),
    is_billed: z
      .boolean()
      .meta({ description: "お支払いがあるか。false なら、解約するとその場で終了の手続きが済む", examples: [true] }),
  })
  .meta({ id: "Subscription", description: "入っているメンバーシップ" });
export type Subscription = z.output<typeof subscription>;

/** A plan of one creator that the caller has joined: what that creator's pages say of it. */
export const joinedPlan = subscription
  .pick({
    subscription_id: true,
    status: true,
    is_ending: true,
    may_continue: true,
    is_billed: true,
    paid_until: true,
  })
  .extend(membership.pick({ membership_id: true, title: true, active_state: true }).shape);
export type JoinedPlan = z.output<typeof joinedPlan>;

/**
 * Lists the plans that the caller has joined, latest first; also those that have ended. With a `state`, only those that
 * have not ended or can still be read, or only those whose last charge has failed.
 */
export const listSubscriptions = defineOperation({
  id: "listSubscriptions",
  method: "GET",
  path: "/v4/subscriptions",
  auth: "required",
  summary: "入っているメンバーシップの一覧",
  query: z.object({
    ...pageQuery,
    state: z
      .enum(["running", "unpaid"])
      .optional()
      .meta({
        description: "running: 終わっていないか、まだ読める。unpaid: 支払いに失敗している",
        examples: ["running"],
      }),
  }),
  status: 200,
  answer: z.object({ subscriptions: z.array(subscription), ...pageAnswer }),
  errors: ["registration_required"],
});

/** An attempt to join a plan. The person pays on a page of the payment gateway. */
export const joining = z
  .object({
    joining_id: id,
    membership,
    creator: userSummary.meta({ description: "プランのクリエイター" }),
    status: z.enum(["open", "joined", "expired", "returned"]).meta({
      description:
        "open: お支払いの途中、joined: 加入した、expired: お支払いがないまま期限が切れた、returned: 加入できなくなっていたので返金する",
      examples: ["open"],
    }),
    checkout_url: z
      .string()
      .nullable()
      .meta({
        description: "お支払いのページ。途中でなければ null",
        examples: ["https://checkout.stripe.com/c/pay/cs_test_a1"],
      }),
    subscription_id: id.nullable().meta({ description: "加入したメンバーシップ。まだなら null" }),
    thanks: z
      .string()
      .nullable()
      .meta({
        description: "クリエイターからのお礼。加入するまで、または書かれていなければ null",
        examples: ["ありがとうございます！"],
      }),
  })
  .meta({ id: "Joining", description: "メンバーシップに入る手続き" });
export type Joining = z.output<typeof joining>;

/**
 * Begins to join a plan: the answer has the address of the gateway's page on which the person pays. Nothing is joined
 * before the payment. Source: docs/decisions/0032.
 */
export const createSubscription = defineOperation({
  id: "createSubscription",
  method: "POST",
  path: "/v4/subscriptions",
  auth: "required",
  summary: "メンバーシップに入る",
  body: z.object({ membership_id: id }),
  status: 201,
  answer: z.object({ joining }),
  errors: [
    "payments_paused",
    "registration_required",
    "membership_not_open",
    "membership_full",
    "spending_limit_reached",
    "minor_limit_reached",
    "cannot_join_own_plan",
    "already_joined",
    "blocked",
    "payment_limit_reached",
    "too_many_requests",
    "payments_unavailable",
    "gateway_unreachable",
    "idempotency_key_reused",
  ],
});

/** Returns one of the caller's attempts to join. Asks the gateway while it is open. Our own: docs/decisions/0032. */
export const getJoining = defineOperation({
  id: "getJoining",
  method: "GET",
  path: "/v4/joinings/{joining_id}",
  auth: "required",
  summary: "メンバーシップに入る手続きの状態",
  params: z.object({ joining_id: id }),
  status: 200,
  answer: z.object({ joining }),
  errors: ["registration_required"],
});

/**
 * Says what joining a plan would cost, for the last page before the payment. With `subscription_id`, what changing to it
 * would cost. Our own: docs/decisions/0032.
 */
export const previewSubscription = defineOperation({
  id: "previewSubscription",
  method: "GET",
  path: "/v4/memberships/{membership_id}/preview",
  auth: "required",
  summary: "メンバーシップに入る前、変える前の金額と日付",
  params: membershipParams,
  query: z.object({ subscription_id: id.optional() }),
  status: 200,
  answer: z.object({
    preview: z.object({
      membership,
      creator: userSummary.meta({ description: "プランのクリエイター" }),
      amount_now: amount.meta({ description: "いま支払う金額（円、税込）" }),
      next_amount: amount.meta({ description: "次のお支払いの金額（円、税込）" }),
      next_charge_at: time.meta({ description: "次のお支払いの日時" }),
      begins_at: time.meta({ description: "このプランの投稿を読めるようになる日時" }),
      priced_at: time.meta({ description: "金額を計算した日時。変更のときに送り返す" }),
    }),
  }),
  errors: [
    "payments_paused",
    "registration_required",
    "membership_not_open",
    "membership_full",
    "spending_limit_reached",
    "minor_limit_reached",
    "cannot_join_own_plan",
    "already_joined",
    "blocked",
    "subscription_transition_refused",
    "subscription_change_scheduled",
    "subscription_price_moved",
    "payments_unavailable",
    "gateway_unreachable",
  ],
});

export const getSubscription = defineOperation({
  id: "getSubscription",
  method: "GET",
  path: "/v4/subscriptions/{subscription_id}",
  auth: "required",
  summary: "入っているメンバーシップを1件取得",
  params: subscriptionParams,
  status: 200,
  answer: z.object({ subscription }),
  errors: ["registration_required"],
});

/**
 * Ends a subscription with its paid period, continues it after all, or changes its plan to another of the same creator.
 * A dearer plan begins at once and its difference is charged; a cheaper one begins with the next period.
 */
export const updateSubscription = defineOperation({
  id: "updateSubscription",
  method: "PUT",
  path: "/v4/subscriptions/{subscription_id}",
  auth: "required",
  summary: "入っているメンバーシップを変更する（解約を含む）",
  params: subscriptionParams,
  // Strict: a body with two changes must not make one of them and lose the other.
  body: z.union([
    z.strictObject({
      is_ending: z
        .boolean()
        .meta({ description: "true: 期間の終わりに解約する、false: 解約をやめる", examples: [true] }),
    }),
    z.strictObject({
      membership_id: id,
      priced_at: givenTime.meta({ description: "previewSubscription の priced_at" }),
      amount_now: amount.meta({ description: "previewSubscription の amount_now" }),
    }),
  ]),
  status: 200,
  answer: z.object({ subscription }),
  errors: [
    "payments_paused",
    "registration_required",
    "membership_not_open",
    "membership_full",
    "spending_limit_reached",
    "minor_limit_reached",
    "already_joined",
    "blocked",
    "subscription_transition_refused",
    "subscription_change_scheduled",
    "subscription_price_moved",
    "card_declined",
    "payment_limit_reached",
    "too_many_requests",
    "payments_unavailable",
    "gateway_unreachable",
    "idempotency_key_reused",
  ],
});

/** A paid invoice of a subscription. Source: 消費税法 第57条の4 (what an invoice states). */
export const invoice = z
  .object({
    invoice_id: id,
    subscription_id: id,
    number: z.string().meta({ description: "請求書の番号", examples: ["A1B2C3D4-0001"] }),
    title: z.string().meta({ description: "支払ったときのプランの名前", examples: ["アトリエ会員"] }),
    creator: userSummary.meta({ description: "売り手のクリエイター" }),
    seller_number: z
      .string()
      .nullable()
      .meta({ description: "支払ったときの売り手の登録番号（適格請求書発行事業者）。なければ null", examples: [null] }),
    amount: amount.meta({ description: "金額（円、税込）", examples: [500] }),
    tax_percent: z.int().meta({ description: "消費税率（%）", examples: [10] }),
    tax_amount: amount.meta({ description: "うち消費税額（円、1円未満切り捨て）", examples: [45] }),
    period_start: time.meta({ description: "期間のはじめ" }),
    period_end: time.meta({ description: "期間の終わり" }),
    paid_at: time.meta({ description: "支払った日時" }),
    refunded_at: time.nullable().meta({ description: "返金した日時。していなければ null" }),
    refund_state: ofuse.shape.refund_state,
  })
  .meta({ id: "Invoice", description: "メンバーシップの請求" });
export type Invoice = z.output<typeof invoice>;

/** Lists the paid invoices of one of the caller's subscriptions, latest first. */
export const getSubscriptionInvoice = defineOperation({
  id: "getSubscriptionInvoice",
  method: "GET",
  path: "/v4/subscriptions/{subscription_id}/invoice",
  auth: "required",
  summary: "メンバーシップの請求（新しい順）",
  params: subscriptionParams,
  query: z.object({ invoice_id: id.meta({ description: "この請求だけ" }).optional(), ...pageQuery }),
  status: 200,
  answer: z.object({ invoices: z.array(invoice), ...pageAnswer }),
  errors: ["registration_required"],
});
