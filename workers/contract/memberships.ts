import * as z from "zod";
import { amount, currency, flag, id } from "./fields.ts";
import { defineOperation, planOperation } from "./operation.ts";

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

const membershipParams = z.object({ membership_id: id });
const subscriptionParams = z.object({ subscription_id: id });

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

export const createMembership = planOperation({
  id: "createMembership",
  method: "POST",
  path: "/v4/memberships",
  auth: "required",
  summary: "メンバーシッププランを作成する",
});

export const listMemberships = planOperation({
  id: "listMemberships",
  method: "GET",
  path: "/v4/memberships",
  auth: "none",
  summary: "メンバーシッププランの一覧",
});

export const getMembership = planOperation({
  id: "getMembership",
  method: "GET",
  path: "/v4/memberships/{membership_id}",
  auth: "none",
  summary: "メンバーシッププランを1件取得",
  params: membershipParams,
  query: z.object({ with_events: flag.default(false) }),
});

export const updateMembership = planOperation({
  id: "updateMembership",
  method: "PUT",
  path: "/v4/memberships/{membership_id}",
  auth: "required",
  summary: "メンバーシッププランを変更する",
  params: membershipParams,
});

export const deleteMembership = planOperation({
  id: "deleteMembership",
  method: "DELETE",
  path: "/v4/memberships/{membership_id}",
  auth: "required",
  summary: "メンバーシッププランを削除する",
  params: membershipParams,
});

export const listMembershipSubscriptions = planOperation({
  id: "listMembershipSubscriptions",
  method: "GET",
  path: "/v4/memberships/{membership_id}/subscriptions",
  auth: "required",
  summary: "自分のプランに入っている人の一覧",
  params: membershipParams,
});

export const listSubscriptions = planOperation({
  id: "listSubscriptions",
  method: "GET",
  path: "/v4/subscriptions",
  auth: "required",
  summary: "入っているメンバーシップの一覧",
});

export const createSubscription = planOperation({
  id: "createSubscription",
  method: "POST",
  path: "/v4/subscriptions",
  auth: "required",
  summary: "メンバーシップに入る",
});

export const getSubscription = planOperation({
  id: "getSubscription",
  method: "GET",
  path: "/v4/subscriptions/{subscription_id}",
  auth: "required",
  summary: "入っているメンバーシップを1件取得",
  params: subscriptionParams,
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
