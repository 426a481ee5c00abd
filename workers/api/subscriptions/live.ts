import type { Subscription } from "../../contract/memberships.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { findSubscription } from "../memberships/queries.ts";
import { commitSync } from "./apply-sync.ts";
import { syncSubscription } from "./sync.ts";

export interface LiveRow {
  subscription_id: string;
  membership_id: string;
  next_membership_id: string | null;
  status: "active" | "canceled" | "past_due";
  paid_until: string;
  gateway_id: string | null;
  is_ending: number;
  must_end: number;
  revision: number;
}

export async function findLive(
  { database }: RequestContext,
  user_id: string,
  subscription_id: string,
): Promise<LiveRow> {
  const row = await database
    .selectFrom("subscriptions")
    .select([
      "subscription_id",
      "membership_id",
      "next_membership_id",
      "status",
      "paid_until",
      "gateway_id",
      "is_ending",
      "must_end",
      "revision",
    ])
    .where("subscription_id", "=", subscription_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  if (row.status === "canceled") throw new Problem("subscription_transition_refused");
  return row;
}

/** Brings a subscription to the gateway's present state, then answers with it. */
export async function answerSynced(context: RequestContext, gateway_id: string, subscription_id: string) {
  await commitSync(context, await syncSubscription(context, gateway_id));
  return answerRecorded(context, await findSubscription(context, memberId(context), subscription_id));
}

/** Records a subscription as the answer to this request, and returns it. */
export const answerRecorded = async (context: RequestContext, subscription: Subscription) =>
  (await commitAnswer(context, { statements: [] }, { subscription })).subscription;

/** Returns a key for the gateway that names this request about a subscription: the caller's own key, or a new one. */
export const subscriptionKeyOf = ({ idempotency, request_id }: RequestContext, subscription_id: string) =>
  `subscription:${subscription_id}:${idempotency?.key ?? request_id}`;
