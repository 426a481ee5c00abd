import type { Subscription } from "./memberships.ts";

/** The states of a subscription on pages and in tables. */
export const SUBSCRIPTION_STATUSES: Record<Subscription["status"], string> = {
  active: "加入中",
  canceled: "解約済み",
  past_due: "お支払いを確認できません",
};
