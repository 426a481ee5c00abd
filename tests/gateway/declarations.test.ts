import { expect, test } from "vitest";
import { faultsOf } from "./declarations.ts";

const refund = {
  id: "re_1",
  object: "refund",
  amount: 100,
  balance_transaction: null,
  charge: "ch_1",
  created: 1,
  currency: "jpy",
  customer: null,
  customer_account: null,
  metadata: { a: "b" },
  payment_intent: null,
  payment_method: null,
  reason: "duplicate",
  receipt_number: null,
  source_transfer_reversal: null,
  status: "succeeded",
  transfer_reversal: null,
};

test("accepts a right refund", () => {
  expect(faultsOf(refund, "Refunds", "Refund")).toEqual([]);
});

test.each<[string, object, string]>([
  ["a missing field", { currency: undefined }, "Refund.currency is missing"],
  ["a wrong type", { amount: "100" }, 'Refund.amount is "100"'],
  ["an amount with a fraction", { amount: 1.5 }, "Refund.amount is 1.5"],
  ["null where there must be a value", { currency: null }, "Refund.currency is null"],
  ["an unknown field", { colour: "red" }, "Refund.colour is not declared"],
  ["an unknown value of an enumeration", { reason: "boredom" }, 'Refund.reason is "boredom"'],
  ["another kind of object", { object: "charge" }, 'Refund.object is "charge"'],
  ["a number among metadata", { metadata: { a: 1 } }, "Refund.metadata.a is 1"],
  ["a fault in an expanded object", { charge: { id: "ch_1", object: "charge" } }, "Refund.charge.amount is missing"],
])("finds %s", (_what, change, fault) => {
  expect(faultsOf({ ...refund, ...change }, "Refunds", "Refund")).toContain(fault);
});
