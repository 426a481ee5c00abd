import * as z from "zod";
import type { Stored } from "../storage/documents.ts";
import { whereField, whereRange } from "../storage/filters.ts";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";
import { answerList, listOf } from "../wire/lists.ts";
import { amount, jpy, listing, mergeMetadata, metadata, range, text } from "../wire/params.ts";
import { defaultBank } from "./accounts.ts";
import { addMovement, DAY_S, requireFunds } from "./balances.ts";
import { endpoint } from "./endpoint.ts";

/** Transfers from the platform to a connected account, and payouts from there to a bank. */

/** A payout leaves after a day, and arrives or fails two days later. */
const [LEAVES_S, ARRIVES_S] = [DAY_S, 3 * DAY_S];

type Payout = Stored<"payout">;

function moveBack(unit: Unit, payout: Payout, type: "payout_failure" | "payout_cancel") {
  return addMovement(unit, {
    account: payout.account,
    amount: payout.body.amount,
    type,
    reporting_category: "payout_reversal",
    source: payout.id,
  }).id;
}

/** Does what is due of a payout: it leaves, then arrives at the bank or comes back. */
export async function advancePayout(unit: Unit, payout: Payout): Promise<void> {
  const { body } = payout;
  if (body.status === "pending") {
    body.status = "in_transit";
    payout.due_at = body.arrival_date;
    unit.emit("payout.updated", unit.save(payout), { status: "pending" });
    return;
  }
  payout.due_at = null;
  const bank = await unit.find("bank_account", String(body.destination), payout.account);
  const failure = bank ? (bank.hidden.payout_failure ?? null) : "no_account";
  if (failure === null) {
    body.status = "paid";
    unit.emit("payout.paid", unit.save(payout));
    return;
  }
  body.status = "failed";
  body.failure_code = failure;
  body.failure_message = `The payout failed: ${failure}.`;
  body.failure_balance_transaction = moveBack(unit, payout, "payout_failure");
  unit.emit("payout.failed", unit.save(payout));
}

export const payoutEndpoints = [
  endpoint(
    "POST",
    "/v1/payouts",
    {
      amount,
      currency: jpy,
      description: text.optional(),
      destination: text.optional(),
      metadata: metadata.optional(),
      method: z.literal("standard").optional(),
      statement_descriptor: text.refine((value) => value.length <= 22).optional(),
    },
    async ({ unit, params }) => {
      const account = unit.account === "" ? null : await unit.get("account", unit.account, "account", "");
      if (!account)
        throw invalidRequest("This gateway pays out only from connected accounts: name one in `Stripe-Account`.");
      if (!account.body.payouts_enabled) {
        throw invalidRequest("Payouts are not enabled for this account.", { code: "payouts_not_allowed" });
      }
      const banks = account.body.external_accounts?.data ?? [];
      const bank = params.destination ? banks.find(({ id }) => id === params.destination) : defaultBank(account);
      if (!bank) {
        throw invalidRequest(`No such external account: '${params.destination}'`, {
          code: "resource_missing",
          param: "destination",
        });
      }
      requireFunds(unit, account.id, params.amount);
      const payout = unit.add("payout", {
        due_at: unit.now + LEAVES_S,
        body: {
          object: "payout",
          amount: params.amount,
          application_fee: null,
          application_fee_amount: null,
          arrival_date: unit.now + ARRIVES_S,
          automatic: false,
          balance_transaction: null,
          created: unit.now,
          currency: "jpy",
          description: params.description ?? null,
          destination: bank.id,
          failure_balance_transaction: null,
          failure_code: null,
          failure_message: null,
          livemode: false,
          metadata: mergeMetadata({}, params.metadata),
          method: "standard",
          original_payout: null,
          payout_method: null,
          reconciliation_status: "not_applicable",
          reversed_by: null,
          source_type: "card",
          statement_descriptor: params.statement_descriptor ?? null,
          status: "pending",
          trace_id: { status: "pending", value: null },
          type: "bank_account",
        },
      });
      payout.body.balance_transaction = addMovement(unit, {
        account: account.id,
        amount: -params.amount,
        type: "payout",
        reporting_category: "payout",
        source: payout.id,
      }).id;
      unit.emit("payout.created", payout);
      return payout.body;
    },
  ),
  endpoint(
    "GET",
    "/v1/payouts",
    { ...listing, created: range.optional(), status: text.optional(), destination: text.optional() },
    ({ unit, params }) =>
      answerList(unit, "payout", "/v1/payouts", {
        ...params,
        where: [
          ...whereField("status", params.status),
          ...whereField("destination", params.destination),
          ...whereRange("created", params.created),
        ],
      }),
  ),
  endpoint("GET", "/v1/payouts/:id", {}, async ({ unit, id }) => (await unit.get("payout", id)).body),
  endpoint("POST", "/v1/payouts/:id", { metadata: metadata.optional() }, async ({ unit, id, params }) => {
    const payout = await unit.get("payout", id);
    payout.body.metadata = mergeMetadata(payout.body.metadata ?? {}, params.metadata);
    return unit.save(payout).body;
  }),
  endpoint("POST", "/v1/payouts/:id/cancel", {}, async ({ unit, id }) => {
    const payout = await unit.get("payout", id);
    if (payout.body.status !== "pending") {
      throw invalidRequest(`Payouts can be canceled only while they are pending: this one is ${payout.body.status}.`);
    }
    payout.body.status = "canceled";
    payout.due_at = null;
    payout.body.failure_balance_transaction = moveBack(unit, payout, "payout_cancel");
    unit.emit("payout.canceled", unit.save(payout));
    return payout.body;
  }),
];

export const transferEndpoints = [
  endpoint(
    "POST",
    "/v1/transfers",
    {
      amount,
      currency: jpy,
      description: text.optional(),
      destination: text,
      metadata: metadata.optional(),
      source_transaction: text.optional(),
      transfer_group: text.optional(),
    },
    async ({ unit, params }) => {
      const account = await unit.get("account", params.destination, "destination", "");
      const charge = params.source_transaction
        ? await unit.get("charge", params.source_transaction, "source_transaction")
        : null;
      if (charge && params.amount > charge.body.amount) {
        throw invalidRequest("The transfer amount exceeds the amount of the source transaction.", { param: "amount" });
      }
      const payment = charge?.body.balance_transaction
        ? await unit.get("balance_transaction", String(charge.body.balance_transaction), "source_transaction")
        : null;
      // A transfer that names its payment may be made before the payment is available, and becomes available with it.
      if (!payment) requireFunds(unit, "", params.amount);
      const available_on = Math.max(unit.now, payment?.body.available_on ?? unit.now);
      const transfer = unit.add("transfer", {
        body: {
          object: "transfer",
          amount: params.amount,
          amount_reversed: 0,
          balance_transaction: null,
          created: unit.now,
          currency: "jpy",
          description: params.description ?? null,
          destination: account.id,
          livemode: false,
          metadata: mergeMetadata({}, params.metadata),
          reversals: listOf([], ""),
          reversed: false,
          source_transaction: charge?.id ?? null,
          source_type: "card",
          transfer_group: params.transfer_group ?? charge?.body.transfer_group ?? null,
        },
      });
      const { id } = transfer;
      const move = (owner: string, yen: number, type: "transfer" | "payment") =>
        addMovement(unit, {
          account: owner,
          amount: yen,
          type,
          reporting_category: type === "payment" ? "charge" : type,
          source: id,
          available_on,
        });
      transfer.body.reversals.url = `/v1/transfers/${id}/reversals`;
      transfer.body.balance_transaction = move("", -params.amount, "transfer").id;
      move(account.id, params.amount, "payment");
      unit.emit("transfer.created", transfer);
      return transfer.body;
    },
  ),
  endpoint(
    "GET",
    "/v1/transfers",
    { ...listing, created: range.optional(), destination: text.optional(), transfer_group: text.optional() },
    ({ unit, params }) =>
      answerList(unit, "transfer", "/v1/transfers", {
        ...params,
        where: [
          ...whereField("destination", params.destination),
          ...whereField("transfer_group", params.transfer_group),
          ...whereRange("created", params.created),
        ],
      }),
  ),
  endpoint("GET", "/v1/transfers/:id", {}, async ({ unit, id }) => (await unit.get("transfer", id)).body),
  endpoint(
    "POST",
    "/v1/transfers/:id/reversals",
    { amount: amount.optional(), description: text.optional(), metadata: metadata.optional() },
    async ({ unit, id, params }) => {
      const transfer = await unit.get("transfer", id);
      const left = transfer.body.amount - transfer.body.amount_reversed;
      const yen = params.amount ?? left;
      if (yen > left || left === 0) {
        throw invalidRequest("The transfer has less left than this amount.", { param: "amount" });
      }
      const destination = String(transfer.body.destination);
      requireFunds(unit, destination, yen);
      const reversal = unit.add("transfer_reversal", {
        body: {
          object: "transfer_reversal",
          amount: yen,
          balance_transaction: null,
          created: unit.now,
          currency: "jpy",
          destination_payment_refund: null,
          metadata: mergeMetadata({}, params.metadata),
          source_refund: null,
          transfer: id,
        },
      });
      const common = { type: "transfer_refund" as const, reporting_category: "transfer_reversal", source: reversal.id };
      reversal.body.balance_transaction = addMovement(unit, { ...common, account: "", amount: yen }).id;
      addMovement(unit, { ...common, account: destination, amount: -yen });
      transfer.body.amount_reversed += yen;
      transfer.body.reversed = transfer.body.amount_reversed === transfer.body.amount;
      transfer.body.reversals.data.unshift(reversal.body);
      unit.emit("transfer.reversed", unit.save(transfer));
      return reversal.body;
    },
  ),
];
