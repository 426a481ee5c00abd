/** What a creator sees of the ledger: transactions, reports, monthly earnings. */
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  findCreatorBalances,
  findPayment,
  findTransactionsOf,
  listTransactions,
  sumMonthlyEarnings,
} from "../../workers/api/ledger/queries.ts";
import { pageOfTransactions } from "../../workers/api/ledger/routes.ts";
import {
  issueRefund,
  loseDispute,
  openDispute,
  type Payment,
  type PaymentKind,
  receivePayment,
  releaseEarnings,
  requestPayout,
  restorePayout,
  revertRefund,
  splitPayment,
  type Transfer,
  winDispute,
} from "../../workers/api/ledger/rules.ts";
import { recordPayment } from "../../workers/api/payments/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { LAST_TRANSACTION_PAGE } from "../../workers/contract/bounds.ts";
import { listTransactions as listOperation, type Transaction } from "../../workers/contract/ledger.ts";
import { writeReportCsv } from "../../workers/contract/report-csv.ts";
import { japaneseDayOf } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, d1, NOW_MS } from "./support/context.ts";
import { expectSoundLedger, post } from "./support/ledger.ts";

const database = openDatabase(d1);
afterAll(expectSoundLedger);

const ALL = { from_ms: 0, to_ms: Date.UTC(2100) };
let people = 0;
const newCreator = () => addUser(`earner_${people++}`);

function paymentTo(creator_id: string, amount_yen: number, kind: PaymentKind = "membership"): Payment {
  const payment = { kind, cause_id: newId(NOW_MS), creator_id, campaign_id: null };
  return { ...payment, ...splitPayment(amount_yen) };
}
/** Writes the letter that a payment is for, which the invariants look for. */
const addLetter = ({ cause_id, creator_id, amount_yen, donation_yen, campaign_id }: Payment) =>
  d1.batch([
    d1.prepare(
      `INSERT OR IGNORE INTO donation_campaigns
        VALUES ('noto_2026', '能登', '', 'https://noto.example', '2026-01-01', '2027-01-01')`,
    ),
    d1
      .prepare(
        `INSERT INTO ofuses (ofuse_id, receiver_user_id, amount, message, is_public, created_at, letter_appearance_id,
            donation_campaign_id, donation)
          VALUES (?, ?, ?, 'こんにちは', 0, '2026-11-22', 'sakura', ?, ?)`,
      )
      .bind(cause_id, creator_id, amount_yen, campaign_id, donation_yen),
  ]);
/** Writes a letter and its payment. */
async function payLetter(payment: Payment, now_ms = NOW_MS): Promise<void> {
  await addLetter(payment);
  const charge = {
    ...{ payment_intent_id: newId(NOW_MS), charge_id: newId(NOW_MS) },
    ...{ paid_at_ms: now_ms, available_at_ms: NOW_MS, gateway_fee_yen: 0, is_contested: false },
  };
  const recorded = recordPayment({ database, now_ms }, { ...payment, payer_user_id: null, charge });
  await d1.batch(recorded.map(({ sql, parameters }) => d1.prepare(sql).bind(...parameters)));
}
const payoutOf = (creator_id: string, amount_yen: number) => ({
  payout_id: newId(NOW_MS),
  creator_id,
  amount_yen,
  bank_fee_yen: 250,
});
async function withdrawalOf({ kind, cause_id }: Payment) {
  const found = await findPayment(database, kind, cause_id);
  if (!found) throw new Error("nothing was paid");
  return { cause_id: newId(NOW_MS), ...found };
}
const listAll = (creator_id: string, more: Partial<Parameters<typeof listTransactions>[2]> = {}) =>
  listTransactions(database, creator_id, { ...ALL, offset: 0, limit: 100, ...more });
const shown = (transactions: Transaction[]) =>
  transactions.map(({ kind, event, amount, fee, net }) => [kind, event, amount, fee, net]);

describe("a creator's transactions", () => {
  test("show every change of the balance once, newest first, with its fee", async () => {
    const creator_id = await newCreator();
    const first = paymentTo(creator_id, 3000);
    const second = paymentTo(creator_id, 1000, "comment_support");
    const payout = payoutOf(creator_id, 1500);
    const at = (minutes: number) => NOW_MS + minutes * 60_000;
    await post(receivePayment(first), at(1));
    await post(releaseEarnings(first), at(2));
    await post(receivePayment(second), at(3));
    await post(requestPayout(payout), at(4));
    await post(restorePayout(payout, "payout_failed"), at(5));
    const refund = await withdrawalOf(second);
    await post(issueRefund(refund), at(6));
    await post(revertRefund(refund), at(7));
    const dispute = await withdrawalOf(first);
    await post(openDispute(dispute), at(8));
    await post(winDispute(dispute), at(9));
    expect(shown(await listAll(creator_id))).toEqual([
      ["membership", "dispute_won", 3000, 300, 2700],
      ["membership", "disputed", -3000, -300, -2700],
      ["comment_support", "refund_failed", 1000, 100, 900],
      ["comment_support", "refunded", -1000, -100, -900],
      ["payout", "payout_failed", 1250, -250, 1500],
      ["payout", "payout_requested", -1250, 250, -1500],
      ["comment_support", "paid", 1000, 100, 900],
      ["membership", "paid", 3000, 300, 2700],
    ]);
    // A correction names what was paid for.
    const comments = await listAll(creator_id, { kind: "comment_support" });
    expect(comments.map(({ event, subject_id }) => [event, subject_id])).toEqual(
      ["refund_failed", "refunded", "paid"].map((event) => [event, second.cause_id]),
    );
    expect(shown(await listAll(creator_id, { kind: "payout" }))).toHaveLength(2);
    expect(await listAll(creator_id, { kind: "ofuse_v3" })).toEqual([]);
    expect(shown(await listAll(creator_id, { offset: 6, limit: 1 }))).toEqual([
      ["comment_support", "paid", 1000, 100, 900],
    ]);
    expect(await listAll(await newCreator())).toEqual([]);
  });

  test("show a fan letter, and what of it went to a campaign, also when that is everything", async () => {
    const creator_id = await newCreator();
    for (const [index, donation_percent] of [30, 100].entries()) {
      const payment = {
        ...paymentTo(creator_id, 1000, "fan_letter_support"),
        ...splitPayment(1000, { donation_percent }),
        campaign_id: "noto_2026",
      };
      await payLetter(payment, NOW_MS + index);
      await post(issueRefund(await withdrawalOf(payment)), NOW_MS + 10 + index);
    }
    const expected = [
      ["refunded", -1000, -100, -900, 0],
      ["refunded", -1000, -100, -270, -630],
      ["paid", 1000, 100, 900, 0],
      ["paid", 1000, 100, 270, 630],
    ].map(([event, ...yen]) => ["fan_letter_support", event, ...yen]);
    const withDonations = (transactions: Transaction[]) =>
      transactions.map(({ kind, event, amount, fee, donation, net }) => [kind, event, amount, fee, donation, net]);
    expect(withDonations(await listAll(creator_id))).toEqual(expected);
    // Of the second, nothing becomes payable.
    const dates = (await listAll(creator_id)).map(({ available_at }) => available_at !== null);
    expect(dates).toEqual([false, false, false, true]);
    expect(withDonations(await listAll(creator_id, { kind: "fan_letter_support" }))).toEqual(expected);
    expect(await listAll(creator_id, { kind: "ofuse_v3" })).toEqual([]);
    expect(await listAll(creator_id, { kind: "payout" })).toEqual([]);
    const csv = writeReportCsv({
      transactions: (await findTransactionsOf(database, creator_id, { ...ALL, limit: 10 })) ?? [],
      issuer_number: null,
    });
    expect(csv.split("\r\n")[2]).toMatch(/ファンレター,売上,1000,100,900,0,/);
  });

  test("of all time add up to the balances, whatever happened", async () => {
    const acts = fc.array(
      fc.record({ yen: fc.integer({ min: 100, max: 11_000 }), end: fc.integer({ min: 0, max: 6 }) }),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(acts, async (list) => {
        const creator_id = await newCreator();
        for (const { yen, end } of list) {
          const payment = paymentTo(creator_id, yen, end % 2 === 0 ? "membership" : "comment_support");
          await post(receivePayment(payment));
          if (end >= 2) await post(releaseEarnings(payment));
          const withdrawal = await withdrawalOf(payment);
          const ends: (Transfer | null)[] = [
            null,
            issueRefund(withdrawal),
            issueRefund(withdrawal),
            openDispute(withdrawal),
            null,
            null,
            null,
          ];
          const transfer = ends[end];
          if (transfer) await post(transfer);
          if (end === 3) await post(loseDispute(withdrawal));
          const { available_yen } = await findCreatorBalances(database, creator_id);
          if (end >= 5 && available_yen > 250) {
            const payout = payoutOf(creator_id, available_yen);
            await post(requestPayout(payout));
            if (end === 6) await post(restorePayout(payout, "payout_canceled"));
          }
        }
        const { available_yen, pending_yen } = await findCreatorBalances(database, creator_id);
        const sum = (await listAll(creator_id)).reduce((total, { net }) => total + net, 0);
        expect(sum).toBe(available_yen + pending_yen);
      }),
      { seed: 31, numRuns: 6 },
    );
  });
});

test("a transaction of a letter that its receiver reported, or an operator removed, leads to no letter", async () => {
  const creator_id = await newCreator();
  const letters = await Promise.all(
    [100, 200, 300].map(async (yen) => {
      const payment = paymentTo(creator_id, yen, "fan_letter_support");
      await payLetter(payment);
      return payment.cause_id;
    }),
  );
  await post(receivePayment(paymentTo(creator_id, 400)));
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, reason, created_at)
          VALUES (?, ?, 'ofuse', ?, 'slander', '2026-11-22')`,
      )
      .bind(newId(NOW_MS), creator_id, letters[0]),
    d1.prepare("UPDATE ofuses SET removed_at = '2026-11-22' WHERE ofuse_id = ?").bind(letters[1]),
  ]);
  const opened = (await listAll(creator_id)).map(({ amount, can_open_letter }) => [amount, can_open_letter]);
  expect(opened.toSorted()).toEqual([
    [100, false],
    [200, false],
    [300, true],
    [400, false],
  ]);
});

test("a transaction says when it becomes payable, unless operators hold its payment", async () => {
  const creator_id = await newCreator();
  const payment = paymentTo(creator_id, 100, "fan_letter_support");
  await payLetter(payment);
  const datesOf = async () => (await listAll(creator_id)).map(({ available_at }) => available_at);
  expect(await datesOf()).toEqual([new Date(NOW_MS).toISOString()]);
  await d1.prepare("UPDATE payments SET held_at = paid_at WHERE cause_id = ?").bind(payment.cause_id).run();
  expect(await datesOf()).toEqual([null]);
});

test("a page of transactions names a next page only if that page may be asked for", () => {
  // One more than the page holds, so there are older ones.
  const found = Array.from({ length: 21 }, () => ({}) as Transaction);
  const pages = [1, LAST_TRANSACTION_PAGE - 1, LAST_TRANSACTION_PAGE];
  const shown = pages.map((page) => pageOfTransactions(found, page, 20));
  expect(shown.map(({ has_next }) => has_next)).toEqual([true, true, false]);
  expect(shown.map(({ transactions }) => transactions.length)).toEqual([20, 20, 20]);
  for (const { has_next, page_number } of shown) {
    const next = listOperation.query.safeParse({ page_number: page_number + 1 });
    expect(next.success, `page ${page_number + 1}`).toBe(has_next);
  }
});

describe("a month", () => {
  test("begins and ends at midnight in Japan", async () => {
    const creator_id = await newCreator();
    const start = japaneseDayOf("2026-12-01");
    await post(receivePayment(paymentTo(creator_id, 1000)), start - 1);
    await post(receivePayment(paymentTo(creator_id, 2000)), start);
    await post(receivePayment(paymentTo(creator_id, 4000)), japaneseDayOf("2027-01-01"));
    const december = { from_ms: start, to_ms: japaneseDayOf("2027-01-01") };
    expect(shown(await listAll(creator_id, december))).toEqual([["membership", "paid", 2000, 200, 1800]]);
    const year = { from_ms: japaneseDayOf("2026-01-01"), to_ms: december.to_ms };
    const months = await sumMonthlyEarnings(database, creator_id, year);
    expect(months.map(({ month, earned }) => [month, earned])).toEqual([
      ...Array.from({ length: 10 }, (_, index) => [`2026-${String(index + 1).padStart(2, "0")}`, 0]),
      ["2026-11", 900],
      ["2026-12", 1800],
    ]);
  });

  test("counts what was earned by kind, less what was refunded, and not what was paid out", async () => {
    const creator_id = await newCreator();
    const [kept, refunded] = [paymentTo(creator_id, 1000), paymentTo(creator_id, 500, "comment_support")];
    await post([receivePayment(kept), receivePayment(refunded)]);
    await post([releaseEarnings(kept), releaseEarnings(refunded)]);
    await post(issueRefund(await withdrawalOf(refunded)));
    await post(requestPayout(payoutOf(creator_id, 300)));
    const range = { from_ms: japaneseDayOf("2026-11-01"), to_ms: japaneseDayOf("2026-12-01") };
    expect(await sumMonthlyEarnings(database, creator_id, range)).toEqual([
      {
        ...{ month: "2026-11", ofuse_v3: 0, fan_letter_support: 0, membership: 900, comment_support: 450 },
        ...{ corrections: -450, earned: 900 },
      },
    ]);
  });
});

test("a report is refused when it is too long, and is in the order of time", async () => {
  const creator_id = await newCreator();
  for (const [index, yen] of [1000, 2000, 3000].entries()) {
    await post(receivePayment(paymentTo(creator_id, yen)), NOW_MS + index);
  }
  expect(await findTransactionsOf(database, creator_id, { ...ALL, limit: 2 })).toBeNull();
  const found = await findTransactionsOf(database, creator_id, { ...ALL, limit: 3 });
  expect(found?.map(({ amount }) => amount)).toEqual([1000, 2000, 3000]);
});

test("the CSV begins with a byte order mark, and every line ends in CRLF, and no name is a formula", () => {
  const transaction: Transaction = {
    ...{
      transaction_id: newId(NOW_MS),
      kind: "payout" as const,
      event: "payout_failed" as const,
      subject_id: newId(NOW_MS),
      can_open_letter: false,
    },
    ...{ amount: 1250, fee: -250, donation: 0, net: 1500, created_at: "2026-11-30T15:00:00.000Z" },
    ...{ title: null, sender_name: '=HYPERLINK("x")', available_at: null, dispute_status: null },
    ...{ receipt_number: null, seller_number: null },
  };
  const [head = "", row = "", ...rest] = writeReportCsv({ transactions: [transaction], issuer_number: null }).split(
    "\r\n",
  );
  expect(head).toBe(
    "\ufeff日時,種類,内容,金額,手数料,寄付,差引,明細番号,プラン,支払った人,領収番号,税率,消費税額,手数料の消費税額,売り手の登録番号,発行者の登録番号",
  );
  expect(row).toBe(
    `2026/12/01 00:00:00,振込,振込の失敗（残高に戻りました）,1250,-250,0,1500,${transaction.transaction_id},,"'=HYPERLINK(""x"")",,,,,,`,
  );
  expect(rest).toEqual([""]);
});
