import type { Subscription } from "../../../workers/contract/memberships.ts";
import { dayOf } from "../../text/tokyo-time.ts";
import { SUBSCRIPTION_STATUSES } from "./plan-state.ts";

export const SUBSCRIPTIONS_PATH = "/my/subscriptions";
/** Where a person sees and sets the most that they want to pay in a month. */
export const LIMIT_PATH = "/my/settings/payments#limit";

/** What the badge of a subscription says. */
export function labelOf({ subscription, is_over }: { subscription: Subscription; is_over: boolean }) {
  const { status, is_ending, may_continue, membership } = subscription;
  if (status === "past_due") return SUBSCRIPTION_STATUSES.past_due;
  if (status === "canceled" && is_over) return "終了";
  if (is_ending && membership.active_state === "inactive") return "募集終了により終了";
  if (is_ending && !may_continue) return "期間の終わりで終了";
  return is_ending ? "解約済み" : SUBSCRIPTION_STATUSES[status];
}

/** The sentence about the day of each month on which a plan is charged. Source: docs/decisions/0032. */
export function monthlyDay(charge_at: string): string {
  const day = Number(dayOf(charge_at).slice(-2));
  return day < 28 ? `以後、毎月${day}日` : `以後、毎月${day}日ごろ（その日がない月は、月末または翌月1日）`;
}
