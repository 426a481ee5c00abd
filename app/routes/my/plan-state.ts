import type { OwnMembership } from "../../../workers/contract/memberships.ts";

export const PLANS_PATH = "/my/memberships";

/** The page of a plan's picture. */
export const picturePath = (membership_id: string) => `${PLANS_PATH}/${membership_id}/picture`;

export const SUBSCRIPTION_STATUSES = { active: "加入中", canceled: "解約済み", past_due: "お支払いを確認できません" };

/** A plan is a draft until it is opened for the first time. */
export function stateOf({ active_state, published_at }: OwnMembership): "draft" | "open" | "closed" {
  if (active_state === "active") return "open";
  return published_at === null ? "draft" : "closed";
}
