/** The ledger in real D1: what it accepts, what it refuses, and what it answers. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { domains } from "../../workers/api/domains.ts";
import { unsubscribe } from "../../workers/api/leaving/commands.ts";
import { exportPage } from "../../workers/api/leaving/queries.ts";
import { CHECKED_AT_ONCE, checkHourly, checkPart, partsOfHour } from "../../workers/api/ledger/check.ts";
import { postTransfer } from "../../workers/api/ledger/commands.ts";
import { findCreatorBalances, findPayment, sumByKindAndMonth } from "../../workers/api/ledger/queries.ts";
import {
  ACCOUNT_KINDS,
  chargeGatewayFee,
  completePayout,
  completeRefund,
  issueRefund,
  loseDispute,
  openDispute,
  type Payment,
  type PaymentKind,
  type Payout,
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
import { openDatabase } from "../../workers/api/storage/database.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";
import { expectSoundLedger, post } from "./support/ledger.ts";

const database = openDatabase(d1);
afterAll(expectSoundLedger);

let people = 0;
const newCreator = () => addUser(`creator_${people++}`);

/** A payment of a membership: it needs no letter. */
function paymentTo(creator_id: string, amount_yen: number, more: Partial<Payment> = {}): Payment {
  const payment = {
    kind: "membership" as PaymentKind,
    cause_id: newId(NOW_MS),
    creator_id,
    campaign_id: null,
    ...more,
  };
  return { ...payment, ...splitPayment(amount_yen, { donation_percent: payment.campaign_id ? 50 : 0 }) };
}
const payoutOf = (creator_id: string, amount_yen: number): Payout => ({
  payout_id: newId(NOW_MS),
  creator_id,
  amount_yen,
  bank_fee_yen: 250,
});
const balancesOf = (creator_id: string) => findCreatorBalances(database, creator_id);
async function platformBalances() {
  const { results } = await d1
    .prepare("SELECT kind, balance FROM ledger_accounts WHERE owner_id IS NULL ORDER BY kind")
    .all<{ kind: string; balance: number }>();
  const none = { platform_fee: 0, bank_fee: 0, refunds: 0, disputes: 0, gateway_clearing: 0, gateway_fee: 0 };
  const balances: typeof none = Object.assign(none, ...results.map(({ kind, balance }) => ({ [kind]: balance })));
  return balances;
}
/** Returns what a refund or dispute of a payment needs. */
async function withdrawalOf({ kind, cause_id }: Payment) {
  const found = await findPayment(database, kind, cause_id);
  if (!found) throw new Error("nothing was paid");
  return { cause_id: newId(NOW_MS), ...found };
}
/** Returns a creator with this many yen to pay out. */
async function creatorWith(available_yen: number): Promise<string> {
  const creator_id = await newCreator();
  const payment = { ...paymentTo(creator_id, available_yen), fee_yen: 0, creator_yen: available_yen };
  await post([receivePayment(payment), releaseEarnings(payment)]);
  return creator_id;
}

describe("a payment", () => {
  test("waits, becomes available, and is paid out less the bank's fee", async () => {
    const creator_id = await newCreator();
    const before = await platformBalances();
    const payment = paymentTo(creator_id, 5555);
    await post(receivePayment(payment));
    expect(await balancesOf(creator_id)).toEqual({
      available_yen: 0,
      pending_yen: 5000,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
    await post(releaseEarnings(payment));
    expect(await balancesOf(creator_id)).toEqual({
      available_yen: 5000,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
    const payout = payoutOf(creator_id, 3000);
    await post(requestPayout(payout));
    expect(await balancesOf(creator_id)).toEqual({
      available_yen: 2000,
      pending_yen: 0,
      in_transit_yen: 2750,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
    await post(completePayout(payout));
    expect(await balancesOf(creator_id)).toEqual({
      available_yen: 2000,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
    const after = await platformBalances();
    expect(after.platform_fee - before.platform_fee).toBe(555);
    expect(after.bank_fee - before.bank_fee).toBe(250);
    expect(after.gateway_clearing - before.gateway_clearing).toBe(5555 - 2750);
  });

  test("gives its campaign a share, and a refund takes it back", async () => {
    const creator_id = await newCreator();
    const payment = paymentTo(creator_id, 1001, { campaign_id: "noto_2026" });
    const donated = () =>
      d1
        .prepare("SELECT balance FROM ledger_accounts WHERE account_id = 'campaign_donations:noto_2026'")
        .first("balance");
    await post(receivePayment(payment));
    expect(await donated()).toBe(450);
    expect(await balancesOf(creator_id)).toMatchObject({ pending_yen: 451 });
    const refund = await withdrawalOf(payment);
    expect(refund).toMatchObject({ payment, from: "creator_pending" });
    await post([issueRefund(refund), completeRefund(refund)]);
    expect(await donated()).toBe(0);
    expect(await balancesOf(creator_id)).toMatchObject({ pending_yen: 0 });
  });

  test("is of one creator: another's account is refused by the payment's family", async () => {
    const payment = paymentTo(await newCreator(), 1000);
    await post(receivePayment(payment));
    const stranger = { ...payment, creator_id: await creatorWith(5000) };
    await expect(post(releaseEarnings(stranger))).rejects.toMatchObject({ code: "transfer_already_settled" });
  });
});

describe("a payout", () => {
  test("that fails or is canceled restores the whole amount, once", async () => {
    for (const kind of ["payout_failed", "payout_canceled"] as const) {
      const creator_id = await creatorWith(2000);
      const payout = payoutOf(creator_id, 1500);
      // The money of another payout must not pay for it.
      await post([requestPayout(payout), requestPayout(payoutOf(creator_id, 500))]);
      await post(restorePayout(payout, kind));
      expect(await balancesOf(creator_id)).toEqual({
        available_yen: 1500,
        pending_yen: 0,
        in_transit_yen: 250,
        held_yen: 0,
        held_pending_yen: 0,
        contested_yen: 0,
      });
      const other = kind === "payout_failed" ? "payout_canceled" : "payout_failed";
      await expect(post(restorePayout(payout, kind))).rejects.toMatchObject({ code: "transfer_already_posted" });
      await expect(post(restorePayout(payout, other))).rejects.toMatchObject({ code: "transfer_already_settled" });
      await expect(post(completePayout(payout))).rejects.toMatchObject({ code: "transfer_already_settled" });
    }
  });

  test("ends with the amount and the fee that it began with", async () => {
    const payout = payoutOf(await creatorWith(2000), 1000);
    await post(requestPayout(payout));
    for (const wrong of [{ amount_yen: 999 }, { bank_fee_yen: 0, amount_yen: 750 }, { bank_fee_yen: 249 }]) {
      for (const kind of ["payout_failed", "payout_canceled"] as const) {
        await expect(post(restorePayout({ ...payout, ...wrong }, kind))).rejects.toThrow();
      }
    }
    await expect(post(completePayout({ ...payout, amount_yen: 999 }))).rejects.toThrow(/exactly what it put in/);
    await expect(post(completePayout({ ...payout, amount_yen: 1001 }))).rejects.toMatchObject({
      code: "transfer_already_settled",
    });
    await post(completePayout(payout));
    await expect(post(returnPayout({ ...payout, amount_yen: 999 }))).rejects.toThrow(/exactly what it put in/);
    const without_fee = { ...payout, bank_fee_yen: 0, amount_yen: 750 };
    await expect(post(returnPayout(without_fee))).rejects.toThrow(/exactly what it put in/);
  });

  test("that the bank returns after it was paid restores the whole amount", async () => {
    const creator_id = await creatorWith(2000);
    const payout = payoutOf(creator_id, 2000);
    await post(requestPayout(payout));
    await expect(post(returnPayout(payout))).rejects.toMatchObject({ code: "transfer_already_settled" });
    await post([completePayout(payout), returnPayout(payout)]);
    expect(await balancesOf(creator_id)).toEqual({
      available_yen: 2000,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
  });

  test("is refused beyond the balance, and posts nothing", async () => {
    const creator_id = await creatorWith(999);
    await expect(post(requestPayout(payoutOf(creator_id, 1000)))).rejects.toMatchObject({
      code: "balance_insufficient",
    });
    expect(await balancesOf(creator_id)).toEqual({
      available_yen: 999,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
  });

  test("of a person without earnings is refused", async () => {
    const payout = payoutOf(await newCreator(), 1000);
    await expect(post(requestPayout(payout))).rejects.toMatchObject({ code: "balance_insufficient" });
    await expect(post(completePayout(payout))).rejects.toMatchObject({ code: "not_found" });
  });

  test("of ¥1,000 succeeds ten times on ¥10,000, of 200 requests at once", async () => {
    const creator_id = await creatorWith(10_000);
    const requests = Array.from({ length: 200 }, () => post(requestPayout(payoutOf(creator_id, 1000))));
    const settled = await Promise.allSettled(requests);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    const codes = settled.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(["balance_insufficient"]));
    expect(await balancesOf(creator_id)).toEqual({
      available_yen: 0,
      pending_yen: 0,
      in_transit_yen: 7500,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
  });
});

test("a creator leaves only when no money is under way and too little for a payout is left", async () => {
  const leave = (creator_id: string) => unsubscribe(contextOf(creator_id), domains);
  const refused = { code: "account_has_balance" };
  const waiting = await newCreator();
  await post(receivePayment(paymentTo(waiting, 100)));
  await expect(leave(waiting)).rejects.toMatchObject(refused);
  const rich = await creatorWith(1000);
  await expect(leave(rich)).rejects.toMatchObject(refused);
  const payout = payoutOf(rich, 1000);
  await post(requestPayout(payout));
  await expect(leave(rich)).rejects.toMatchObject(refused);
  await post(completePayout(payout));
  const almost = await creatorWith(999);
  for (const creator_id of [rich, almost]) await leave(creator_id);
  // The books are not changed by it.
  expect(await balancesOf(almost)).toEqual({
    available_yen: 999,
    pending_yen: 0,
    in_transit_yen: 0,
    held_yen: 0,
    held_pending_yen: 0,
    contested_yen: 0,
  });
});

test("one cause posts one transfer, of 100 at once", async () => {
  const creator_id = await newCreator();
  const payment = paymentTo(creator_id, 1000);
  const settled = await Promise.allSettled(Array.from({ length: 100 }, () => post(receivePayment(payment))));
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const each of settled) {
    if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "transfer_already_posted" });
  }
  expect(await balancesOf(creator_id)).toMatchObject({ pending_yen: 900 });
});

describe("a refund", () => {
  test("after a payout makes the balance negative, and later earnings recover it", async () => {
    const creator_id = await newCreator();
    const [first, later] = [paymentTo(creator_id, 10_000), paymentTo(creator_id, 2000)];
    await post([receivePayment(first), releaseEarnings(first), requestPayout(payoutOf(creator_id, 9000))]);
    const refund = await withdrawalOf(first);
    expect(refund.from).toBe("creator_payable");
    await post(issueRefund(refund));
    expect(await balancesOf(creator_id)).toMatchObject({ available_yen: -9000 });
    await post([receivePayment(later), releaseEarnings(later)]);
    expect(await balancesOf(creator_id)).toMatchObject({ available_yen: -7200 });
    await expect(post(requestPayout(payoutOf(creator_id, 1000)))).rejects.toMatchObject({
      code: "balance_insufficient",
    });
  });

  test("happens once, and again after the gateway failed to pay it", async () => {
    const creator_id = await newCreator();
    const payment = paymentTo(creator_id, 1000);
    const refundNow = () => ({ cause_id: newId(NOW_MS), payment, from: "creator_pending" }) as const;
    const [first, second] = [refundNow(), refundNow()];
    await post([receivePayment(payment), issueRefund(first)]);
    const { refunds } = await platformBalances();
    await expect(post(issueRefund(second))).rejects.toMatchObject({ code: "transfer_already_settled" });
    await expect(post(releaseEarnings(payment))).rejects.toMatchObject({ code: "transfer_already_settled" });
    await post([revertRefund(first), issueRefund(second), completeRefund(second)]);
    for (const again of [completeRefund(first), revertRefund(second)]) {
      await expect(post(again)).rejects.toMatchObject({ code: "transfer_already_settled" });
    }
    expect(await balancesOf(creator_id)).toMatchObject({ pending_yen: 0 });
    expect(await platformBalances()).toMatchObject({ refunds: refunds - 1000 });
  });

  test("takes the creator's share from where it is", async () => {
    const creator_id = await creatorWith(5000);
    const [released, waiting] = [paymentTo(creator_id, 1000), paymentTo(creator_id, 1000)];
    await post([receivePayment(released), releaseEarnings(released), receivePayment(waiting)]);
    const refuse = async (payment: Payment, from: "creator_pending" | "creator_payable") =>
      expect(post(issueRefund({ cause_id: newId(NOW_MS), payment, from }))).rejects.toMatchObject({
        code: "transfer_already_settled",
      });
    await refuse(released, "creator_pending");
    await refuse(waiting, "creator_payable");
  });
});

test("a dispute sets the shares aside; they return when it is won, and leave when it is lost", async () => {
  const creator_id = await newCreator();
  const disputeOver = (yen: number) =>
    ({ cause_id: newId(NOW_MS), payment: paymentTo(creator_id, yen), from: "creator_payable" }) as const;
  const [won, lost] = [disputeOver(1000), disputeOver(2000)];
  for (const dispute of [won, lost]) {
    await post([receivePayment(dispute.payment), releaseEarnings(dispute.payment), openDispute(dispute)]);
  }
  expect(await balancesOf(creator_id)).toMatchObject({ available_yen: 0 });
  expect(await platformBalances()).toMatchObject({ disputes: 3000 });
  const before = await platformBalances();
  await post([winDispute(won), loseDispute(lost), chargeGatewayFee({ cause_id: newId(NOW_MS), fee_yen: 1500 })]);
  expect(await balancesOf(creator_id)).toMatchObject({ available_yen: 900 });
  const after = await platformBalances();
  expect(after).toMatchObject({ disputes: 0, gateway_clearing: before.gateway_clearing - 3500, gateway_fee: 1500 });
  for (const again of [loseDispute(won), winDispute(lost)]) {
    await expect(post(again)).rejects.toMatchObject({ code: "transfer_already_settled" });
  }
});

describe("the database itself refuses", () => {
  let creator_id: string;
  beforeAll(async () => {
    creator_id = await creatorWith(1000);
    await post(chargeGatewayFee({ cause_id: newId(NOW_MS), fee_yen: 1 }));
  });

  /** Posts by plain SQL, as code that does not use `postTransfer` would. */
  const raw = (postings: [account: string, amount: number, balance_after?: number][], more: { kind?: string } = {}) => {
    const transfer_id = newId(NOW_MS);
    const kind = more.kind ?? "gateway_fee_charged";
    const add = d1.prepare(
      `INSERT INTO ledger_postings (transfer_id, kind, account_id, amount, balance_after)
        SELECT ?1, ?2, account_id, ?4, coalesce(?5, balance + iif(side = 'debit', ?4, -?4))
        FROM ledger_accounts WHERE account_id = ?3`,
    );
    return {
      postings: postings.map(([account, amount, balance_after]) =>
        add.bind(transfer_id, kind, account, amount, balance_after ?? null),
      ),
      transfer: d1
        .prepare(
          `INSERT INTO ledger_transfers (transfer_id, kind, cause_type, cause_id, origin_transfer_id, created_at)
            VALUES (?1, ?2, 'gateway_fee', ?1, ?1, '2026-11-20T03:00:00.000Z')`,
        )
        .bind(transfer_id, kind),
      add,
      transfer_id,
    };
  };
  const refusal = (statements: D1PreparedStatement[]) => expect(d1.batch(statements)).rejects;
  const payable = () => `creator_payable:${creator_id}`;

  test("a transfer that does not sum to zero", async () => {
    const { postings, transfer } = raw([
      ["gateway_fee", 10],
      ["gateway_clearing", -9],
    ]);
    await refusal([...postings, transfer]).toThrow(/sum to zero/);
  });
  test("a transfer with one posting, and one with none", async () => {
    const one = raw([["gateway_fee", 10]]);
    await refusal([...one.postings, one.transfer]).toThrow(/two postings/);
    await refusal([one.transfer]).toThrow(/two postings/);
  });
  test("postings without their transfer, at the end of the batch", async () => {
    const { postings, transfer_id } = raw([
      ["gateway_fee", 10],
      ["gateway_clearing", -10],
    ]);
    // Local D1 says "internal error" for a deferred foreign key, and begins again.
    await refusal(postings).toThrow();
    const left = await d1.prepare("SELECT COUNT(*) AS n FROM ledger_postings WHERE transfer_id = ?").bind(transfer_id);
    expect(await left.first("n")).toBe(0);
  });
  test("postings under another kind than their transfer's", async () => {
    const { postings, transfer_id } = raw([
      ["gateway_fee", 10],
      ["gateway_clearing", -10],
    ]);
    const other = d1.prepare(
      `INSERT INTO ledger_transfers (transfer_id, kind, cause_type, cause_id, origin_transfer_id, created_at)
        VALUES (?1, 'payout_paid', 'payout', ?1, ?1, '2026-11-20T03:00:00.000Z')`,
    );
    await refusal([...postings, other.bind(transfer_id)]).toThrow(/no rule/);
  });
  test("a posting that joins a finished transfer", async () => {
    const { postings, transfer, add, transfer_id } = raw([
      ["gateway_fee", 10],
      ["gateway_clearing", -10],
    ]);
    const late = add.bind(transfer_id, "gateway_fee_charged", "bank_fee", 5, null);
    await post(requestPayout(payoutOf(creator_id, 500)));
    await refusal([...postings, transfer, late]).toThrow(/append-only/);
  });
  test("a posting that no rule allows", async () => {
    const { postings, transfer } = raw([
      ["gateway_fee", 10],
      ["platform_fee", -10],
    ]);
    await refusal([...postings, transfer]).toThrow(/no rule/);
  });
  test("a posting in the other direction than its rule", async () => {
    const { postings, transfer } = raw([
      ["gateway_fee", -1],
      ["gateway_clearing", 1],
    ]);
    await refusal([...postings, transfer]).toThrow(/no rule/);
  });
  test("a false balance after a posting", async () => {
    const { postings, transfer } = raw([
      ["gateway_fee", 10, 1_000_000],
      ["gateway_clearing", -10],
    ]);
    await refusal([...postings, transfer]).toThrow(/balance_after is/);
  });
  test.each([0, 2 ** 53, 1.5])("an amount of %s", async (amount) => {
    const { postings, transfer } = raw([
      ["gateway_fee", amount],
      ["gateway_clearing", -amount],
    ]);
    await refusal([...postings, transfer]).toThrow(/CHECK|cannot store REAL/);
  });
  test("a second posting on an account, and a posting in the place of another", async () => {
    const { postings, transfer } = raw([
      ["gateway_fee", 10],
      ["gateway_fee", 10],
      ["gateway_clearing", -20],
    ]);
    await refusal([...postings, transfer]).toThrow(/append-only/);
    const replace = `INSERT OR REPLACE INTO ledger_postings (number, transfer_id, kind, account_id, amount, balance_after)
      SELECT number, ?, kind, account_id, amount, balance_after FROM ledger_postings LIMIT 1`;
    await refusal([d1.prepare(replace).bind(newId(NOW_MS))]).toThrow(/append-only/);
  });
  test("an origin that is not the first of its family, and a transfer whose number leaves a gap", async () => {
    const add = (column: string, value: string) => {
      const { postings, transfer_id } = raw([
        ["gateway_fee", 10],
        ["gateway_clearing", -10],
      ]);
      const columns = { number: "NULL", origin_transfer_id: "?1", [column]: value };
      const transfer = `INSERT INTO ledger_transfers
          (transfer_id, kind, cause_type, cause_id, created_at, number, origin_transfer_id)
        SELECT ?1, 'gateway_fee_charged', 'gateway_fee', ?1, '2026-11-20T03:00:00.000Z',
          ${columns.number}, ${columns.origin_transfer_id}`;
      return [...postings, d1.prepare(transfer).bind(transfer_id)];
    };
    const follower = "(SELECT transfer_id FROM ledger_transfers WHERE kind = 'earnings_released' LIMIT 1)";
    await refusal(add("origin_transfer_id", follower)).toThrow(/first of its family/);
    await refusal(add("number", "(SELECT MAX(number) + 2 FROM ledger_transfers)")).toThrow(/one more than/);
  });
  test("gaps in the numbers", async () => {
    const { transfer_id } = raw([]);
    await refusal([
      d1
        .prepare(
          `INSERT INTO ledger_postings (number, transfer_id, kind, account_id, amount, balance_after)
          VALUES (9999999, ?, 'membership', 'gateway_fee', 1, 1)`,
        )
        .bind(transfer_id),
    ]).toThrow(/one more than/);
  });
  test.each([
    "UPDATE ledger_postings SET amount = amount + 1",
    "DELETE FROM ledger_postings",
    "INSERT OR REPLACE INTO ledger_postings SELECT * FROM ledger_postings LIMIT 1",
    "UPDATE ledger_transfers SET kind = 'membership'",
    "DELETE FROM ledger_transfers",
    "INSERT OR REPLACE INTO ledger_transfers SELECT * FROM ledger_transfers LIMIT 1",
    "DELETE FROM ledger_accounts",
  ])("%s", async (statement) => {
    await expect(d1.prepare(statement).run()).rejects.toThrow(/append-only/);
  });
  test.each(["account_id", "kind", "owner_id", "side", "may_be_negative"])("an account's other %s", async (column) => {
    const change = `UPDATE ledger_accounts SET ${column} = (SELECT ${column} FROM ledger_accounts AS other
      WHERE other.${column} IS NOT ledger_accounts.${column} LIMIT 1)`;
    await expect(d1.prepare(change).run()).rejects.toThrow(/by postings alone/);
  });
  test("a balance set without a posting, and an account that does not begin empty", async () => {
    const set = d1.prepare("UPDATE ledger_accounts SET balance = balance + 1 WHERE account_id = ?").bind(payable());
    await expect(set.run()).rejects.toThrow(/by postings alone/);
    for (const columns of [
      "'creator_pending:new', 'creator_pending', 'new', 'credit', 0, 5",
      "'platform_fee', 'platform_fee', NULL, 'credit', 0, 0",
      "'creator_payable', 'creator_payable', NULL, 'credit', 1, 0",
    ]) {
      const add = `INSERT OR REPLACE INTO ledger_accounts (account_id, kind, owner_id, side, may_be_negative, balance)
        VALUES (${columns})`;
      await expect(d1.prepare(add).run()).rejects.toThrow(/begins empty/);
    }
    const sided = `INSERT INTO ledger_accounts (account_id, kind, owner_id, side, may_be_negative)
      VALUES ('creator_pending:x', 'creator_pending', 'x', 'debit', 1)`;
    await expect(d1.prepare(sided).run()).rejects.toThrow(/FOREIGN KEY/);
  });
  test("a kind of transfer with a cause of another type", async () => {
    const transfer: Transfer = {
      ...chargeGatewayFee({ cause_id: newId(NOW_MS), fee_yen: 5 }),
      cause: { type: "ofuse", id: newId(NOW_MS) },
    };
    await expect(post(transfer)).rejects.toThrow(/FOREIGN KEY/);
  });
  test("everything else in the batch of a refused transfer", async () => {
    const refused = postTransfer({ database, now_ms: NOW_MS }, requestPayout(payoutOf(creator_id, 1_000_000)));
    const rename = d1.prepare("UPDATE users SET name = 'changed' WHERE user_id = ?").bind(creator_id);
    const statements = refused.map(({ sql, parameters }) => d1.prepare(sql).bind(...parameters));
    await refusal([rename, ...statements]).toThrow(/balance_insufficient/);
    expect(await d1.prepare("SELECT name FROM users WHERE user_id = ?").bind(creator_id).first("name")).not.toBe(
      "changed",
    );
  });
});

test("the kinds of accounts in the code are those of the database", async () => {
  const { results } = await d1
    .prepare("SELECT * FROM ledger_account_kinds")
    .all<{ kind: string; may_be_negative: number }>();
  const kinds = results.map(({ kind, may_be_negative, ...rest }) => [
    kind,
    { ...rest, may_be_negative: may_be_negative === 1 },
  ]);
  expect(Object.fromEntries(kinds)).toEqual(ACCOUNT_KINDS);
});

test("the rules of the database are the entries that the code computes", async () => {
  const payment = (kind: PaymentKind) => paymentTo("creator", 1000, { kind, campaign_id: "noto_2026" });
  const payments = (["ofuse_v3", "fan_letter_support", "comment_support", "membership"] as const).map(payment);
  const withdrawals = (["creator_pending", "creator_payable"] as const).map((from) => ({
    cause_id: "withdrawal",
    payment: payment("membership"),
    from,
  }));
  const payout = payoutOf("creator", 1000);
  const transfers = [
    ...payments.flatMap((each) => [receivePayment(each), releaseEarnings(each)]),
    ...withdrawals.flatMap((each) => [issueRefund(each), revertRefund(each), openDispute(each), winDispute(each)]),
    ...withdrawals.flatMap((each) => [completeRefund(each), loseDispute(each)]),
    ...[requestPayout, completePayout, returnPayout].map((build) => build(payout)),
    ...(["payout_failed", "payout_canceled"] as const).map((kind) => restorePayout(payout, kind)),
    chargeGatewayFee({ cause_id: "fee", fee_yen: 36 }),
  ];
  const entries = transfers.flatMap(({ kind, entries }) =>
    entries.map((entry) => `${kind} ${entry.kind} ${entry.amount > 0 ? "debit" : "credit"}`),
  );
  const listed = async (statement: string) =>
    (await d1.prepare(statement).all<{ line: string }>()).results.map(({ line }) => line);
  const rules = "SELECT transfer_kind || ' ' || account_kind || ' ' || direction AS line FROM ledger_rules";
  expect([...new Set(entries)].sort()).toEqual((await listed(rules)).sort());
  const causes = transfers.map(({ kind, cause }) => `${kind} ${cause.type}`);
  const kinds = "SELECT kind || ' ' || cause_type AS line FROM ledger_transfer_kinds";
  expect([...new Set(causes)].sort()).toEqual((await listed(kinds)).sort());
});

describe("the statements", () => {
  const MONTHS = { october: Date.UTC(2026, 9, 31, 14, 59, 59, 999), november: Date.UTC(2026, 9, 31, 15, 0, 0, 0) };
  const year = { from_ms: Date.UTC(2026, 0, 1), to_ms: Date.UTC(2027, 0, 1) };
  let creator_id: string;
  beforeAll(async () => {
    creator_id = await newCreator();
    const first = paymentTo(creator_id, 1000);
    await post([receivePayment(first), releaseEarnings(first)], MONTHS.october);
    await post(receivePayment(paymentTo(creator_id, 2000, { kind: "comment_support" })), MONTHS.november);
    await post(receivePayment(paymentTo(creator_id, 3000)), MONTHS.november + 1);
    await post(requestPayout(payoutOf(creator_id, 500)), MONTHS.november + 2);
  });

  test("add up by kind and Japanese month", async () => {
    const account = { kind: "creator_pending", owner_id: creator_id } as const;
    expect(await sumByKindAndMonth(database, account, ["membership", "comment_support"], year)).toEqual([
      { month: "2026-10", kind: "membership", change_yen: 900, postings_count: 1 },
      { month: "2026-11", kind: "comment_support", change_yen: 1800, postings_count: 1 },
      { month: "2026-11", kind: "membership", change_yen: 2700, postings_count: 1 },
    ]);
  });

  test("find no payment where none was made", async () => {
    expect(await findPayment(database, "ofuse_v3", newId(NOW_MS))).toBeNull();
    expect(await balancesOf(newId(NOW_MS))).toEqual({
      available_yen: 0,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
  });

  test("are in the person's export, page by page, and in nobody else's", async () => {
    const { items, next } = await exportPage(contextOf(creator_id), domains, "transactions", undefined);
    expect(next).toBeNull();
    expect(items.map(({ account, kind, amount }) => [account, kind, amount])).toEqual([
      ["creator_in_transit", "payout_requested", 250],
      ["creator_payable", "earnings_released", 900],
      ["creator_payable", "payout_requested", -500],
      ["creator_pending", "membership", 900],
      ["creator_pending", "earnings_released", -900],
      ["creator_pending", "comment_support", 1800],
      ["creator_pending", "membership", 2700],
    ]);
    expect((await exportPage(contextOf(await newCreator()), domains, "transactions", undefined)).items).toEqual([]);
  });
});

describe("with many postings on the same accounts", () => {
  /** Returns D1 with a count of the rows that its statements read, those of triggers included. */
  function countRows() {
    const count = { rows: 0 };
    const add = <R extends D1Result>(result: R): R => {
      count.rows += result.meta.rows_read ?? 0;
      return result;
    };
    const prepare = (statement: string) => ({
      bind: (...values: unknown[]) => {
        const bound = d1.prepare(statement).bind(...values);
        return Object.assign(bound, { all: async () => add(await Object.getPrototypeOf(bound).all.call(bound)) });
      },
    });
    const batch = async (statements: D1PreparedStatement[]) => (await d1.batch(statements)).map(add);
    return { counting: { prepare, batch } as unknown as D1Database, count };
  }
  /** Posts a payment and its refund, and checks their rows. Returns how many rows that read. */
  async function readRows(creator_id: string): Promise<number> {
    const { counting, count } = countRows();
    const payment = paymentTo(creator_id, 1000);
    const refund = { cause_id: newId(NOW_MS), payment, from: "creator_payable" } as const;
    const transfers = [receivePayment(payment), releaseEarnings(payment), issueRefund(refund), completeRefund(refund)];
    const statements = transfers.flatMap((transfer) => postTransfer({ database, now_ms: NOW_MS }, transfer));
    await counting.batch(statements.map(({ sql, parameters }) => d1.prepare(sql).bind(...parameters)));
    const [postings = 0, written = 0] = await Promise.all(
      ["ledger_postings", "ledger_transfers"].map((table) =>
        d1.prepare(`SELECT MAX(number) AS n FROM ${table}`).first<number>("n"),
      ),
    ).then((numbers) => numbers.map((n) => n ?? 0));
    for (const { first, last } of [
      { first: postings - 9, last: postings },
      { first: written - 3, last: written },
    ]) {
      expect(await checkPart(openDatabase(counting), { first, last })).toEqual([]);
    }
    return count.rows;
  }

  test("a transfer and its check read as many rows as with few", async () => {
    const creator_id = await newCreator();
    const few = await readRows(creator_id);
    const payments = Array.from({ length: 100 }, () => paymentTo(creator_id, 1000));
    await post(payments.flatMap((payment) => [receivePayment(payment), releaseEarnings(payment)]));
    expect(await readRows(creator_id)).toBeLessThan(few + 100);
    expect(few).toBeGreaterThan(100);
  });
});

describe("the hourly check", () => {
  const HOUR_MS = 60 * 60 * 1000;
  test("reads the newest part each hour, and every older part in turn", () => {
    expect(partsOfHour(0, 0)).toEqual([]);
    expect(partsOfHour(0, 7)).toEqual([{ first: 1, last: 7 }]);
    const last = 3 * CHECKED_AT_ONCE - 1;
    const hours = [0, 1, 2].map((hour) => partsOfHour(hour * HOUR_MS, last));
    for (const [newest] of hours) expect(newest).toEqual({ first: last - CHECKED_AT_ONCE + 1, last });
    expect(hours.map(([, older]) => older?.first)).toEqual([1, CHECKED_AT_ONCE + 1, 2 * CHECKED_AT_ONCE + 1]);
  });

  test("logs nothing for a sound ledger", async () => {
    const log = vi.spyOn(console, "error");
    await checkHourly({ database, clock: { now: () => 3 * HOUR_MS } });
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  });
});
