import { planOperation } from "./operation.ts";

/** How a creator answers what arrives. Source: spec section 7, Reactions; its fields are not shown. */

export const getReactions = planOperation({
  id: "getReactions",
  method: "GET",
  path: "/v4/reactions",
  auth: "required",
  summary: "自分のリアクションの設定",
});

export const updateReactions = planOperation({
  id: "updateReactions",
  method: "PUT",
  path: "/v4/reactions",
  auth: "required",
  summary: "リアクションの設定を変更する",
});
