/** Refunds and disputes: our rows, the ledger and the gateway agree, whatever fails between them. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { domains } from "../../workers/api/domains.ts";
import { unsubscribe } from "../../workers/api/leaving/commands.ts";
import { findCreatorBalances, listTransactions } from "../../workers/api/ledger/queries.ts";
import { requestPayout, splitPayment } from "../../workers/api/ledger/rules.ts";
import { listOfuses } from "../../workers/api/ofuses/queries.ts";
import { findOperatedPayment, listHeldPayments, readBalances } from "../../workers/api/operator/queries.ts";
import {
  CHARGE_FIELDS,
  holdPayment,
  readCharge,
  recordPayment,
  releaseDue,
  returnMoney,
} from "../../workers/api/payments/commands.ts";
import { readSpending } from "../../workers/api/payments/queries.ts";
import {
  advanceRefund,
  advanceWithdrawals,
  refundChange,
  refundSyncStatements,
  takeOverMissed,
} from "../../workers/api/refunds/commands.ts";
import { noticesOfDispute, noticesOfDisputeEnd, noticesOfRefund } from "../../workers/api/refunds/notices.ts";
import { findPayerPath, findPaymentOfCharge } from "../../workers/api/refunds/queries.ts";
import { commit } from "../../workers/api/storage/commit.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { listPayments } from "../../workers/api/subscriptions/queries.ts";
import { describeEvent } from "../../workers/contract/report-csv.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { skipPauses } from "../support/hurry.ts";
import { addUser, contextOf, d1, emptyDatabaseOfMoney, servicesOf } from "./support/context.ts";
import { resetOnce } from "./support/failing-database.ts";
import { advanceTo, deliver, eventsOf, startGateway, type TestGateway } from "./support/gateway.ts";
import { expectSoundLedger, post } from "./support/ledger.ts";

skipPauses();

const DAY_MS = 24 * 60 * 60 * 1000;
const database = openDatabase(d1);
let gateway: TestGateway;
let now_ms: number;
let creator: string;
let fan: string;
let delivered: number;
/** The clearing account before the test: the books of earlier tests cannot be emptied. */
let cleared_before: number;

beforeEach(async () => {
  now_ms = Date.parse("2038-03-10T03:00:00Z");
  delivered = 0;
  await emptyDatabaseOfMoney();
  await d1.prepare("DELETE FROM clock_runs").run();
  gateway = await startGateway(now_ms);
  cleared_before = await readClearing();
  [creator, fan] = [await addUser(`c${newId(Date.now())}`, { is_creator: 1 }), await addUser(`f${newId(Date.now())}`)];
});
afterEach(expectSoundLedger);

const context = () => ({ ...contextOf(fan, { gateway, now_ms }), d1 });
const tick = () => advanceWithdrawals(servicesOf({ gateway, clock: { now: () => now_ms } }));
const takeOver = () => takeOverMissed(servicesOf({ gateway, clock: { now: () => now_ms } }));
const release = () => releaseDue(servicesOf({ gateway, clock: { now: () => now_ms } }));
async function wait(ms: number): Promise<void> {
  now_ms += ms;
  await advanceTo(gateway, now_ms);
}
/** Delivers the events since the last time. */
async function listen(): Promise<void> {
  const events = await eventsOf(delivered);
  delivered += events.length;
  await deliver(gateway, events, now_ms);
}

/**
 * A fan pays 1,000 yen for a comment; 900 are the creator's. Returns the payment's row. `before` happens before it is in the books, and
 * with `is_read_late` before the product reads it.
 */
async function pay(
  payment_method = "pm_card_visa",
  before = async (_charge: string) => {},
  is_read_late = false,
  of: { kind: "comment_support" | "ofuse_v3"; cause_id: string } = { kind: "comment_support", cause_id: newId(now_ms) },
) {
  const intent = await gateway.stripe.paymentIntents.create({
    amount: 1000,
    currency: "jpy",
    payment_method,
    confirm: true,
    return_url: "http://site.test/",
    expand: [CHARGE_FIELDS],
  });
  await before(readCharge(intent).charge_id);
  const read = is_read_late
    ? await gateway.stripe.paymentIntents.retrieve(intent.id, { expand: [CHARGE_FIELDS] })
    : intent;
  const payment = { ...of, creator_id: creator, campaign_id: null };
  const taken = { ...payment, ...splitPayment(1000), payer_user_id: fan, charge: readCharge(read) };
  const statements = recordPayment({ database, now_ms }, taken);
  await commit({ d1, database, now_ms, idempotency: null }, { statements });
  const row = await findPaymentOfCharge(database, { payment_intent: intent.id });
  if (!row) throw new Error("the payment has no row");
  return row;
}
type Row = Awaited<ReturnType<typeof pay>>;

/** Refunds a payment as an operator does. Returns the refund's id. */
async function refund(row: Row): Promise<string> {
  const { refund_id, change } = refundChange({ database, now_ms }, row, { cause: "operator" });
  await commit({ d1, database, now_ms, idempotency: null }, change);
  return refund_id;
}
/** Returns a payment's row as it is now. */
const readAgain = async ({ payment_id }: Row): Promise<Row> =>
  (await findPaymentOfCharge(database, { payment_id })) ?? Promise.reject(new Error("the payment has no row"));
const statesOf = async ({ payment_id }: Row) => {
  const { refunds, disputes, withdrawn_at } = await findOperatedPayment(context(), payment_id);
  return { refunds: refunds.map(({ status }) => status), disputes: disputes.map(({ status }) => status), withdrawn_at };
};
const balances = () => findCreatorBalances(database, creator);
const refundsAtGateway = async ({ payment_intent_id }: Row) =>
  (await gateway.stripe.refunds.list({ payment_intent: payment_intent_id })).data.length;
async function readClearing(): Promise<number> {
  const { accounts } = await readBalances(contextOf(null, { gateway, now_ms }));
  return accounts.find(({ kind }) => kind === "gateway_clearing")?.balance ?? 0;
}
/** Collects the lines of warnings while `work` runs. */
async function warningsOf(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "warn").mockImplementation((line) => void lines.push(String(line)));
  await work().finally(() => spy.mockRestore());
  return lines.map((line) => JSON.parse(line));
}

/** What the gateway keeps is what the books say that it keeps. */
async function expectReconciled(): Promise<void> {
  const { gateway: kept } = await readBalances(context());
  expect((kept?.available ?? 0) + (kept?.pending ?? 0)).toBe((await readClearing()) - cleared_before);
}

/** Collects the messages of errors that operators see, while `work` runs. */
async function errorsOf(work: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
  await work().finally(() => spy.mockRestore());
  return lines.map((line) => JSON.parse(line).message);
}

test("the release of a payment that fails does not delay the others", async () => {
  await pay();
  await pay();
  await wait(5 * DAY_MS);
  const failing = servicesOf({ d1: resetOnce(), gateway, clock: { now: () => now_ms } });
  await expect(releaseDue(failing)).rejects.toThrow("unavailable");
  expect(await balances()).toMatchObject({ pending_yen: 900, available_yen: 900 });
  await release();
  expect(await balances()).toMatchObject({ pending_yen: 0, available_yen: 1800 });
});

describe("a refund", () => {
  test("takes every share back, pays the fan, and tells both", async () => {
    const row = await pay();
    expect(await balances()).toMatchObject({ pending_yen: 900 });
    await advanceRefund(context(), await refund(row));
    expect(await statesOf(row)).toMatchObject({ refunds: ["paid"] });
    expect(await balances()).toMatchObject({ pending_yen: 0, available_yen: 0 });
    expect(await refundsAtGateway(row)).toBe(1);
    await expectReconciled();
    const { payment_id, payer_user_id, creator_user_id, amount, creator_share } = row;
    const notices = noticesOfRefund({ payment_id, payer_user_id, creator_user_id, amount, creator_share });
    expect(notices.map(({ user_id, message }) => [user_id, message])).toEqual([
      [creator, expect.stringContaining("1,000円のお支払いを、運営がファンの方に返金しました")],
      [fan, expect.stringContaining("1,000円のお支払いを返金しました")],
    ]);
  });

  test("after a payout makes the balance negative, and the next earnings recover it", async () => {
    const row = await pay();
    await wait(5 * DAY_MS);
    await release();
    await post(requestPayout({ payout_id: newId(now_ms), creator_id: creator, amount_yen: 900, bank_fee_yen: 250 }));
    expect(await balances()).toMatchObject({ available_yen: 0, in_transit_yen: 650 });
    await advanceRefund(context(), await refund(await readAgain(row)));
    expect(await balances()).toMatchObject({ available_yen: -900 });
    await expectReconciled();
    await pay();
    await wait(5 * DAY_MS);
    await release();
    expect(await balances()).toMatchObject({ available_yen: 0 });
  });

  test("is issued once, however many operators ask", async () => {
    const row = await pay();
    const asked = await Promise.allSettled([refund(row), refund(row), refund(row)]);
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(refund(row)).rejects.toMatchObject({ code: "payment_withdrawn" });
    await Promise.all([tick(), tick(), listen()]);
    await listen();
    expect(await statesOf(row)).toMatchObject({ refunds: ["paid"] });
    expect(await refundsAtGateway(row)).toBe(1);
  });

  test("does not find the share that the clock has just released, and can be asked for again", async () => {
    const row = await pay();
    await wait(5 * DAY_MS);
    await release();
    await expect(refund(row)).rejects.toMatchObject({ code: "unavailable" });
  });

  test.each(["silent", "500", "lost answer"] as const)(
    "of a gateway that is %s is sent once when it answers",
    async (fault) => {
      const row = await pay();
      const refund_id = await refund(row);
      gateway.fault = (path) => (path === "/v1/refunds" ? fault : null);
      await expect(advanceRefund(context(), refund_id)).rejects.toMatchObject({ code: "gateway_unreachable" });
      await tick();
      expect(await statesOf(row)).toMatchObject({ refunds: ["pending"] });
      gateway.fault = () => null;
      await tick();
      expect(await statesOf(row)).toMatchObject({ refunds: ["paid"] });
      expect(await refundsAtGateway(row)).toBe(1);
      await expectReconciled();
    },
  );

  test("at which the gateway always fails is named in the log with the cause", async () => {
    const refund_id = await refund(await pay());
    gateway.fault = (path) => (path === "/v1/refunds" ? "500" : null);
    const warnings = await warningsOf(tick);
    gateway.fault = () => null;
    await tick();
    expect(warnings).toEqual([
      expect.objectContaining({
        message: "the gateway did not answer, and the row waits",
        row: `refunds ${refund_id}`,
        causes: [expect.stringMatching(/^StripeAPIError: .*\(.*500/)],
      }),
    ]);
  });

  test("that the gateway refuses gives everybody their share back", async () => {
    const row = await pay("pm_card_createDispute");
    const refund_id = await refund(row);
    await advanceRefund(context(), refund_id);
    expect(await statesOf(row)).toMatchObject({ refunds: ["failed"], withdrawn_at: null });
    expect(await balances()).toMatchObject({ pending_yen: 900 });
  });

  test("that somebody made in the gateway's dashboard is taken over, and one of a part is not", async () => {
    const [whole, part] = [await pay(), await pay()];
    await gateway.stripe.refunds.create({ payment_intent: whole.payment_intent_id });
    await gateway.stripe.refunds.create({ payment_intent: part.payment_intent_id, amount: 1 });
    await listen();
    await tick();
    expect(await statesOf(whole)).toMatchObject({ refunds: ["paid"] });
    expect(await statesOf(part)).toMatchObject({ refunds: [], withdrawn_at: null });
  });
});

describe("a refund that fails after the gateway made it", () => {
  /** Makes a refund fail at the gateway, which never lets one fail by itself. */
  async function fail(id: string): Promise<void> {
    const failed = "UPDATE objects SET body = json_set(body, '$.status', 'failed') WHERE id = ?";
    await env.GATEWAY_DB.prepare(failed).bind(id).run();
  }
  const refundOf = async ({ payment_intent_id }: Row) =>
    (await gateway.stripe.refunds.list({ payment_intent: payment_intent_id })).data[0] as Stripe.Refund;

  test("is logged with its ids when a webhook tells, and in the next hour when none does", async () => {
    const row = await pay();
    const refund_id = await refund(row);
    await advanceRefund(context(), refund_id);
    const { id } = await refundOf(row);
    expect(await errorsOf(() => refundSyncStatements(context(), id))).toEqual([]);
    await fail(id);
    const told = [`refund ${refund_id} (${id}) of payment ${row.payment_id} failed after it was paid`];
    expect(await errorsOf(() => refundSyncStatements(context(), id))).toEqual(told);
    expect(await errorsOf(takeOver)).toEqual(told);
    // The payer was not paid, and the creator has no share: an operator decides.
    expect(await statesOf(row)).toMatchObject({ refunds: ["paid"] });
    expect(await balances()).toMatchObject({ pending_yen: 0, available_yen: 0 });
  });

  test("is not logged when a later attempt of the same refund was paid", async () => {
    const row = await pay();
    const refund_id = await refund(row);
    await advanceRefund(context(), refund_id);
    const { id } = await refundOf(row);
    await fail(id);
    await d1.prepare("UPDATE refunds SET gateway_refund_id = 're_later' WHERE refund_id = ?").bind(refund_id).run();
    expect(await errorsOf(() => refundSyncStatements(context(), id))).toEqual([]);
  });

  test.each(["checkout_id", "joining_id"])("of a payment that was not delivered is logged by its %s", async (name) => {
    const intent = await gateway.stripe.paymentIntents.create({
      ...{ amount: 1000, currency: "jpy", payment_method: "pm_card_visa", confirm: true },
      return_url: "http://site.test/",
    });
    const asked = { payment_intent: intent.id, metadata: { [name]: "01example" } };
    expect(await returnMoney(gateway, asked, `return ${name}`)).toBe(true);
    const [{ id = "" } = {}] = (await gateway.stripe.refunds.list({ payment_intent: intent.id })).data;
    await fail(id);
    const what = name.replace("_id", "");
    expect(await errorsOf(() => refundSyncStatements(context(), id))).toEqual([
      `refund ${id} of the undelivered ${what} 01example failed`,
    ]);
  });

  test.each(["checkout_id", "joining_id"])(
    "of a payment that was not delivered is not logged while or after another refund returns the money (%s)",
    async (name) => {
      const intent = await gateway.stripe.paymentIntents.create({
        ...{ amount: 1000, currency: "jpy", payment_method: "pm_card_visa", confirm: true },
        return_url: "http://site.test/",
      });
      const metadata = { [name]: "01example" };
      const { id, charge } = await gateway.stripe.refunds.create({ payment_intent: intent.id, metadata });
      await fail(id);
      const waiting =
        name === "checkout_id"
          ? "INSERT INTO checkouts (checkout_id, kind, creator_user_id, amount, status, created_at, asked_at) VALUES ('01example', 'ofuse', ?1, 1000, 'returning', ?2, ?2)"
          : "INSERT INTO abandoned_joinings (joining_id, session_id, created_at) VALUES ('01example', ?1, ?2)";
      await d1.prepare(waiting).bind(creator, new Date(now_ms).toISOString()).run();
      expect(await errorsOf(() => refundSyncStatements(context(), id))).toEqual([]);
      await d1.batch([d1.prepare("DELETE FROM abandoned_joinings"), d1.prepare("DELETE FROM checkouts")]);
      expect(await errorsOf(() => refundSyncStatements(context(), id))).toHaveLength(1);
      const unpaid = "UPDATE objects SET body = json_set(body, '$.amount_refunded', 0) WHERE id = ?";
      await env.GATEWAY_DB.prepare(unpaid).bind(String(charge)).run();
      await gateway.stripe.refunds.create({ payment_intent: intent.id, metadata });
      expect(await errorsOf(() => refundSyncStatements(context(), id))).toEqual([]);
    },
  );

  test("at once has returned no money", async () => {
    const failing = { ...gateway, call: async () => ({ status: "failed" }) } as unknown as TestGateway;
    expect(await returnMoney(failing, { payment_intent: "pi_1", metadata: {} }, "return")).toBe(false);
  });
});

test("the notice of a refund leads its payer to the payment, and to all payments when that has no page", async () => {
  const row = await pay();
  const pathOf = async () => {
    const payer_path = await findPayerPath(database, row);
    return noticesOfRefund({ ...row, payer_path }).map(({ message, path }) => [message.slice(0, 8), path]);
  };
  expect((await pathOf())[1]).toEqual(["コメントの1,0", "/my/settings/payments"]);
  const invoice = { kind: "membership" as const, cause_id: newId(now_ms) };
  expect(await findPayerPath(database, invoice)).toBeNull();
  await d1
    .prepare(
      `INSERT INTO invoices (invoice_id, subscription_id, user_id, creator_user_id, membership_id, gateway_id, number,
         title, amount, period_start, period_end, paid_at)
       VALUES (?, 'sub', ?, ?, 'plan', ?, 'n', 't', 500, '2038-01', '2038-02', '2038-01')`,
    )
    .bind(invoice.cause_id, fan, creator, invoice.cause_id)
    .run();
  expect(await findPayerPath(database, invoice)).toBe(`/my/subscriptions/sub/invoices/${invoice.cause_id}`);
});

describe("a dispute", () => {
  const end = (dispute_id: string, words: string) =>
    gateway.stripe.disputes.update(dispute_id, { evidence: { uncategorized_text: words } });
  /** What the payer's list of payments says of the only one. */
  const listedState = async () =>
    (await listPayments(contextOf(fan, { gateway, now_ms }), fan, { page_number: 1, page_size: 20 })).payments[0]
      ?.refund_state;
  const paidThisMonth = async () => (await readSpending(context())).paid;
  async function openOne(): Promise<{ row: Row; dispute_id: string }> {
    const row = await pay("pm_card_createDispute");
    await listen();
    const [dispute] = (await gateway.stripe.disputes.list({ payment_intent: row.payment_intent_id })).data;
    return { row, dispute_id: dispute?.id ?? "" };
  }

  test("sets the shares aside, and a won one returns them", async () => {
    const { row, dispute_id } = await openOne();
    expect(await statesOf(row)).toMatchObject({ disputes: ["open"] });
    expect(await listedState()).toBe("disputed");
    expect(await paidThisMonth(), "a dispute frees the payer's limit").toBe(1000);
    expect(await balances()).toMatchObject({ pending_yen: 0 });
    await wait(5 * DAY_MS);
    await release();
    expect(await balances()).toMatchObject({ pending_yen: 0, available_yen: 0 });
    await end(dispute_id, "winning_evidence");
    await listen();
    expect(await statesOf(row)).toMatchObject({ disputes: ["won"], withdrawn_at: null });
    expect(await listedState()).toBeNull();
    await release();
    expect(await balances()).toMatchObject({ available_yen: 900 });
    await expectReconciled();
  });

  test("is asked about although the gateway always fails at an older refund", async () => {
    const refunded = await pay();
    await refund(refunded);
    await wait(60_000);
    const { row, dispute_id } = await openOne();
    await end(dispute_id, "losing_evidence");
    await wait(DAY_MS);
    gateway.fault = (path) => (path === "/v1/refunds" ? "500" : null);
    await tick();
    now_ms += 60_000;
    await tick();
    expect(await statesOf(row)).toMatchObject({ disputes: ["lost"] });
    expect(await statesOf(refunded)).toMatchObject({ refunds: ["pending"] });
    gateway.fault = () => null;
    now_ms += 60_000;
    await tick();
    expect(await statesOf(refunded)).toMatchObject({ refunds: ["paid"] });
  });

  test("that is lost takes them for good, also when no webhook came", async () => {
    const { row, dispute_id } = await openOne();
    await end(dispute_id, "losing_evidence");
    await wait(DAY_MS);
    await tick();
    expect(await statesOf(row)).toMatchObject({ disputes: ["lost"] });
    expect(await listedState()).toBe("refunded");
    expect(await paidThisMonth()).toBe(0);
    expect(await balances()).toMatchObject({ pending_yen: 0, available_yen: 0 });
    await expectReconciled();
    await expect(refund(row)).rejects.toMatchObject({ code: "payment_withdrawn" });
  });
});

describe("a payment that its card issuer reports as fraud", () => {
  const warn = async (row: Row) =>
    (await gateway.stripe.rawRequest(
      "POST",
      `/v1/test_helpers/charges/${row.charge_id}/early_fraud_warning`,
    )) as unknown as Stripe.Radar.EarlyFraudWarning;

  test("is held before anybody is paid out, once, until an operator frees it", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const [row, other] = [await pay(), await pay()];
    await warn(row);
    await listen();
    expect(logged.mock.calls.flat().join()).toContain(row.payment_id);
    expect((await listHeldPayments(context())).payments).toMatchObject([{ payment_id: row.payment_id, amount: 1000 }]);
    logged.mockRestore();
    await wait(5 * DAY_MS);
    await release();
    expect([(await readAgain(row)).released_at, (await readAgain(other)).released_at]).toEqual([
      null,
      expect.any(String),
    ]);
    expect(await balances()).toMatchObject({ held_yen: 900, available_yen: 900 });
    await commit({ d1, database, now_ms, idempotency: null }, holdPayment({ database, now_ms }, row.payment_id, false));
    await deliver(gateway, await eventsOf(0), now_ms);
    await release();
    expect(await balances()).toMatchObject({ held_yen: 0, available_yen: 1800 });
    expect((await listHeldPayments(context())).payments).toEqual([]);
  });

  test("is not held when it goes back between the warning and the event", async () => {
    const row = await pay();
    expect(await warn(row)).toMatchObject({ actionable: true });
    await refund(row);
    await tick();
    await listen();
    expect(await readAgain(row)).toMatchObject({ withdrawn_at: expect.any(String), held_at: null });
  });

  test("is not held when the gateway has taken it back and the books do not know yet", async () => {
    const [refunded, disputed] = [await pay(), await pay()];
    await gateway.stripe.refunds.create({ charge: refunded.charge_id });
    await gateway.stripe.rawRequest("POST", `/v1/test_helpers/charges/${disputed.charge_id}/dispute`);
    for (const row of [refunded, disputed]) expect(await warn(row)).toMatchObject({ actionable: false });
    // The events of the warnings arrive before those of the refund and the dispute.
    const warnings = (await eventsOf()).filter(({ type }) => type === "radar.early_fraud_warning.created");
    expect(warnings).toHaveLength(2);
    await deliver(gateway, warnings, now_ms);
    for (const row of [refunded, disputed]) {
      expect(await readAgain(row)).toMatchObject({ withdrawn_at: null, held_at: null });
    }
  });
});

describe("a dispute of which the creator learns", () => {
  const messages = async () => {
    const { results } = await d1
      .prepare("SELECT message FROM notifications WHERE user_id = ? ORDER BY notification_id")
      .bind(creator)
      .all<{ message: string }>();
    return results.map(({ message }) => message.split("。").slice(0, -1));
  };
  const events = async () => {
    const listed = await listTransactions(database, creator, {
      from_ms: 0,
      to_ms: now_ms + DAY_MS,
      offset: 0,
      limit: 9,
    });
    return listed.map((each) => [describeEvent(each), each.net]);
  };

  test.each([
    [
      "winning_evidence",
      "は、カード会社に退けられました",
      "差し引いていた受け取り分900円を、残高に戻しました",
      "退けられました",
    ],
    [
      "losing_evidence",
      "が、カード会社に認められました",
      "差し引いた受け取り分900円は、残高に戻りません",
      "認められました",
    ],
  ])("and that ends by %s is told once more, and named in the list", async (evidence, result, share, state) => {
    const row = await pay("pm_card_createDispute");
    // Lists order by time.
    now_ms += 1000;
    await listen();
    await listen();
    const opened = ["1,000円のお支払いについて、カード会社に異議の申し立てがありました", "運営が対応します"];
    const taken = "結果が出るまで、あなたの受け取り分900円を残高から差し引いています";
    expect(await messages()).toEqual([[...opened, taken]]);
    expect(await events()).toEqual([
      ["支払いへの異議（結果待ち）", -900],
      ["売上", 900],
    ]);
    const [dispute] = (await gateway.stripe.disputes.list({ payment_intent: row.payment_intent_id })).data;
    await gateway.stripe.disputes.update(dispute?.id ?? "", { evidence: { uncategorized_text: evidence } });
    now_ms += 1000;
    await listen();
    await listen();
    expect((await messages()).slice(1)).toEqual([[`1,000円のお支払いへの異議${result}`, share]]);
    expect((await events()).toReversed().slice(1)).toEqual([
      [`支払いへの異議（${state}）`, -900],
      ...(evidence === "winning_evidence" ? [["異議が退けられました（残高に戻りました）", 900]] : []),
    ]);
  });

  test("says nothing of a share when a campaign got everything", () => {
    const given_away = {
      payment_id: "p",
      payer_user_id: null,
      creator_user_id: creator,
      amount: 777,
      creator_share: 0,
    };
    const told = [
      ...noticesOfRefund(given_away),
      ...noticesOfDispute(given_away),
      ...[true, false].flatMap((is_won) => noticesOfDisputeEnd({ ...given_away, dispute_id: "d", is_won })),
    ];
    expect(told).toHaveLength(4);
    for (const { message, english } of told) {
      expect(message).not.toMatch(/受け取り分|[^\d,]0円/);
      expect(english).not.toContain("share");
    }
  });
});

describe("a creator whose money a bank or an operator may give back", () => {
  const leave = () => unsubscribe(contextOf(creator, { gateway, now_ms }), domains);
  const refused = { code: "account_has_balance" };

  test("leaves only after the dispute has ended", async () => {
    const row = await pay("pm_card_createDispute");
    await listen();
    expect(await balances()).toMatchObject({ pending_yen: 0, contested_yen: 900 });
    await expect(leave()).rejects.toMatchObject(refused);
    const [dispute] = (await gateway.stripe.disputes.list({ payment_intent: row.payment_intent_id })).data;
    await gateway.stripe.disputes.close(dispute?.id ?? "");
    await listen();
    expect(await balances()).toMatchObject({ contested_yen: 0 });
    await leave();
  });

  test("leaves only after the gateway has decided over a refund", async () => {
    const refund_id = await refund(await pay());
    expect(await balances()).toMatchObject({ pending_yen: 0, contested_yen: 900 });
    await expect(leave()).rejects.toMatchObject(refused);
    await advanceRefund(context(), refund_id);
    expect(await balances()).toMatchObject({ contested_yen: 0 });
    await leave();
  });

  test("leaves while a dispute is open over a payment that went back before", async () => {
    const row = await pay();
    await advanceRefund(context(), await refund(row));
    await database
      .insertInto("disputes")
      .values({
        ...{ dispute_id: "dp_late", payment_id: row.payment_id, from_account: null, status: "open" },
        ...{ reason: "fraudulent", check_at: "9999", opened_at: new Date(now_ms).toISOString(), ended_at: null },
      })
      .execute();
    expect(await balances()).toMatchObject({ contested_yen: 0 });
    await leave();
  });

  test("has no held money of a payment that the bank has taken", async () => {
    await pay("pm_card_createDispute");
    await d1.prepare("UPDATE payments SET held_at = paid_at").run();
    expect(await balances()).toMatchObject({ held_yen: 900 });
    await listen();
    expect(await balances()).toMatchObject({ pending_yen: 0, held_yen: 0, contested_yen: 900 });
  });

  test("learns of the pending part of what operators hold, which prevents leaving", async () => {
    await pay();
    await d1.prepare("UPDATE payments SET held_at = paid_at").run();
    expect(await balances()).toMatchObject({ pending_yen: 0, held_yen: 900, held_pending_yen: 900 });
    await expect(leave()).rejects.toMatchObject(refused);
  });
});

describe("a dispute that is not in the books", () => {
  /** Changes a dispute at the gateway, which disputes whole payments and takes no fee. */
  const change = (id: string, path: string, json: unknown) =>
    env.GATEWAY_DB.prepare("UPDATE objects SET body = json_set(body, ?, json(?)) WHERE id = ?")
      .bind(path, JSON.stringify(json), id)
      .run();
  async function readFees(): Promise<number> {
    const { accounts } = await readBalances(contextOf(null, { gateway, now_ms }));
    return accounts.find(({ kind }) => kind === "gateway_fee")?.balance ?? 0;
  }

  test("because it is about a part of a payment, takes nothing and is logged once", async () => {
    const row = await pay("pm_card_createDispute");
    const [{ id = "" } = {}] = (await gateway.stripe.disputes.list({ payment_intent: row.payment_intent_id })).data;
    await change(id, "$.amount", 400);
    const cleared = await readClearing();
    const said = `dispute ${id} is about payment ${row.payment_id}, which has 1000 yen, of which it disputes 400`;
    expect(await errorsOf(listen)).toEqual([said]);
    expect(await statesOf(row)).toMatchObject({ disputes: ["open"], withdrawn_at: null });
    expect(await balances()).toMatchObject({ pending_yen: 900, contested_yen: 0 });
    await listen();
    const told = await d1.prepare("SELECT message FROM notifications WHERE user_id = ?").bind(creator).all();
    expect(told.results).toEqual([]);
    await gateway.stripe.disputes.close(id);
    expect(await errorsOf(listen)).toEqual([]);
    expect(await statesOf(row)).toMatchObject({ disputes: ["lost"], withdrawn_at: null });
    expect(await balances()).toMatchObject({ pending_yen: 900 });
    const { payments } = await listPayments(contextOf(fan, { gateway, now_ms }), fan, {
      page_number: 1,
      page_size: 20,
    });
    expect(payments).toMatchObject([{ refund_state: null, refunded_at: null }]);
    expect(await readClearing()).toBe(cleared);
  });

  test.each(["checkout", "joining", "payment of subscription"])(
    "because its %s was not delivered, is logged while it is open, and its fee is booked once",
    async (what) => {
      const checkout_id = newId(now_ms);
      const paid = await gateway.stripe.paymentIntents.create({
        ...{ amount: 1000, currency: "jpy", payment_method: "pm_card_createDispute", confirm: true },
        ...{ return_url: "http://site.test/", metadata: what === "checkout" ? { checkout_id } : {} },
      });
      const [{ id = "" } = {}] = (await gateway.stripe.disputes.list({ payment_intent: paid.id })).data;
      await change(id, "$.balance_transactions", [{ fee: 1500 }]);
      const invoice = {
        parent: { subscription_details: { subscription: "sub_1", metadata: { joining_id: "01joining" } } },
      };
      if (what !== "checkout") {
        await env.GATEWAY_DB.prepare(
          "INSERT INTO objects (id, kind, account, created, body, hidden, version) VALUES ('in_1', 'invoice', '', 1, ?, ?, 1)",
        )
          .bind(
            JSON.stringify({ id: "in_1", object: "invoice", status_transitions: { paid_at: 1 }, ...invoice }),
            JSON.stringify({ intent: paid.id }),
          )
          .run();
      }
      // The webhook may come before the payment is known to be undeliverable.
      const fees_before = await readFees();
      expect(await errorsOf(listen)).toEqual([]);
      const [name, text] = {
        checkout: [
          checkout_id,
          "INSERT INTO checkouts (checkout_id, kind, creator_user_id, amount, status, created_at, asked_at) VALUES (?1, 'ofuse', ?2, 1000, 'returning', ?3, ?3)",
        ],
        joining: [
          "01joining",
          "INSERT INTO abandoned_joinings (joining_id, session_id, created_at) VALUES (?1, ?2, ?3)",
        ],
        "payment of subscription": [
          "sub_1",
          "INSERT INTO abandoned_subscriptions (gateway_id, created_at) VALUES (?1, ?3 || substr(?2, 1, 0))",
        ],
      }[what] as [string, string];
      await d1.prepare(text).bind(name, creator, new Date(now_ms).toISOString()).run();
      const said = `dispute ${id} of 1000 yen is about the undelivered ${what} ${name}`;
      expect(await errorsOf(takeOver)).toEqual([said]);
      now_ms += 60 * 60_000;
      expect(await errorsOf(takeOver)).toEqual([said]);
      expect(await readFees()).toBe(fees_before + 1500);
      await gateway.stripe.disputes.close(id);
      expect(await errorsOf(listen)).toEqual([]);
    },
  );
});

describe("what no webhook told", () => {
  test.each(["dispute", "refund"])(
    "a %s from before its payment is in the books is taken over in the next hour",
    async (kind) => {
      const row = await pay("pm_card_visa", async (charge) => {
        if (kind === "refund") await gateway.stripe.refunds.create({ charge });
        else await gateway.stripe.rawRequest("POST", `/v1/test_helpers/charges/${charge}/dispute`);
        await listen();
      });
      await listen();
      // The run is late: the steps before it took some minutes. The gateway is away at first.
      now_ms += 7 * 60_000;
      gateway.fault = () => "silent";
      await expect(takeOver()).rejects.toMatchObject({ code: "gateway_unreachable" });
      gateway.fault = () => null;
      await takeOver();
      await tick();
      expect(await statesOf(row)).toMatchObject(kind === "refund" ? { refunds: ["paid"] } : { disputes: ["open"] });
      expect(await balances()).toMatchObject({ pending_yen: 0 });
      now_ms += 60_000;
      gateway.fault = () => "silent";
      await expect(takeOver()).resolves.toBeUndefined();
      now_ms += 60 * 60_000;
      await expect(takeOver()).rejects.toMatchObject({ code: "gateway_unreachable" });
    },
  );

  test("a dispute is taken over although the gateway always fails at a newer one", async () => {
    const openEarly = async (charge: string) => {
      await gateway.stripe.rawRequest("POST", `/v1/test_helpers/charges/${charge}/dispute`);
      await listen();
      await wait(1000);
    };
    const [older, newer] = [await pay("pm_card_visa", openEarly), await pay("pm_card_visa", openEarly)];
    const [poison] = (await gateway.stripe.disputes.list({ payment_intent: newer.payment_intent_id })).data;
    gateway.fault = (path) => (path === `/v1/disputes/${poison?.id}` ? "500" : null);
    await takeOver();
    expect(await statesOf(older)).toMatchObject({ disputes: ["open"] });
    expect(await statesOf(newer)).toMatchObject({ disputes: [] });
  });

  test("is nothing without a gateway", async () => {
    const log = vi.spyOn(console, "error");
    await takeOverMissed(servicesOf());
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  });

  test.each(["dispute", "refund"])(
    "a %s is taken over with a payment that the product learns of days later",
    async (kind) => {
      const openEarly = async (charge: string) => {
        if (kind === "refund") await gateway.stripe.refunds.create({ charge });
        else await gateway.stripe.rawRequest("POST", `/v1/test_helpers/charges/${charge}/dispute`);
        await listen();
        await wait(5 * DAY_MS);
      };
      const row = await pay("pm_card_visa", openEarly, true);
      // The row of the payment, and the row that its reaction writes.
      await listen();
      await listen();
      await takeOver();
      await tick();
      expect(await statesOf(row)).toMatchObject(kind === "refund" ? { refunds: ["paid"] } : { disputes: ["open"] });
      expect(await balances()).toMatchObject({ pending_yen: 0, available_yen: 0 });
      const [dispute] = (await gateway.stripe.disputes.list()).data;
      if (dispute) await gateway.stripe.disputes.close(dispute.id);
      await listen();
      await expectReconciled();
    },
  );

  test("a dispute that opened while a refund was on its way takes the share once the gateway has refused the refund", async () => {
    const row = await pay("pm_card_createDispute");
    const refund_id = await refund(row);
    await listen();
    expect(await statesOf(row)).toMatchObject({ refunds: ["pending"], disputes: [] });
    await advanceRefund(context(), refund_id);
    await listen();
    expect(await statesOf(row)).toMatchObject({ refunds: ["failed"], disputes: ["open"] });
    expect(await balances()).toMatchObject({ pending_yen: 0 });
    await takeOver();
    await gateway.stripe.disputes.close((await gateway.stripe.disputes.list()).data[0]?.id ?? "");
    await listen();
    await expectReconciled();
  });
});

test("events that are doubled, reordered or lost lead to one state", async () => {
  const property = fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.boolean(), async (stream, is_won) => {
    const before = (await eventsOf()).length;
    const [disputed, refunded] = [await pay("pm_card_createDispute"), await pay()];
    await advanceRefund(context(), await refund(refunded));
    const [dispute] = (await gateway.stripe.disputes.list({ payment_intent: disputed.payment_intent_id })).data;
    await gateway.stripe.disputes.update(dispute?.id ?? "", {
      evidence: { uncategorized_text: is_won ? "winning_evidence" : "losing_evidence" },
    });
    const events = (await eventsOf(before)).filter(({ type }) => /^(refund|charge\.dispute)\./.test(type));
    const draw = (n: number) => (stream.next().value as number) % n;
    // Each comes up to three times, under ids of its own, as deliveries that the outbox does not know.
    const sent = events.flatMap((event) =>
      Array.from({ length: draw(4) }, (_, n) => ({ ...event, id: `${event.id}${n}` })),
    );
    for (let at = sent.length - 1; at > 0; at--) {
      const other = draw(at + 1);
      [sent[at], sent[other]] = [sent[other] as (typeof sent)[0], sent[at] as (typeof sent)[0]];
    }
    await deliver(gateway, sent, now_ms);
    // A dispute of which every event was lost is unknown; the gateway repeats its events for three days.
    await deliver(gateway, events.slice(-1), now_ms);
    await wait(DAY_MS);
    await tick();
    expect(await statesOf(disputed)).toMatchObject({ disputes: [is_won ? "won" : "lost"] });
    expect(await statesOf(refunded)).toMatchObject({ refunds: ["paid"] });
    await expectReconciled();
  });
  await fc.assert(property, { seed: 20_261_122, numRuns: Number(env.FC_RUNS || 5) });
});

// The last test: the books of its letters stay, and the letters go with the next test's empty database.
test("a letter says to its sender and its receiver that its payment is disputed or went back", async () => {
  const statesIn = async () => {
    const states = [];
    for (const [viewer, type] of [
      [fan, "sent"],
      [creator, "received"],
    ] as const) {
      const box = { page_number: 1, page_size: 25, type, sort_by: "newest" as const };
      const { ofuses } = await listOfuses(contextOf(viewer, { gateway, now_ms }), viewer, box);
      states.push(ofuses.map(({ refund_state }) => refund_state));
    }
    return states;
  };
  const send = async (card: string) => {
    const ofuse_id = newId(now_ms);
    await d1
      .prepare(
        `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, created_at)
         VALUES (?, ?, ?, 1000, 'x', 0, ?)`,
      )
      .bind(ofuse_id, fan, creator, new Date(now_ms).toISOString())
      .run();
    now_ms += 1000;
    return pay(card, undefined, false, { kind: "ofuse_v3", cause_id: ofuse_id });
  };
  const row = await send("pm_card_visa");
  expect(await statesIn()).toEqual([[null], [null]]);
  const refund_id = await refund(row);
  expect(await statesIn(), "the gateway has not paid it yet").toEqual([[null], [null]]);
  await advanceRefund(context(), refund_id);
  expect(await statesIn()).toEqual([["refunded"], ["refunded"]]);
  const disputed = await send("pm_card_createDispute");
  await listen();
  expect(await statesIn()).toEqual([
    ["disputed", "refunded"],
    ["disputed", "refunded"],
  ]);
  const [dispute] = (await gateway.stripe.disputes.list({ payment_intent: disputed.payment_intent_id })).data;
  await gateway.stripe.disputes.update(dispute?.id ?? "", { evidence: { uncategorized_text: "winning_evidence" } });
  await listen();
  expect(await statesIn()).toEqual([
    [null, "refunded"],
    [null, "refunded"],
  ]);
});
