import type { Ofuse } from "../../../workers/contract/ofuses.ts";
import { Badge } from "../../ui/badge.tsx";

/** The words for a letter whose money went back, or may. */
export const refundWords = { refunded: "返金済み", disputed: "お支払いを確認中" } as const;

/** Says beside a letter's amount that the money went back, or that it may: both its sender and its receiver learn it. */
export function RefundBadge({ state }: { state: Ofuse["refund_state"] }) {
  return state && <Badge tone="quiet">{refundWords[state]}</Badge>;
}
