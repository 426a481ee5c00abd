import { invalidRequest } from "../wire/errors.ts";
import { endpoint } from "./endpoint.ts";

/** A card issuer's notices that a charge may be fraud, which come before a dispute. */
export const earlyFraudWarningEndpoints = [
  endpoint(
    "GET",
    "/v1/radar/early_fraud_warnings/:id",
    {},
    async ({ unit, id }) => (await unit.get("radar.early_fraud_warning", id)).body,
  ),
  // Stripe has no such call. Demos and tests warn of any payment with it.
  endpoint("POST", "/v1/test_helpers/charges/:id/early_fraud_warning", {}, async ({ unit, id }) => {
    const { body: charge } = await unit.get("charge", id);
    if (!charge.paid) throw invalidRequest("This charge cannot be reported.");
    const warning = unit.add("radar.early_fraud_warning", {
      body: {
        object: "radar.early_fraud_warning",
        actionable: !charge.disputed && !charge.refunded,
        charge: charge.id,
        created: unit.now,
        fraud_type: "unauthorized_use_of_card",
        livemode: false,
        payment_intent: typeof charge.payment_intent === "string" ? charge.payment_intent : undefined,
      },
    });
    unit.emit("radar.early_fraud_warning.created", warning);
    return warning.body;
  }),
];
