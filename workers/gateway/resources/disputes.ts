import * as z from "zod";
import { invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { bool, mergeMetadata, metadata, text } from "../wire/params.ts";
import { chargeFilters, closeDispute, openDispute, whereCharge } from "./charges.ts";
import { endpoint } from "./endpoint.ts";

/** The evidence that decides a dispute. Source: https://docs.stripe.com/testing, "Evidence". */
const WINNING = "winning_evidence";
const LOSING = "losing_evidence";

export const disputeEndpoints = [
  endpoint("GET", "/v1/disputes", chargeFilters, ({ unit, params }) =>
    answerList(unit, "dispute", "/v1/disputes", { ...params, where: whereCharge(params) }),
  ),
  endpoint("GET", "/v1/disputes/:id", {}, async ({ unit, id }) => (await unit.get("dispute", id)).body),
  endpoint(
    "POST",
    "/v1/disputes/:id",
    {
      evidence: z.record(text, z.string().max(20_000)).optional(),
      metadata: metadata.optional(),
      submit: bool.optional(),
    },
    async ({ unit, id, params }) => {
      const dispute = await unit.get("dispute", id);
      if (dispute.body.status !== "needs_response") {
        throw invalidRequest("This dispute is already closed or under review.", { code: "dispute_already_closed" });
      }
      for (const [name, value] of Object.entries(params.evidence ?? {})) {
        if (!(name in dispute.body.evidence)) {
          throw invalidRequest(`Received unknown parameter: evidence[${name}]`, {
            code: "parameter_unknown",
            param: `evidence[${name}]`,
          });
        }
        Object.assign(dispute.body.evidence, { [name]: value });
      }
      dispute.body.metadata = mergeMetadata(dispute.body.metadata, params.metadata);
      const { evidence_details, evidence } = dispute.body;
      evidence_details.has_evidence ||= params.evidence !== undefined;
      if (params.evidence && params.submit !== false) {
        evidence_details.submission_count++;
        dispute.body.status = "under_review";
      }
      unit.emit("charge.dispute.updated", unit.save(dispute));
      const words = evidence.uncategorized_text;
      if (dispute.body.status === "under_review" && (words === WINNING || words === LOSING)) {
        closeDispute(unit, dispute, words === WINNING);
      }
      return dispute.body;
    },
  ),
  endpoint("POST", "/v1/disputes/:id/close", {}, async ({ unit, id }) => {
    const dispute = await unit.get("dispute", id);
    if (dispute.body.status === "won" || dispute.body.status === "lost") {
      throw invalidRequest("This dispute is already closed.", { code: "dispute_already_closed" });
    }
    closeDispute(unit, dispute, false);
    return dispute.body;
  }),
  // Not a call of Stripe's: a demo's and a test's way to a dispute of any payment.
  endpoint("POST", "/v1/test_helpers/charges/:id/dispute", {}, async ({ unit, id }) => {
    const charge = await unit.get("charge", id);
    if (!charge.body.paid || charge.body.disputed) throw invalidRequest("This charge cannot be disputed.");
    return openDispute(unit, charge).body;
  }),
];
