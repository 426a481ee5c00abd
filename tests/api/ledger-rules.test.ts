/** The entries of transfers, computed from amounts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  accountId,
  chargeGatewayFee,
  checkTransfer,
  completePayout,
  completeRefund,
  issueRefund,
  loseDispute,
  openDispute,
  type Payment,
  type PaymentKind,
  receivePayment,
  releaseEarnings,
  requestPayout,
  restorePayout,
  returnPayout,
  revertRefund,
  splitPayment,
  type Transfer,
  winDispute,
} from "../../workers/api/ledger/rules.ts";

const SEED = 20_261_122;
const KINDS: PaymentKind[] = ["ofuse_v3", "fan_letter_support", "comment_support", "membership"];

const paymentOf = (amount_yen: number, donation_percent = 0, kind: PaymentKind = "ofuse_v3"): Payment => ({
  kind,
  cause_id: "cause",
  creator_id: "creator",
  campaign_id: donation_percent > 0 ? "campaign" : null,
  ...splitPayment(amount_yen, { donation_percent }),
});
const sumOf = ({ entries }: Transfer) => entries.reduce((sum, { amount }) => sum + amount, 0);
const entriesOf = ({ entries }: Transfer) => entries.map(({ kind, owner_id, amount }) => [kind, owner_id, amount]);

describe("a payment", () => {
  test("of each amount from ¥100 to ¥11,000 is divided without losing a yen, with and without a campaign", () => {
    for (let amount = 100; amount <= 11_000; amount++) {
      for (const donation of [0, 1, 33, 50, 100]) {
        const { fee_yen, donation_yen, creator_yen } = splitPayment(amount, { donation_percent: donation });
        // Exact, in other words than the rule's: the largest integers whose hundredfold is not above the product.
        const is_exact =
          fee_yen * 100 <= amount * 10 &&
          (fee_yen + 1) * 100 > amount * 10 &&
          donation_yen * 100 <= (amount - fee_yen) * donation &&
          (donation_yen + 1) * 100 > (amount - fee_yen) * donation &&
          fee_yen + donation_yen + creator_yen === amount;
        if (!is_exact || creator_yen < 0) throw new Error(`${amount} with ${donation} %`);
      }
    }
  });

  test.each([
    [100, 10, 90],
    [109, 10, 99],
    [550, 55, 495],
    [999, 99, 900],
    [11_000, 1100, 9900],
  ])("of ¥%i gives us ¥%i and the creator ¥%i", (amount, fee_yen, creator_yen) => {
    expect(splitPayment(amount)).toEqual({ amount_yen: amount, fee_yen, donation_yen: 0, creator_yen });
  });

  test("follows a configured fee, also none", () => {
    expect(splitPayment(999, { fee_percent: 0 })).toMatchObject({ fee_yen: 0, creator_yen: 999 });
    expect(splitPayment(999, { fee_percent: 15 })).toMatchObject({ fee_yen: 149, creator_yen: 850 });
    expect(entriesOf(receivePayment({ ...paymentOf(999), fee_yen: 0, creator_yen: 999 }))).toEqual([
      ["gateway_clearing", null, 999],
      ["creator_pending", "creator", -999],
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, Number.MAX_SAFE_INTEGER])(
    "of %s yen is refused",
    (amount) => expect(() => splitPayment(amount)).toThrow(/^amount_yen is an integer of 1 to/),
  );
  test.each([-1, 101, 0.5, Number.NaN])("with a percentage of %s is refused", (percent) => {
    expect(() => splitPayment(1000, { fee_percent: percent })).toThrow(/^fee_percent is an integer of 0 to 100/);
    expect(() => splitPayment(1000, { donation_percent: percent })).toThrow(/^donation_percent is an integer of 0 to/);
  });
  test.each([
    ["no yen", { amount_yen: 0, fee_yen: 0, creator_yen: 0 }, /^amount_yen is/],
    ["shares that add up to less", { creator_yen: 899 }, /do not add up/],
    ["shares that add up to more", { fee_yen: 101 }, /do not add up/],
    ["a negative share", { donation_yen: 950, creator_yen: -50, campaign_id: "campaign" }, /^creator_yen is/],
    ["a negative fee", { fee_yen: -100, creator_yen: 1100 }, /^fee_yen is/],
    ["a fraction", { fee_yen: 99.5, creator_yen: 900.5 }, /^fee_yen is/],
    ["a donation without a campaign", { donation_yen: 100, creator_yen: 800 }, /has no campaign/],
    ["no creator", { creator_id: "" }, /wrong owner/],
  ])("with %s is refused", (_, change, reason) => {
    const payment = { ...paymentOf(1000), ...change };
    const refund = { cause_id: "refund", payment, from: "creator_pending" } as const;
    for (const build of [receivePayment, releaseEarnings, () => issueRefund(refund)]) {
      expect(() => build(payment)).toThrow(reason);
      expect(() => build(payment)).toThrow(RangeError);
    }
  });
});

test("every kind of transfer is balanced for every amount", () => {
  const payments = fc
    .record({ amount: fc.integer({ min: 100, max: 11_000 }), donation: fc.integer({ min: 0, max: 99 }) })
    .chain(({ amount, donation }) => fc.constantFrom(...KINDS.map((kind) => paymentOf(amount, donation, kind))));
  const payouts = fc.record({ fee: fc.integer({ min: 0, max: 999 }), amount: fc.integer({ min: 1000, max: 1e12 }) });
  const from = fc.constantFrom("creator_pending" as const, "creator_payable" as const);
  const property = fc.property(payments, payouts, from, (payment, { fee, amount }, account) => {
    const payout = { payout_id: "payout", creator_id: "creator", amount_yen: amount, bank_fee_yen: fee };
    const withdrawal = { cause_id: "withdrawal", payment, from: account };
    const reversed: [Transfer, Transfer][] = [
      [requestPayout(payout), restorePayout(payout, "payout_failed")],
      [requestPayout(payout), restorePayout(payout, "payout_canceled")],
      [issueRefund(withdrawal), revertRefund(withdrawal)],
      [openDispute(withdrawal), winDispute(withdrawal)],
    ];
    const transfers = [
      receivePayment(payment),
      releaseEarnings(payment),
      completePayout(payout),
      returnPayout(payout),
      completeRefund(withdrawal),
      loseDispute(withdrawal),
      chargeGatewayFee({ cause_id: "fee", fee_yen: payment.fee_yen + 1 }),
      ...reversed.flat(),
    ];
    for (const transfer of transfers) {
      if (sumOf(transfer) !== 0) throw new Error(`${transfer.kind} sums to ${sumOf(transfer)}`);
      if (transfer.entries.some(({ amount }) => amount === 0)) throw new Error(`${transfer.kind} has an entry of 0`);
    }
    for (const [there, back] of reversed) {
      const sorted = (transfer: Transfer, sign: number) =>
        transfer.entries.map(({ kind, owner_id, amount }) => `${kind} ${owner_id} ${sign * amount}`).sort();
      expect(sorted(back, -1)).toEqual(sorted(there, 1));
    }
  });
  fc.assert(property, { seed: SEED, numRuns: 300 });
});

test("each transfer has a kind of its own, and names an earlier one of its family by the row that caused it", () => {
  const payment = paymentOf(1000, 0, "membership");
  const paid = { type: "invoice", id: "cause" };
  const withdrawal = { cause_id: "it", payment, from: "creator_pending" } as const;
  const payout = { payout_id: "payout", creator_id: "creator", amount_yen: 1000, bank_fee_yen: 250 };
  const refund = { type: "refund", id: "it" };
  const dispute = { type: "dispute", id: "it" };
  const asked = { type: "payout", id: "payout" };
  const rows = [
    [receivePayment(payment), "membership", paid, null],
    [releaseEarnings(payment), "earnings_released", paid, paid],
    [issueRefund(withdrawal), "refund_issued", refund, paid],
    [completeRefund(withdrawal), "refund_paid", refund, refund],
    [revertRefund(withdrawal), "refund_failed", refund, refund],
    [openDispute(withdrawal), "dispute_opened", dispute, paid],
    [loseDispute(withdrawal), "dispute_lost", dispute, dispute],
    [winDispute(withdrawal), "dispute_won", dispute, dispute],
    [requestPayout(payout), "payout_requested", asked, null],
    [completePayout(payout), "payout_paid", asked, asked],
    [restorePayout(payout, "payout_failed"), "payout_failed", asked, asked],
    [restorePayout(payout, "payout_canceled"), "payout_canceled", asked, asked],
    [returnPayout(payout), "payout_returned", asked, asked],
    [
      chargeGatewayFee({ cause_id: "fee", fee_yen: 36 }),
      "gateway_fee_charged",
      { type: "gateway_fee", id: "fee" },
      null,
    ],
  ] as const;
  for (const [{ kind, cause, follows }, ...expected] of rows) expect([kind, cause, follows]).toEqual(expected);
});

test("an account is named by its kind, and by its owner where it has one", () => {
  expect(accountId("creator_payable", "natsume")).toBe("creator_payable:natsume");
  expect(accountId("platform_fee", null)).toBe("platform_fee");
});

test.each([
  [250, 250, /^amount_yen is an integer of 251 to/],
  [0, 0, /^amount_yen is an integer of 1 to/],
  [1000, -1, /^bank_fee_yen is an integer of 0 to/],
  [1000.5, 250, /^amount_yen is/],
  [1000, 0.5, /^bank_fee_yen is/],
  [2 ** 53, 250, /^amount_yen is/],
])("a payout of %s yen with a bank fee of %s is refused", (amount_yen, bank_fee_yen, reason) => {
  const payout = { payout_id: "payout", creator_id: "creator", amount_yen, bank_fee_yen };
  const builds = [requestPayout, completePayout, returnPayout];
  for (const build of builds) expect(() => build(payout)).toThrow(reason);
  expect(() => restorePayout(payout, "payout_failed")).toThrow(reason);
});

test.each([0, -5, 1.5])("a fee of %s yen of the gateway is refused", (fee_yen) => {
  expect(() => chargeGatewayFee({ cause_id: "fee", fee_yen })).toThrow(/^fee_yen is an integer of 1 to/);
});

describe("entries that are not a transfer are refused", () => {
  const fee = (amount: number) => ({ kind: "gateway_fee", owner_id: null, amount }) as const;
  const clearing = (amount: number) => ({ kind: "gateway_clearing", owner_id: null, amount }) as const;
  const transferOf = (...entries: Transfer["entries"]): Transfer => ({
    kind: "gateway_fee_charged",
    cause: { type: "gateway_fee", id: "fee" },
    follows: null,
    entries,
  });
  test("while balanced ones are not", () => expect(checkTransfer(transferOf(fee(5), clearing(-5)))).toBeUndefined());
  test.each([
    ["none", transferOf(), /needs two/],
    ["one", transferOf(fee(5)), /needs two/],
    ["a sum that is not 0", transferOf(fee(5), clearing(-4)), /sum to 1/],
    ["an amount of 0", transferOf(fee(0), clearing(0)), /an entry of/],
    ["a fraction", transferOf(fee(0.5), clearing(-0.5)), /an entry of/],
    ["an amount beyond 2^53 - 1", transferOf(fee(2 ** 53), clearing(-(2 ** 53))), /an entry of/],
    [
      "amounts whose sum is rounded to 0",
      transferOf(fee(Number.MAX_SAFE_INTEGER), clearing(-Number.MAX_SAFE_INTEGER), {
        kind: "bank_fee",
        owner_id: null,
        amount: 1,
      }),
      /sum to 1/,
    ],
    ["an account twice", transferOf(fee(5), fee(-5)), /twice/],
    ["an owner where there is none", transferOf({ ...fee(5), owner_id: "x" }, clearing(-5)), /wrong owner/],
    [
      "no owner where there is one",
      transferOf({ kind: "creator_pending", owner_id: null, amount: 5 }, clearing(-5)),
      /wrong owner/,
    ],
  ])("%s", (_, transfer, reason) => {
    expect(() => checkTransfer(transfer)).toThrow(reason);
    expect(() => checkTransfer(transfer)).toThrow(RangeError);
  });
});
