import { UNSEEN_RENEWAL_MS } from "../../../workers/contract/limits.ts";
import type { JoinedPlan, Membership, Subscription } from "../../../workers/contract/memberships.ts";
import { SUBSCRIPTION_STATUSES } from "../../../workers/contract/subscription-words.ts";
import { dayOf, minuteOf } from "../../text/tokyo-time.ts";

export const SUBSCRIPTIONS_PATH = "/my/subscriptions";
/** Where a person sees and sets the most that they want to pay in a month. */
export const LIMIT_PATH = "/my/settings/payments#limit";

type Renewing = Pick<Subscription, "status" | "is_ending" | "may_continue" | "is_billed">;

/**
 * Whether no period follows the paid one, as things are. The plan of a disabled creator is not renewed either, although its
 * subscription has not been ended.
 */
export const isEnding = ({ status, is_ending, may_continue, is_billed }: Renewing) =>
  is_ending || (status === "active" && is_billed && !may_continue);

/** What a member of a plan reads before joining a second one of the same creator, and whether a change of plan is possible. */
export interface SecondPlan {
  /** Null when the first plan neither is charged nor ends. */
  second_note: string | null;
  may_change: boolean;
}

/** Loaders call this, so that the words are not in the pages' scripts. A plan that is past due cannot be changed. */
export function secondPlanOf(joined: JoinedPlan): SecondPlan {
  const { title, status, paid_until, is_billed } = joined;
  if (isEnding(joined)) {
    const second_note = `いま加入中の「${title}」は、更新されず、${minuteOf(paid_until)} まで読めます。加入すると、その日を待たずに料金がかかります。`;
    return { second_note, may_change: false };
  }
  // A plan that is past due and may not continue is charged no more.
  if (!is_billed || (status === "past_due" && !joined.may_continue)) return { second_note: null, may_change: false };
  return {
    second_note: `いま「${title}」に加入中です。加入すると、両方の料金がかかります。`,
    may_change: status === "active",
  };
}

/** Whether the readable time has ended. A renewal that the clock has yet to see does not end it for a day. Source: docs/decisions/0032. */
export const isOver = ({ next_charge, paid_until }: Pick<Subscription, "next_charge" | "paid_until">, now_ms: number) =>
  Date.parse(paid_until) + (next_charge === null ? 0 : UNSEEN_RENEWAL_MS) <= now_ms;

/** What the badge of a subscription says. "更新しません" is also true of a member who never canceled: a block ended it. */
export function labelOf({
  subscription,
  is_over,
}: {
  subscription: Renewing & { membership: Pick<Membership, "active_state"> };
  is_over: boolean;
}) {
  const { status, may_continue, membership } = subscription;
  if (status === "past_due") return SUBSCRIPTION_STATUSES.past_due;
  if (status === "canceled" && is_over) return "終了";
  if (!isEnding(subscription)) return SUBSCRIPTION_STATUSES[status];
  if (membership.active_state === "inactive") return "募集終了により終了";
  return may_continue ? "更新しません" : "期間の終わりで終了";
}

/** The sentence about the day of each month on which a plan is charged. Source: docs/decisions/0032. */
export function monthlyDay(charge_at: string): string {
  const day = Number(dayOf(charge_at).slice(-2));
  return day < 28 ? `以後、毎月${day}日` : `以後、毎月${day}日ごろ（その日がない月は、月末または翌月1日）`;
}
