import { continuationStatement, type Reactions } from "../storage/outbox.ts";
import { disputeSyncStatements, refundSyncStatements } from "./commands.ts";
import { fraudWarningStatements } from "./fraud-warnings.ts";

/** The gateway says that something has changed: asks how. The event itself says nothing that is used. */
export const reactions: Reactions = {
  gateway_event: async ({ payload: { type, object_id } }, context) => {
    if (type.startsWith("refund.")) return refundSyncStatements(context, object_id);
    if (type.startsWith("charge.dispute.")) return disputeSyncStatements(context, object_id);
    if (type === "radar.early_fraud_warning.created") return fraudWarningStatements(context, object_id);
    return [];
  },
  // Continues with each refund and dispute as if its webhook came now.
  payment_contested: async ({ payload: { payment_intent_id: payment_intent } }, { database, gateway, now_ms }) => {
    const [refunds, disputes] = await gateway.call((stripe) =>
      Promise.all([stripe.refunds.list({ payment_intent }), stripe.disputes.list({ payment_intent })]),
    );
    return [
      ...refunds.data.map(({ id, object }) => ({ type: "refund.created", object, object_id: id, account_id: null })),
      ...disputes.data.map(({ id, object }) => ({
        type: "charge.dispute.created",
        object,
        object_id: id,
        account_id: null,
      })),
    ].map((payload) =>
      continuationStatement(database, `contested:${payload.object_id}`, { kind: "gateway_event", payload }, now_ms),
    );
  },
};
