import * as z from "zod";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { amount, mergeMetadata, metadata, text } from "../wire/params.ts";
import { addMovement } from "./balances.ts";
import { chargeFilters, whereCharge } from "./charges.ts";
import { endpoint } from "./endpoint.ts";

/** Finds the charge that a refund names, by itself or by its intent. */
async function chargeOf(
  unit: Unit,
  { charge, payment_intent }: { charge?: string | undefined; payment_intent?: string | undefined },
) {
  if (charge !== undefined) return unit.get("charge", charge, "charge");
  if (payment_intent === undefined) {
    throw invalidRequest("One of the following params should be provided for this request: payment_intent or charge.");
  }
  const intent = await unit.get("payment_intent", payment_intent, "payment_intent");
  const latest = intent.body.latest_charge;
  if (latest === null)
    throw invalidRequest(`This PaymentIntent (${payment_intent}) does not have a successful charge to refund.`);
  return unit.get("charge", String(latest), "payment_intent");
}

export const refundEndpoints = [
  endpoint(
    "POST",
    "/v1/refunds",
    {
      amount: amount.optional(),
      charge: text.optional(),
      metadata: metadata.optional(),
      payment_intent: text.optional(),
      reason: z.enum(["duplicate", "fraudulent", "requested_by_customer"]).optional(),
    },
    async ({ unit, params }) => {
      const charge = await chargeOf(unit, params);
      const left = charge.body.amount - charge.body.amount_refunded;
      if (!charge.body.paid)
        throw invalidRequest(`Charge ${charge.id} was not paid.`, { code: "charge_not_refundable" });
      if (charge.body.disputed) {
        throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
          code: "charge_disputed",
        });
      }
      if (left === 0) {
        throw invalidRequest(`Charge ${charge.id} has already been refunded.`, { code: "charge_already_refunded" });
      }
      const yen = params.amount ?? left;
      if (yen > left) {
        throw invalidRequest(`Refund amount (¥${yen}) is greater than unrefunded amount on charge (¥${left})`, {
          param: "amount",
        });
      }
      const refund = unit.add("refund", {
        body: {
          object: "refund",
          amount: yen,
          balance_transaction: null,
          charge: charge.id,
          created: unit.now,
          currency: "jpy",
          customer: charge.body.customer,
          customer_account: null,
          metadata: mergeMetadata({}, params.metadata),
          payment_intent: charge.body.payment_intent,
          payment_method: charge.body.payment_method,
          reason: params.reason ?? null,
          receipt_number: null,
          source_transfer_reversal: null,
          status: "succeeded",
          transfer_reversal: null,
        },
      });
      refund.body.balance_transaction = addMovement(unit, {
        account: charge.account,
        amount: -yen,
        type: "refund",
        reporting_category: "refund",
        source: refund.id,
      }).id;
      charge.body.amount_refunded += yen;
      charge.body.refunded = charge.body.amount_refunded === charge.body.amount;
      unit.emit("charge.refunded", unit.save(charge));
      unit.emit("refund.created", refund);
      return refund.body;
    },
  ),
  endpoint("GET", "/v1/refunds", chargeFilters, ({ unit, params }) =>
    answerList(unit, "refund", "/v1/refunds", { ...params, where: whereCharge(params) }),
  ),
  endpoint("GET", "/v1/refunds/:id", {}, async ({ unit, id }) => (await unit.get("refund", id)).body),
  endpoint("POST", "/v1/refunds/:id", { metadata: metadata.optional() }, async ({ unit, id, params }) => {
    const refund = await unit.get("refund", id);
    refund.body.metadata = mergeMetadata(refund.body.metadata ?? {}, params.metadata);
    unit.emit("refund.updated", unit.save(refund));
    return refund.body;
  }),
];
