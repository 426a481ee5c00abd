import type { OwnMembership } from "../../../workers/contract/memberships.ts";

export const PLANS_PATH = "/my/memberships";

export const SUBSCRIPTIONS_PATH = "/my/subscriptions";

export const SUBSCRIPTION_STATUSES = { active: "加入中", canceled: "解約済み", past_due: "お支払い待ち" };

/** What the badge of a subscription says. */
export function labelOf({ status, is_ending, is_over }: { status: Status; is_ending: boolean; is_over: boolean }) {
  if (status === "past_due") return SUBSCRIPTION_STATUSES.past_due;
  if (status === "canceled" && is_over) return "終了";
  return is_ending ? "解約済み" : SUBSCRIPTION_STATUSES[status];
}
type Status = keyof typeof SUBSCRIPTION_STATUSES;

/** The sentence about the day of each month on which a plan is charged. Source: docs/decisions/0032. */
export function monthlyDay(charge_at: string): string {
  const day = Number(DAY_OF_MONTH.format(new Date(charge_at)).replace(/\D/g, ""));
  return day < 28 ? `以後、毎月${day}日` : `以後、毎月${day}日ごろ（その日がない月は、月末または翌月1日）`;
}
const DAY_OF_MONTH = new Intl.DateTimeFormat("ja-JP", { timeZone: "Asia/Tokyo", day: "numeric" });

/** A plan is a draft until it is opened for the first time. */
export function stateOf({ active_state, published_at }: OwnMembership): "draft" | "open" | "closed" {
  if (active_state === "active") return "open";
  return published_at === null ? "draft" : "closed";
}
