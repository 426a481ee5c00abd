import type Stripe from "stripe";
import { groupDigits } from "../../contract/group-digits.ts";
import { yenInEnglish } from "../../contract/mails.ts";
import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

/** Pure decisions about subscriptions. Source: docs/decisions/0032. */

/**
 * Returns the moment some months after another, as the gateway counts them: the same day and time in UTC. A month without
 * the day has its last day instead. Source: https://docs.stripe.com/billing/subscriptions/billing-cycle
 */
export function anniversaryOf(anchor_ms: number, months: number): number {
  const moved = new Date(anchor_ms);
  const [year, month] = [moved.getUTCFullYear(), moved.getUTCMonth() + months];
  const last_day = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  moved.setUTCFullYear(year, month, Math.min(moved.getUTCDate(), last_day));
  return moved.getTime();
}

/** Returns our state for the gateway's. Only a subscription that was paid once has a row, so `incomplete` is not met. */
export function statusOf(status: Stripe.Subscription.Status): "active" | "past_due" | "canceled" {
  if (status === "active" || status === "trialing") return "active";
  return status === "canceled" || status === "incomplete_expired" ? "canceled" : "past_due";
}

/** Returns the only item of one of our subscriptions. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data;
  if (!item) throw new Error(`subscription ${id} has no item`);
  return item;
}

/** What an invoice pays for. */
export interface PaidPeriod {
  price_id: string;
  start_ms: number;
  end_ms: number;
}

/** Returns the plan's price and the period that an invoice pays for. A change of plan has a line with a credit before it. */
export function periodOf({ id, lines }: Stripe.Invoice): PaidPeriod {
  const line = lines.data.findLast(({ amount }) => amount >= 0);
  const price = line?.pricing?.price_details?.price;
  if (!line || !price) throw new Error(`invoice ${id} pays for no plan`);
  return {
    price_id: typeof price === "string" ? price : price.id,
    start_ms: line.period.start * 1000,
    end_ms: line.period.end * 1000,
  };
}

export const MINUTE_MS = 60_000;
export const LONGEST_ASK_MS = 5 * MINUTE_MS;

/** Returns how long to wait before asking again for something that began at a moment: as long as it lasts, at most 5 min. */
export function nextAskOf(began_ms: number, now_ms: number): number {
  return now_ms + Math.min(Math.max(now_ms - began_ms, MINUTE_MS), LONGEST_ASK_MS);
}

const yenText = (amount: number) => `${groupDigits(amount)}円（税込）`;

/** Tells the creator that somebody has joined. */
export function noticesOfJoining(joined: OutboxEvents["subscription_joined"]): Notice[] {
  const { ja, en } = planWords(joined.title);
  return [
    {
      user_id: joined.creator_user_id,
      actor_user_id: joined.user_id,
      type: "new_subscriber",
      occasion: `subscription_joined ${joined.subscription_id}`,
      message: `{actor}さんがあなたの${ja}に加入しました。`,
      english: `{actor} joined your ${en}.`,
      path: `/my/memberships/${joined.membership_id}/members`,
    },
  ];
}

/** Returns the words for a plan, with its title if the event has one. */
const planWords = (title: string | undefined) =>
  title === undefined ? { ja: "プラン", en: "plan" } : { ja: `プラン「${title}」`, en: `plan "${title}"` };

/** Tells the creator that a member has changed to another of the creator's plans. */
export function noticesOfMove(moved: OutboxEvents["subscription_moved"]): Notice[] {
  return [
    {
      user_id: moved.creator_user_id,
      actor_user_id: moved.user_id,
      type: "new_subscriber",
      occasion: `subscription_moved ${moved.subscription_id} ${moved.revision}`,
      message: `{actor}さんが、あなたのプラン「${moved.title}」に変更しました。`,
      english: `{actor} changed to your plan "${moved.title}".`,
      path: `/my/memberships/${moved.membership_id}/members`,
    },
  ];
}

/** Tells the fan of a renewal, and what it cost. */
export function noticesOfRenewal(renewed: OutboxEvents["subscription_renewed"]): Notice[] {
  const { ja, en } = planWords(renewed.title);
  return [
    {
      user_id: renewed.user_id,
      actor_user_id: renewed.creator_user_id,
      type: "subscription_renewed",
      mail: "subscription_renewed",
      occasion: `subscription_renewed ${renewed.invoice_id}`,
      message: `{actor}さんの${ja}が更新され、${yenText(renewed.amount)}をお支払いいただきました。`,
      english: `Your ${en} of {actor} was renewed. You paid ${yenInEnglish(renewed.amount)} (tax included).`,
      path: `/my/subscriptions/${renewed.subscription_id}`,
    },
  ];
}

/** Tells the fan that a renewal could not be charged. */
export function noticesOfFailure(failed: OutboxEvents["subscription_unpaid"]): Notice[] {
  const { ja, en } = planWords(failed.title);
  return [
    {
      user_id: failed.user_id,
      actor_user_id: failed.creator_user_id,
      type: "subscription_past_due",
      mail: "subscription_past_due",
      occasion: `subscription_unpaid ${failed.subscription_id} ${failed.paid_until}`,
      message: `{actor}さんの${ja}のお支払いを確認できませんでした。お支払い方法をご確認ください。`,
      english: `We could not confirm the payment of your ${en} of {actor}. Please check your payment method.`,
      path: `/my/subscriptions/${failed.subscription_id}`,
    },
  ];
}

/** Tells the fan that the plan of a scheduled change has closed, and whether the present plan continues. */
export function noticesOfDroppedChange(dropped: OutboxEvents["subscription_change_dropped"]): Notice[] {
  return [
    {
      user_id: dropped.user_id,
      actor_user_id: dropped.creator_user_id,
      type: "membership_disabled",
      mail: "membership_disabled",
      occasion: `subscription_change_dropped ${dropped.subscription_id} ${dropped.revision}`,
      ...wordsOfDroppedChange(dropped),
      path: `/my/subscriptions/${dropped.subscription_id}`,
    },
  ];
}

/** Says what became of the subscription. A block also ends one to an open plan; the notice does not name the block. */
function wordsOfDroppedChange({
  amount,
  is_present_closed,
  title,
}: OutboxEvents["subscription_change_dropped"]): Pick<Notice, "message" | "english"> {
  const { ja, en } = planWords(title);
  if (amount !== null) {
    return {
      message: `{actor}さんの変更先の${ja}の募集が終了したため、変更の予約は取り消されました。現在のプランへの加入が続き、次回のお支払いは${yenText(amount)}です。`,
      english: `{actor} has closed the ${en} that you were going to change to, so the change was canceled. Your present plan continues, and your next payment is ${yenInEnglish(amount)} (tax included).`,
    };
  }
  if (is_present_closed) {
    return {
      message: `{actor}さんの現在のプランと変更先の${ja}は、どちらも募集が終了しました。次回の更新とお支払いはなく、読める期間の終わりで加入が終了します。それまでは、これまでどおりご覧いただけます。`,
      english: `{actor} has closed your plan and the ${en} that you were going to change to. You will not be charged again, and your plan ends with the period that you have paid for. Until then you can read everything as before.`,
    };
  }
  return {
    message: `{actor}さんの変更先の${ja}の募集が終了しました。次回の更新とお支払いはなく、読める期間の終わりで加入が終了します。それまでは、これまでどおりご覧いただけます。`,
    english: `{actor} has closed the ${en} that you were going to change to. You will not be charged again, and your plan ends with the period that you have paid for. Until then you can read everything as before.`,
  };
}

/** Tells the fan that a subscription has ended, and why. */
export function noticesOfEnd(ended: OutboxEvents["subscription_ended"]): Notice[] {
  const { ja, en } = planWords(ended.title);
  return [
    {
      user_id: ended.user_id,
      actor_user_id: ended.creator_user_id,
      type: "subscription_canceled",
      mail: "subscription_canceled",
      occasion: `subscription_ended ${ended.subscription_id}`,
      message: ended.is_unpaid
        ? `お支払いを確認できなかったため、{actor}さんの${ja}への加入は終了しました。`
        : `{actor}さんの${ja}への加入は終了しました。`,
      english: ended.is_unpaid
        ? `We could not confirm the payment, so your ${en} of {actor} has ended.`
        : `Your ${en} of {actor} has ended.`,
      path: `/my/subscriptions/${ended.subscription_id}`,
    },
  ];
}
