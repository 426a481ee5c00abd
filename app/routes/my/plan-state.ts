import type { OwnMembership } from "../../../workers/contract/memberships.ts";

export const PLANS_PATH = "/my/memberships";

/** A plan is a draft until it is opened for the first time. */
export function stateOf({ active_state, published_at }: OwnMembership): "draft" | "open" | "closed" {
  if (active_state === "active") return "open";
  return published_at === null ? "draft" : "closed";
}
