import { z } from "zod";
import { amount, currency, id } from "./fields.ts";
import { defineOperation } from "./operation.ts";

export const activeState = z.enum(["active", "inactive"]);

/** A plan a fan can join, priced in yen a month, tax included. */
export const membership = z.object({
  membership_id: id,
  user_id: id,
  title: z.string(),
  description: z.string(),
  amount,
  currency,
  active_state: activeState,
});
export type Membership = z.output<typeof membership>;

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
