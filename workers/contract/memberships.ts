import * as z from "zod";
import { PLAN_DESCRIPTION_GRAPHEMES, PLAN_TITLE_GRAPHEMES, PLAN_YEN } from "./bounds.ts";
import { eventSummary } from "./events.ts";
import { amount, count, currency, flag, id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation, planOperation } from "./operation.ts";
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
  })
  .meta({ id: "Membership", description: "メンバーシッププラン" });
export type Membership = z.output<typeof membership>;

/** A plan as its creator sees it. */
export const ownMembership = membership
  .extend({
    published_at: time.nullable().meta({ description: "最初に募集を始めた日時。まだなら null" }),
    members_count: count.meta({ description: "いま読めるメンバーの数", examples: [12] }),
  })
  .meta({ id: "OwnMembership", description: "自分のメンバーシッププラン" });
export type OwnMembership = z.output<typeof ownMembership>;

const membershipParams = z.object({ membership_id: id });
const subscriptionParams = z.object({ subscription_id: id });

const OUT_OF_BOUNDS = `月額は${PLAN_YEN.min}円から${PLAN_YEN.max.toLocaleString("ja")}円までの整数で入力してください。`;

/** The price of a plan in yen a month, tax included. Source: product decisions, "Money". */
const price = z
  .int({ error: ({ input }) => (input === undefined ? "月額を入力してください。" : OUT_OF_BOUNDS) })
  .min(PLAN_YEN.min, OUT_OF_BOUNDS)
  .max(PLAN_YEN.max, OUT_OF_BOUNDS)
  .meta({ description: "月額（円、税込）", examples: [500] });

const planWords = {
  title: text({ label: "プランの名前", max: PLAN_TITLE_GRAPHEMES, is_label: true }).meta({
    examples: ["アトリエ会員"],
  }),
  description: text({ label: "プランの説明", max: PLAN_DESCRIPTION_GRAPHEMES, min: 0, lines: true }).meta({
    examples: ["制作の途中を毎週お見せします。"],
  }),
};

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
    amount: price,
    active_state: activeState.default("inactive"),
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
  body: z
    .object({
      ...planWords,
      amount: price,
      active_state: activeState,
      position: z
        .int()
        .min(0)
        .max(99)
        .meta({ description: "並び順（0が先頭）", examples: [0] }),
    })
    .partial(),
  status: 200,
  answer: z.object({ membership: ownMembership }),
  errors: ["registration_required", "creator_required", "membership_price_fixed", "idempotency_key_reused"],
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
    created_at: time.meta({ description: "加入した日時" }),
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
  })
  .meta({ id: "Subscription", description: "入っているメンバーシップ" });
export type Subscription = z.output<typeof subscription>;

/** Lists the plans that the caller has joined, latest first; also those that have ended. */
export const listSubscriptions = defineOperation({
  id: "listSubscriptions",
  method: "GET",
  path: "/v4/subscriptions",
  auth: "required",
  summary: "入っているメンバーシップの一覧",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ subscriptions: z.array(subscription), ...pageAnswer }),
  errors: ["registration_required"],
});

export const createSubscription = planOperation({
  id: "createSubscription",
  method: "POST",
  path: "/v4/subscriptions",
  auth: "required",
  summary: "メンバーシップに入る",
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

export const updateSubscription = planOperation({
  id: "updateSubscription",
  method: "PUT",
  path: "/v4/subscriptions/{subscription_id}",
  auth: "required",
  summary: "入っているメンバーシップを変更する（解約を含む）",
  params: subscriptionParams,
});

export const getSubscriptionInvoice = planOperation({
  id: "getSubscriptionInvoice",
  method: "GET",
  path: "/v4/subscriptions/{subscription_id}/invoice",
  auth: "required",
  summary: "メンバーシップの請求",
  params: subscriptionParams,
});
