import type { OwnMembership, Subscription } from "../../../workers/contract/memberships.ts";

export const PLANS_PATH = "/my/memberships";

/** The page of a plan's picture. */
export const picturePath = (membership_id: string) => `${PLANS_PATH}/${membership_id}/picture`;

/** Returns the tone of a subscription's badge: only an unpaid one asks its reader to do something. */
export const toneOf = (status: Subscription["status"], is_continuing: boolean) =>
  status === "past_due" ? "alert" : is_continuing ? undefined : "quiet";

/** A plan is a draft until it is opened for the first time. */
export function stateOf({ active_state, published_at }: OwnMembership): "draft" | "open" | "closed" {
  if (active_state === "active") return "open";
  return published_at === null ? "draft" : "closed";
}
