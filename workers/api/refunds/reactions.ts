import type { Reactions } from "../storage/outbox.ts";
import { disputeSyncStatements, refundSyncStatements } from "./commands.ts";

/** The gateway says that something has changed: asks how. The event itself says nothing that is used. */
export const reactions: Reactions = {
  gateway_event: async ({ payload: { type, object_id } }, context) => {
    if (type.startsWith("refund.")) return refundSyncStatements(context, object_id);
    if (type.startsWith("charge.dispute.")) return disputeSyncStatements(context, object_id);
    return [];
  },
};
