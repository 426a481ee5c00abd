/** Payouts in real D1: the 20th, what the gateway may say in any order, and what it means for the ledger. */
import * as fc from "fast-check";
import { sql } from "kysely";
import type Stripe from "stripe";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { updateBankAccount } from "../../workers/api/banks/commands.ts";
import { findBankAccount } from "../../workers/api/banks/queries.ts";
import { openGateway } from "../../workers/api/gateway/client.ts";
import { findCreatorBalances } from "../../workers/api/ledger/queries.ts";
import { receivePayment, releaseEarnings, splitPayment } from "../../workers/api/ledger/rules.ts";
import { setFeaturePaused } from "../../workers/api/operator/commands.ts";
import { listPayoutsUnderWay } from "../../workers/api/operator/queries.ts";
import { listUnknownMoney, settleUnknownMoney } from "../../workers/api/operator/unknown-money.ts";
import { holdPayment, releaseDue } from "../../workers/api/payments/commands.ts";
import { accountStatements } from "../../workers/api/payouts/accounts.ts";
import {
  advancePayouts,
  CLAIM_LOOK_MS,
  cancelPayout,
  checkAccounts,
  createPayout,
  holdPayout,
  linkCreatorAccount,
  requestAutomaticPayouts,
  retryPayout,
  updateCreatorAccount,
} from "../../workers/api/payouts/commands.ts";
import { findAccountRow, listPayouts, toCreatorAccount } from "../../workers/api/payouts/queries.ts";
import { noticeOfFailure, reactions } from "../../workers/api/payouts/reactions.ts";
import { WAIT_MS } from "../../workers/api/payouts/rules.ts";
import { commit } from "../../workers/api/storage/commit.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchNew, dispatchOutbox, type OutboxEvents } from "../../workers/api/storage/outbox.ts";
import { PAYOUT_FEE_YEN, PAYOUT_MIN_YEN } from "../../workers/contract/limits.ts";
import { payoutFailureReason } from "../../workers/contract/payouts.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { skipPauses } from "../support/hurry.ts";
import { addUser, contextOf, d1, dispatcherOf, NOW_MS, servicesOf } from "./support/context.ts";
import { resetOnce } from "./support/failing-database.ts";
import { advanceTo, startGateway, submitPage, type TestGateway } from "./support/gateway.ts";
import { expectSoundLedger, post } from "./support/ledger.ts";

skipPauses();

const database = openDatabase(d1);
const page = { page_number: 1, page_size: 20 };
const DAY_MS = 24 * 60 * 60 * 1000;
afterAll(expectSoundLedger);
// The clock of a test must not see the people of the others.
beforeEach(async () => {
  await d1.batch([
    d1.prepare("UPDATE payouts SET check_at = NULL"),
    d1.prepare("UPDATE creator_accounts SET automatic_since = NULL, check_at = '9999-12-31T00:00:00.000Z'"),
  ]);
});

/** What a gateway without books of its own answers of a connected account: it has the bank account of `addPayee`. */
const accountAnswer = (id: string) => {
  const bank = { id: "ba_1", object: "bank_account", routing_number: "0001210", last4: "1234" };
  return Response.json({ id, external_accounts: { data: [{ ...bank, default_for_currency: true }] } });
};

/** What the gateway answers about payouts, by its id, and the calls that changed something. */
interface FakeGateway {
  payouts: Map<string, Partial<Stripe.Payout>>;
  posts: string[];
  /** What the gateway lists as an account's payouts. */
  listed: Partial<Stripe.Payout>[];
  transfers: { id: string; transfer_group: string | null }[];
}

/**
 * A gateway that makes what it is asked for, and says of a payout what the test says. `statusOf` names the status of a
 * refused call, such as `POST transfers`.
 */
function fakeGateway(statusOf: (call: string) => number | undefined = () => undefined) {
  const fake: FakeGateway = { payouts: new Map(), posts: [], listed: [], transfers: [] };
  const answer: typeof fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(String(input));
    const path = pathname.replace("/v1/", "");
    const status = statusOf(`${init?.method} ${path.replace(/_.*/, "").replace(/po$/, "")}`);
    if (status) return Response.json({ error: { type: "invalid_request_error", code: "x" } }, { status });
    if (init?.method === "POST") fake.posts.push(path);
    if (init?.method === "GET" && path === "payouts") return Response.json({ data: fake.listed, has_more: false });
    if (init?.method === "GET" && path === "transfers") {
      const group = searchParams.get("transfer_group");
      return Response.json({ data: fake.transfers.filter((each) => each.transfer_group === group), has_more: false });
    }
    if (path === "transfers") {
      const transfer_group = new URLSearchParams(String(init?.body)).get("transfer_group");
      const transfer = { id: `tr_${fake.posts.length}_${newId(NOW_MS)}`, transfer_group };
      fake.transfers.push(transfer);
      return Response.json(transfer);
    }
    if (path.endsWith("/reversals")) return Response.json({ id: `trr_${newId(NOW_MS)}` });
    if (path.startsWith("transfers/")) return Response.json({ id: path.slice(10), reversals: { data: [] } });
    if (path.startsWith("accounts/")) return accountAnswer(path.slice(9));
    const id = path === "payouts" ? `po_${newId(NOW_MS)}` : path.slice(8);
    const payout = fake.payouts.get(id) ?? { id, status: "pending", arrival_date: NOW_MS / 1000 };
    fake.payouts.set(id, payout);
    return Response.json(payout);
  };
  const gateway = openGateway({ SITE_ORIGIN: "http://site.test", STRIPE_SECRET_KEY: "sk_test_1" }, answer);
  return { fake, gateway };
}

let people = 0;
/** Adds a creator with every step done and this balance. */
async function addPayee(available_yen: number, columns: { automatic_since?: string } = {}): Promise<string> {
  const user_id = await addUser(`payee_${people++}`, { is_creator: 1 });
  await database
    .insertInto("creator_accounts")
    .values({
      user_id,
      account_type: "individual",
      account_id: `acct_${user_id}`,
      tos_accepted: 1,
      payouts_enabled: 1,
      check_at: new Date(NOW_MS).toISOString(),
      created_at: new Date(NOW_MS).toISOString(),
      ...columns,
    })
    .execute();
  await updateBankAccount(contextOf(user_id), {
    ...{ bank_code: "0001", branch_code: "210", account_type: "futsu" },
    ...{ account_number: "0001234", account_holder_kana: "ヤマダ ハナ" },
  });
  if (available_yen > 0) await earn(user_id, available_yen);
  return user_id;
}
async function earn(creator_id: string, yen: number): Promise<void> {
  const cause = { kind: "membership" as const, cause_id: newId(NOW_MS), creator_id, campaign_id: null };
  const payment = { ...cause, ...splitPayment(yen, { fee_percent: 0 }) };
  await post([receivePayment(payment), releaseEarnings(payment)]);
}
const payoutsOf = async (user_id: string) => (await listPayouts(database, user_id, page)).payouts;
const balancesOf = (user_id: string) => findCreatorBalances(database, user_id);
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ code }) => code,
  );
const change = (made: Parameters<typeof commit>[1]) =>
  commit({ d1, database, now_ms: NOW_MS, idempotency: null }, made);
const gatewayIdOf = async (payout_id: string) =>
  (await d1
    .prepare("SELECT gateway_payout_id FROM payouts WHERE payout_id = ?")
    .bind(payout_id)
    .first<string>("gateway_payout_id")) ?? "";

const accountOf = async (payout_id: string) =>
  (await d1
    .prepare("SELECT account_id FROM payouts WHERE payout_id = ?")
    .bind(payout_id)
    .first<string>("account_id")) ?? "";

/** Registers an account at 0001/210. */
const registerBank = (context: ReturnType<typeof contextOf>, account_number: string) =>
  updateBankAccount(context, {
    ...{ bank_code: "0001", branch_code: "210", account_type: "futsu" },
    ...{ account_number, account_holder_kana: "ヤマダ ハナ" },
  });

/** Keys of a version that never had the key of the tests. */
const OTHER_BANK_KEYS = "k2:only-the-next-key-is-left-000000000000";

/** Changes a registered account so that its key cannot decrypt it. */
const spoilBank = (user_id: string) =>
  d1.prepare("UPDATE bank_accounts SET sealed = 'AAAA' WHERE user_id = ?").bind(user_id).run();

/** Adds a creator who has done the steps of the embedded gateway, but has no bank account. */
async function onboardPayee() {
  const gateway = await startGateway(NOW_MS);
  const user_id = await addUser(`onboarded_${people++}`, { is_creator: 1 });
  const context = contextOf(user_id, { gateway });
  const { url } = await linkCreatorAccount(context, { account_type: "individual" });
  await submitPage(url, {
    ...{ business_type: "individual", name: "山田 花", name_kana: "ヤマダ ハナ", birthday: "1990/4/1" },
    ...{ phone: "0312345678", tos: "yes", verification: "verified" },
  });
  await updateCreatorAccount(context, {});
  return { gateway, user_id, context };
}

/** Puts 10,000 yen on a creator's balance, and more into the gateway. */
async function fillPayee(gateway: TestGateway, user_id: string): Promise<void> {
  await earn(user_id, 10_000);
  const paid = { amount: 900_000, currency: "jpy", confirm: true, payment_method: "pm_card_visa" };
  await gateway.stripe.paymentIntents.create(paid);
  await advanceTo(gateway, Date.now() + 5 * DAY_MS);
}

const asOperator = (gateway = contextOf(null).gateway) => ({
  ...contextOf(null, { gateway }),
  operator: { name: "mina", key: undefined, identity: { fetch: () => Promise.reject() }, mails: contextOf(null).mails },
});
const pausePayouts = (is_paused: boolean) => setFeaturePaused(asOperator(), "payouts", { is_paused, reason: "試験" });

describe("while payouts are paused", () => {
  afterEach(() => pausePayouts(false));

  test("none is asked for, and none that was not sent is sent or canceled", async () => {
    const { fake, gateway } = fakeGateway();
    const user_id = await addPayee(10_000);
    const context = contextOf(user_id, { gateway });
    const run = () => advancePayouts(servicesOf({ gateway }));
    const { payout_id: sent } = (await createPayout(context, 2000)).payout;
    await run();
    const { payout_id } = (await createPayout(context, 4000)).payout;
    await pausePayouts(true);
    expect(await codeOf(createPayout(context, "all"))).toBe("payouts_paused");
    expect(await codeOf(cancelPayout(context, payout_id))).toBe("payouts_paused");
    fake.posts.length = 0;
    fake.payouts.set(await gatewayIdOf(sent), { id: await gatewayIdOf(sent), status: "paid", arrival_date: 1 });
    await d1.prepare("UPDATE payouts SET check_at = ? WHERE payout_id = ?").bind(new Date(0).toISOString(), sent).run();
    await run();
    // The money of the first is on its way: the clock still follows it.
    const states = new Map((await payoutsOf(user_id)).map((payout) => [payout.payout_id, payout.status]));
    expect([states.get(sent), states.get(payout_id)]).toEqual(["paid", "pending"]);
    expect(fake.posts).toEqual([]);
    await pausePayouts(false);
    await run();
    expect(fake.posts).toContain("payouts");
  });

  test("those of the 20th wait, and follow when payouts continue", async () => {
    const THE_20TH = Date.UTC(2026, 10, 19, 15);
    const user_id = await addPayee(7000, { automatic_since: new Date(NOW_MS - 5 * DAY_MS).toISOString() });
    const run = () => requestAutomaticPayouts(servicesOf({ clock: { now: () => THE_20TH } }));
    await pausePayouts(true);
    await run();
    expect(await payoutsOf(user_id)).toEqual([]);
    await pausePayouts(false);
    await run();
    expect(await payoutsOf(user_id)).toMatchObject([{ amount: 7000, is_automatic: true }]);
  });
});

test("a payout that no run has touched, older than the gateway's keys, is looked for before it is sent", async () => {
  const { fake, gateway } = fakeGateway();
  const user_id = await addPayee(10_000);
  const { payout_id } = (await createPayout(contextOf(user_id, { gateway }), 4000)).payout;
  // A database that was restored from a backup of the minute before the run.
  fake.transfers.push({ id: "tr_made", transfer_group: payout_id });
  fake.listed.push({ id: "po_made", metadata: { payout_id }, status: "paid", arrival_date: NOW_MS / 1000 });
  fake.payouts.set("po_made", { id: "po_made", status: "paid", arrival_date: NOW_MS / 1000 });
  await advancePayouts(servicesOf({ gateway, clock: { now: () => NOW_MS + DAY_MS } }));
  expect(await payoutsOf(user_id)).toMatchObject([{ status: "paid" }]);
  expect(fake.posts).toEqual([]);
});

describe("a payout that a restored database has forgotten", () => {
  const listUnknown = (gateway: TestGateway) =>
    listUnknownMoney(asOperator(gateway), { kind: "payout", since: "2026-01-01T00:00:00.000Z" });
  const settle = (gateway: TestGateway, id: string) => settleUnknownMoney(asOperator(gateway), "payout", id);

  async function fillOnboarded() {
    const { gateway, user_id, context } = await onboardPayee();
    await registerBank(context, "0001234");
    await updateCreatorAccount(context, {});
    await fillPayee(gateway, user_id);
    gateway.posts.length = 0;
    const account_id = (await findAccountRow(database, user_id))?.account_id ?? "";
    /** Makes at the gateway what the lost database had made for a payout. */
    const make = async (payout_id: string, amount: number) => {
      const sent = { amount, currency: "jpy", metadata: { payout_id } };
      const group = { destination: account_id, transfer_group: payout_id };
      const { id } = await gateway.stripe.transfers.create({ ...sent, ...group });
      await gateway.stripe.payouts.create(sent, { stripeAccount: account_id });
      return id;
    };
    return { gateway, user_id, context, account_id, make };
  }

  test("gets into the books once, also while payouts are paused, and is followed without another transfer", async () => {
    const { gateway, user_id, account_id, make } = await fillOnboarded();
    const payout_id = newId(NOW_MS - DAY_MS);
    const transfer_id = await make(payout_id, 10_000 - PAYOUT_FEE_YEN);
    expect(await listUnknown(gateway)).toMatchObject({
      unknown: [{ gateway_id: transfer_id, amount: 9750, reference: account_id }],
      next: null,
    });
    await pausePayouts(true);
    await settle(gateway, transfer_id);
    await settle(gateway, transfer_id);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 0, in_transit_yen: 9750 });
    const created_at = new Date(NOW_MS - DAY_MS).toISOString();
    expect(await payoutsOf(user_id)).toMatchObject([{ payout_id, status: "pending", amount: 10_000, created_at }]);
    expect((await listUnknown(gateway)).unknown).toEqual([]);
    const acts = d1.prepare("SELECT input FROM operator_acts WHERE subject = ?").bind(transfer_id);
    expect((await acts.all()).results).toEqual([{ input: JSON.stringify({ kind: "payout" }) }]);
    await advanceTo(gateway, Date.now() + 10 * DAY_MS);
    await advancePayouts(servicesOf({ gateway }));
    await pausePayouts(false);
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "paid" }]);
    expect(gateway.posts).toEqual([]);
  });

  test("stays unknown while the balance does not have it", async () => {
    const { gateway, user_id, make } = await fillOnboarded();
    const transfer_id = await make(newId(NOW_MS), 20_000);
    expect(await codeOf(settle(gateway, transfer_id))).toBe("balance_insufficient");
    expect(await payoutsOf(user_id)).toEqual([]);
    expect((await listUnknown(gateway)).unknown).toMatchObject([{ gateway_id: transfer_id }]);
  });

  test("tells its row of the transfer, so that a cancellation ends it at the gateway too", async () => {
    const { gateway, user_id, context, account_id, make } = await fillOnboarded();
    const { payout_id } = (await createPayout(context, "all")).payout;
    const transfer_id = await make(payout_id, 9750);
    expect((await listUnknown(gateway)).unknown).toMatchObject([{ gateway_id: transfer_id }]);
    await settle(gateway, transfer_id);
    expect((await listUnknown(gateway)).unknown).toEqual([]);
    expect(await cancelPayout(context, payout_id)).toMatchObject({ status: "canceled" });
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 10_000 });
    const [made] = (await gateway.stripe.payouts.list({}, { stripeAccount: account_id })).data;
    expect(made?.status).toBe("canceled");
  });

  test("is left alone when its row has ended", async () => {
    const { gateway, context, make } = await fillOnboarded();
    const { payout_id } = (await createPayout(context, "all")).payout;
    await cancelPayout(context, payout_id);
    const transfer_id = await make(payout_id, 9750);
    expect(await codeOf(settle(gateway, transfer_id))).toBe("payout_transition_refused");
    expect((await listUnknown(gateway)).unknown).toMatchObject([{ gateway_id: transfer_id }]);
  });
});

test("a payout is refused when its creator has seen an earlier bank account", async () => {
  const user_id = await addPayee(10_000);
  const seen = (await findBankAccount(contextOf(user_id), user_id))?.updated_at;
  const later = contextOf(user_id, { now_ms: NOW_MS + 1000 });
  await updateBankAccount(later, {
    ...{ bank_code: "0001", branch_code: "210", account_type: "futsu" },
    ...{ account_number: "0009876", account_holder_kana: "ヤマダ ハナ" },
  });
  expect(await codeOf(createPayout(later, 4000, seen))).toBe("bank_account_conflict");
  expect(await payoutsOf(user_id)).toEqual([]);
  const seen_now = (await findBankAccount(later, user_id))?.updated_at;
  expect(await codeOf(createPayout(later, 4000, seen_now))).toBeNull();
});

test("a payout is refused to a creator who has not accepted the gateway's terms", async () => {
  const user_id = await addPayee(10_000);
  await d1.prepare("UPDATE creator_accounts SET tos_accepted = 0 WHERE user_id = ?").bind(user_id).run();
  expect(await codeOf(createPayout(contextOf(user_id), 4000))).toBe("payout_account_required");
});

test("two settings of a payout account that are changed at the same time are both kept", async () => {
  const user_id = await addPayee(0);
  const context = contextOf(user_id);
  const switchFirst = async (statements: D1PreparedStatement[]) => {
    await updateCreatorAccount(context, { is_automatic: true });
    return d1.batch(statements);
  };
  const { creator_account } = await updateCreatorAccount(
    { ...context, d1: { prepare: (query: string) => d1.prepare(query), batch: switchFirst } as unknown as D1Database },
    { invoice_number: "T7000012050002" },
  );
  expect(creator_account.invoice_number).toBe("T7000012050002");
  const row = await findAccountRow(database, user_id);
  expect(row && toCreatorAccount(row, false)).toMatchObject({ is_automatic: true, invoice_number: "T7000012050002" });
});

describe("a payout that its creator cancels", () => {
  test("before it is sent gives everything back, once, and is never sent", async () => {
    const { fake, gateway } = fakeGateway();
    const user_id = await addPayee(10_000);
    const context = contextOf(user_id, { gateway });
    const { payout_id } = (await createPayout(context, 4000)).payout;
    expect(await codeOf(cancelPayout(contextOf(await addPayee(0), { gateway }), payout_id))).toBe("not_found");
    const answers = await Promise.all(
      [1, 2, 3].map(() => codeOf(cancelPayout(contextOf(user_id, { gateway }), payout_id))),
    );
    expect(answers).toContain(null);
    await advancePayouts(servicesOf({ gateway }));
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 10_000 });
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "canceled" }]);
    expect(fake.posts).toEqual([]);
    expect(await cancelPayout(context, payout_id)).toMatchObject({ status: "canceled" });
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 10_000 });
    expect(await codeOf(change(holdPayout({ database, now_ms: NOW_MS }, payout_id, true)))).toBe("not_found");
  });

  test("in the moment of a run whose answers were lost is canceled at the gateway too", async () => {
    const { fake, gateway } = fakeGateway();
    const user_id = await addPayee(10_000);
    const { payout_id } = (await createPayout(contextOf(user_id, { gateway }), 4000)).payout;
    let calls = 0;
    const lossy: typeof gateway = {
      ...gateway,
      async call(ask) {
        const answer = await gateway.call(ask);
        // The account is changed and read, the transfer made: then the payout, whose answer is lost.
        if (++calls === 4) throw new Problem("gateway_unreachable");
        return answer;
      },
    };
    await advancePayouts(servicesOf({ gateway: lossy }));
    const [id] = fake.payouts.keys();
    expect([await gatewayIdOf(payout_id), typeof id]).toEqual(["", "string"]);
    fake.listed = [{ ...fake.payouts.get(id as string), metadata: { payout_id } }];
    expect(await codeOf(cancelPayout(contextOf(user_id, { gateway }), payout_id))).toBe(null);
    expect(fake.posts).toContain(`payouts/${id}/cancel`);
  });

  test("by a second press while the first one asks the gateway is answered with what the first one did", async () => {
    const { fake, gateway } = fakeGateway();
    const user_id = await addPayee(10_000);
    const { payout_id } = (await createPayout(contextOf(user_id, { gateway }), 4000)).payout;
    await advancePayouts(servicesOf({ gateway }));
    const id = await gatewayIdOf(payout_id);
    const began = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const slow: typeof gateway = {
      ...gateway,
      async call(ask) {
        began.resolve();
        await answered.promise;
        fake.payouts.set(id, { ...fake.payouts.get(id), status: "canceled" });
        return gateway.call(ask);
      },
    };
    const first = cancelPayout(contextOf(user_id, { gateway: slow }), payout_id);
    await began.promise;
    // The second press looks again when the first one has ended.
    const wait = globalThis.setTimeout;
    const pause = vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms?: number) => {
      if (ms !== CLAIM_LOOK_MS) return wait(work, ms);
      answered.resolve();
      void first.then(work);
      return 0;
    }) as unknown as typeof setTimeout);
    try {
      expect(await cancelPayout(contextOf(user_id, { gateway }), payout_id)).toMatchObject({ status: "canceled" });
    } finally {
      pause.mockRestore();
    }
    expect(await first).toMatchObject({ status: "canceled" });
    expect(fake.posts.filter((path) => path.endsWith("/cancel"))).toEqual([`payouts/${id}/cancel`]);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 10_000 });
  });

  test("is refused while a run of the clock sends it", async () => {
    const { gateway } = fakeGateway();
    const user_id = await addPayee(10_000);
    const context = contextOf(user_id, { gateway });
    const { payout_id } = (await createPayout(context, 4000)).payout;
    await d1
      .prepare("UPDATE payouts SET claimed_until = ? WHERE payout_id = ?")
      .bind(new Date(NOW_MS + 60_000).toISOString(), payout_id)
      .run();
    expect(await codeOf(cancelPayout(context, payout_id))).toBe("payout_transition_refused");
  });

  test("is refused while an operator holds it, and keeps the money out of another payout", async () => {
    const { gateway } = fakeGateway();
    const user_id = await addPayee(10_000);
    const context = contextOf(user_id, { gateway });
    const { payout_id } = (await createPayout(context, 10_000)).payout;
    await change(holdPayout({ database, now_ms: NOW_MS }, payout_id, true));
    expect(await codeOf(cancelPayout(context, payout_id))).toBe("payout_transition_refused");
    expect(await codeOf(createPayout(context, 10_000))).toBe("balance_insufficient");
    expect(await payoutsOf(user_id)).toMatchObject([{ payout_id, status: "pending" }]);
    await change(holdPayout({ database, now_ms: NOW_MS }, payout_id, false));
    expect(await cancelPayout(context, payout_id)).toMatchObject({ status: "canceled" });
  });

  test.each([
    ["after it is sent", ""],
    // A run that dies does not write what it made.
    ["after it is sent by a run that died", "gateway_payout_id = NULL, arrives_at = NULL"],
    ["after it is sent by a run that died earlier", "gateway_payout_id = NULL, arrives_at = NULL, transfer_id = NULL"],
  ])("%s is canceled at the gateway, and the transfer comes back", async (_when, lost) => {
    const { gateway, user_id, context } = await onboardPayee();
    await registerBank(context, "0001234");
    await updateCreatorAccount(context, {});
    await fillPayee(gateway, user_id);
    const { payout_id } = (await createPayout(context, 4000)).payout;
    await advancePayouts(servicesOf({ gateway }));
    if (lost) await d1.prepare(`UPDATE payouts SET ${lost} WHERE payout_id = ?`).bind(payout_id).run();
    expect(await cancelPayout(context, payout_id)).toMatchObject({ status: "canceled" });
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 10_000 });
    const made = await gateway.stripe.payouts.list({}, { stripeAccount: await accountOf(payout_id) });
    expect(made.data).toMatchObject([{ status: "canceled" }]);
    const [transfer] = (await gateway.stripe.transfers.list({ transfer_group: payout_id })).data;
    expect(transfer).toMatchObject({ amount: 3750, amount_reversed: 3750 });
  });
});

describe("what the gateway says of a payout", () => {
  /** Makes a payout of 4,000 of 10,000 yen, sent to the bank. */
  async function sent() {
    const { fake, gateway } = fakeGateway();
    const user_id = await addPayee(10_000);
    const { payout } = await createPayout(contextOf(user_id, { gateway }), 4000);
    const services = (now_ms: number) => servicesOf({ gateway, clock: { now: () => now_ms } });
    await advancePayouts(services(NOW_MS));
    const id = await gatewayIdOf(payout.payout_id);
    const say = (status: string, failure_code: string | null = null) =>
      fake.payouts.set(id, {
        ...{ id, status, failure_code, arrival_date: NOW_MS / 1000 },
        metadata: { payout_id: payout.payout_id },
      });
    const hint = async () => {
      const payload = { type: "payout.updated", object: "payout", object_id: id, account_id: `acct_${user_id}` };
      const event = { kind: "gateway_event", payload } as const;
      const outbox_id = newId(NOW_MS);
      const row = {
        outbox_id,
        kind: event.kind,
        payload: JSON.stringify(payload),
        created_at: new Date(NOW_MS).toISOString(),
      };
      await database
        .insertInto("outbox")
        .values({ ...row, processed_at: null, attempts: 0, last_error: null })
        .execute();
      await dispatchNew(dispatcherOf({ gateway, reactions: [reactions] }), [outbox_id]);
    };
    return { user_id, payout_id: payout.payout_id, fake, services, say, hint };
  }

  test("becomes its state, and a payout that comes back after it was paid returns to the balance", async () => {
    const { user_id, say, hint, services, fake } = await sent();
    say("in_transit");
    await hint();
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "in_transit", ended_at: null }]);
    say("paid");
    await hint();
    await hint();
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "paid", ended_at: expect.any(String) }]);
    expect(await balancesOf(user_id)).toEqual({
      available_yen: 6000,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
    say("failed", "account_closed");
    await hint();
    await hint();
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "failed", failure_reason: "account_closed" }]);
    expect(await balancesOf(user_id)).toEqual({
      available_yen: 10_000,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
    await advancePayouts(services(NOW_MS + DAY_MS));
    await advancePayouts(services(NOW_MS + DAY_MS));
    expect(fake.posts.filter((path) => path.endsWith("/reversals"))).toHaveLength(1);
  });

  test("becomes its state also when the run that sent it died, and an operator holds what seems not to be sent", async () => {
    const { user_id, payout_id, say, hint } = await sent();
    await d1.prepare("UPDATE payouts SET gateway_payout_id = NULL WHERE payout_id = ?").bind(payout_id).run();
    await change(holdPayout({ database, now_ms: NOW_MS }, payout_id, true));
    say("paid");
    await hint();
    await hint();
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "paid" }]);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 6000, in_transit_yen: 0 });
  });

  test("brings the money back from the connected account when it fails, also of a payout that an operator holds", async () => {
    const { user_id, payout_id, say, hint, services, fake } = await sent();
    const lost = "gateway_payout_id = NULL, arrives_at = NULL, transfer_id = NULL";
    await d1.prepare(`UPDATE payouts SET ${lost} WHERE payout_id = ?`).bind(payout_id).run();
    await change(holdPayout({ database, now_ms: NOW_MS }, payout_id, true));
    say("failed", "account_closed");
    await hint();
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 10_000, in_transit_yen: 0 });
    await advancePayouts(services(NOW_MS + DAY_MS));
    await advancePayouts(services(NOW_MS + 2 * DAY_MS));
    expect(fake.posts.filter((path) => path.endsWith("/reversals"))).toEqual([
      `transfers/${fake.transfers[0]?.id}/reversals`,
    ]);
  });

  test.each(["failed", "canceled"])(
    "is in the operators' list after %s until its transfer is taken back",
    async (status) => {
      const { user_id, payout_id, say, hint, services } = await sent();
      const listed = async () => {
        const { payouts } = await listPayoutsUnderWay(contextOf(null), { limit: 100 });
        return payouts.filter((payout) => payout.payout_id === payout_id).map((payout) => payout.status);
      };
      say(status);
      await hint();
      expect(await listed()).toEqual([status]);
      await change(retryPayout({ database, now_ms: NOW_MS + DAY_MS }, payout_id));
      await advancePayouts(services(NOW_MS + DAY_MS));
      expect(await listed()).toEqual([]);
      expect(await payoutsOf(user_id)).toMatchObject([{ status }]);
    },
  );

  test("of another account's payout changes nothing, whatever its metadata say", async () => {
    const { user_id, payout_id, say, hint } = await sent();
    await d1
      .prepare("UPDATE payouts SET gateway_payout_id = NULL, account_id = 'acct_other' WHERE payout_id = ?")
      .bind(payout_id)
      .run();
    say("paid");
    await hint();
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "pending" }]);
  });

  test("cancels it, and gives the fee back too", async () => {
    const { user_id, say, services } = await sent();
    say("canceled");
    await advancePayouts(services(NOW_MS + DAY_MS));
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "canceled", failure_reason: null }]);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 10_000, in_transit_yen: 0 });
  });

  test("may come late, twice and in any order: the state is what it said last, and each yen moves once", async () => {
    const states = fc.constantFrom("pending", "in_transit", "paid", "failed", "canceled");
    await fc.assert(
      fc.asyncProperty(fc.array(states, { maxLength: 5 }), fc.constantFrom("paid", "failed"), async (said, end) => {
        const { user_id, say, hint } = await sent();
        for (const status of said) {
          say(status, status === "failed" ? "declined" : null);
          await hint();
        }
        say(end, end === "failed" ? "declined" : null);
        await hint();
        const [payout] = await payoutsOf(user_id);
        const is_back = payout?.status === "failed" || payout?.status === "canceled";
        // What has failed stays so: the money is back in the balance.
        expect(is_back || payout?.status === end).toBe(true);
        expect(await balancesOf(user_id)).toMatchObject({ available_yen: is_back ? 10_000 : 6000, in_transit_yen: 0 });
      }),
      { seed: 26, numRuns: 8 },
    );
  });

  test("is asked no more once nothing can change", async () => {
    const { payout_id, say, services } = await sent();
    const check = () =>
      d1.prepare("SELECT check_at FROM payouts WHERE payout_id = ?").bind(payout_id).first("check_at");
    say("paid");
    for (let day = 1; day <= 12; day += 1) await advancePayouts(services(NOW_MS + day * DAY_MS));
    expect(await check()).toBeNull();
  });
});

describe("a payout that waits", () => {
  test("is not sent while an operator holds it or its owner is disabled", async () => {
    const { fake, gateway } = fakeGateway();
    const user_id = await addPayee(5000);
    const { payout } = await createPayout(contextOf(user_id, { gateway }), 5000);
    const run = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    await change(holdPayout({ database, now_ms: NOW_MS }, payout.payout_id, true));
    await run(NOW_MS);
    expect(fake.posts).toEqual([]);
    await change(holdPayout({ database, now_ms: NOW_MS }, payout.payout_id, false));
    const disable = (at: string | null) =>
      d1.prepare("UPDATE users SET disabled_at = ? WHERE user_id = ?").bind(at, user_id).run();
    await disable(new Date(NOW_MS).toISOString());
    await run(NOW_MS);
    expect(fake.posts).toEqual([]);
    await disable(null);
    await run(NOW_MS);
    expect(fake.posts).toEqual([]);
    await change(retryPayout({ database, now_ms: NOW_MS }, payout.payout_id));
    await run(NOW_MS);
    expect(fake.posts).toContain("transfers");
    const held = change(holdPayout({ database, now_ms: NOW_MS }, payout.payout_id, true));
    expect(await codeOf(held)).toBe("not_found");
  });

  test("is sent once when an operator hastens it while a run works on it", async () => {
    const user_id = await addPayee(5000);
    const { fake, gateway } = fakeGateway();
    const { payout } = await createPayout(contextOf(user_id, { gateway }), 5000);
    const run = (on: typeof gateway) => advancePayouts(servicesOf({ gateway: on, clock: { now: () => NOW_MS } }));
    // During each call of a run, an operator hastens the payout, and the clock begins another run.
    const hastened: typeof gateway = {
      ...gateway,
      async call(ask) {
        await change(retryPayout({ database, now_ms: NOW_MS }, payout.payout_id));
        await run(gateway);
        return gateway.call(ask);
      },
    };
    await run(hastened);
    await run(hastened);
    expect(fake.posts.filter((path) => path === "transfers" || path === "payouts")).toEqual(["transfers", "payouts"]);
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "pending" }]);
  });

  test("keeps the claim of a later run when the earlier one ends", async () => {
    const user_id = await addPayee(5000);
    const { gateway } = fakeGateway();
    const { payout } = await createPayout(contextOf(user_id, { gateway }), 5000);
    const claim = d1.prepare("SELECT claimed_until FROM payouts WHERE payout_id = ?").bind(payout.payout_id);
    const later = new Date(NOW_MS + DAY_MS).toISOString();
    const outlasted: typeof gateway = {
      ...gateway,
      async call(ask) {
        await d1
          .prepare("UPDATE payouts SET claimed_until = ? WHERE payout_id = ?")
          .bind(later, payout.payout_id)
          .run();
        return gateway.call(ask);
      },
    };
    await advancePayouts(servicesOf({ gateway: outlasted, clock: { now: () => NOW_MS } }));
    expect(await claim.first("claimed_until")).toBe(later);
  });

  test("is not taken for refused while another run asks for the same, or when only a look at it fails", async () => {
    const user_id = await addPayee(5000);
    const errors: Record<string, number> = { "POST transfers": 409 };
    const { fake, gateway } = fakeGateway((call) => errors[call]);
    await createPayout(contextOf(user_id, { gateway }), 5000);
    const run = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await run(NOW_MS);
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "pending" }]);
    delete errors["POST transfers"];
    errors["GET payouts/"] = 404;
    await run(NOW_MS + DAY_MS / 24);
    log.mockRestore();
    expect(fake.posts.filter((path) => path === "payouts")).toHaveLength(1);
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "pending" }]);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 0 });
  });

  test("for the gateway's money is tried again, and one that it refuses fails", async () => {
    const user_id = await addPayee(5000);
    const refusals = ["balance_insufficient", "account_invalid"];
    const keys: string[] = [];
    const gateway = openGateway(
      { SITE_ORIGIN: "http://site.test", STRIPE_SECRET_KEY: "sk_test_1" },
      async (input, init) => {
        if (/\/(?:accounts\/|tokens$)/.test(String(input))) return accountAnswer("acct_1");
        if (init?.method === "GET") return Response.json({ data: [], has_more: false });
        keys.push(new Headers(init?.headers).get("idempotency-key") ?? "");
        const error = { type: "invalid_request_error", code: refusals[keys.length - 1] };
        return Response.json({ error }, { status: 400 });
      },
    );
    await createPayout(contextOf(user_id, { gateway }), 5000);
    const run = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    await run(NOW_MS);
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "pending" }]);
    await run(NOW_MS + DAY_MS / 24);
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "failed", failure_reason: "could_not_process" }]);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 5000, in_transit_yen: 0 });
    expect(new Set(keys).size).toBe(2);
  });

  test("waits while this version lacks the key of the bank account", async () => {
    const user_id = await addPayee(8000);
    const { fake, gateway } = fakeGateway();
    await createPayout(contextOf(user_id, { gateway }), 5000);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await advancePayouts(servicesOf({ gateway, bank_keys: OTHER_BANK_KEYS }));
    const refused = createPayout({ ...contextOf(user_id, { gateway }), bank_keys: OTHER_BANK_KEYS }, 3000);
    expect(await codeOf(refused)).toBe("unavailable");
    expect(log.mock.calls.join()).toContain("BANK_KEYS has no key k1");
    log.mockRestore();
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "pending", failure_reason: null }]);
    expect(fake.posts).toEqual([]);
    const run = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    await run(NOW_MS + WAIT_MS - 1);
    expect(fake.posts).toEqual([]);
    await run(NOW_MS + WAIT_MS);
    expect(await payoutsOf(user_id)).toMatchObject([{ arrives_at: new Date(NOW_MS).toISOString() }]);
  });

  test("fails when the bank account was changed in the database", async () => {
    const user_id = await addPayee(5000);
    const { fake, gateway } = fakeGateway();
    await createPayout(contextOf(user_id, { gateway }), 5000);
    await spoilBank(user_id);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await advancePayouts(servicesOf({ gateway }));
    log.mockRestore();
    expect(fake.posts).toEqual([]);
    expect(await payoutsOf(user_id)).toMatchObject([{ status: "failed", failure_reason: "could_not_process" }]);
  });
});

describe("the payouts of the 20th", () => {
  /** The 20th of November 2026, 0:00 in Japan. */
  const THE_20TH = Date.UTC(2026, 10, 19, 15);
  const before = new Date(THE_20TH - 1).toISOString();
  const run = (now_ms: number) => requestAutomaticPayouts(servicesOf({ clock: { now: () => now_ms } }));

  test("are of the whole balance, once in a month, for those who chose it before", async () => {
    const [chosen, late, never] = [
      await addPayee(7000, { automatic_since: before }),
      await addPayee(7000, { automatic_since: new Date(THE_20TH).toISOString() }),
      await addPayee(7000),
    ];
    await run(THE_20TH - 1);
    expect(await payoutsOf(chosen)).toEqual([]);
    await run(THE_20TH);
    await earn(chosen, 3000);
    await run(THE_20TH + DAY_MS);
    expect(await payoutsOf(chosen)).toMatchObject([{ amount: 7000, is_automatic: true, status: "pending" }]);
    expect(await balancesOf(chosen)).toMatchObject({ available_yen: 3000 });
    expect([await payoutsOf(late), await payoutsOf(never)]).toEqual([[], []]);
    // The next month.
    await run(Date.UTC(2026, 11, 19, 15));
    expect((await payoutsOf(chosen)).map(({ amount }) => amount)).toEqual([3000, 7000]);
    expect((await payoutsOf(late)).map(({ amount }) => amount)).toEqual([7000]);
  });

  test("wait a month for those with less than the smallest payout, without a consent, or disabled", async () => {
    const poor = await addPayee(PAYOUT_MIN_YEN - 1, { automatic_since: before });
    const smallest = await addPayee(PAYOUT_MIN_YEN, { automatic_since: before });
    const stopped = await addPayee(5000, { automatic_since: before });
    await d1.prepare("UPDATE creator_accounts SET payouts_enabled = 0 WHERE user_id = ?").bind(stopped).run();
    const disabled = await addPayee(5000, { automatic_since: before });
    await d1.prepare("UPDATE users SET disabled_at = '2026-01-01' WHERE user_id = ?").bind(disabled).run();
    await run(THE_20TH);
    expect(await payoutsOf(smallest)).toMatchObject([{ amount: PAYOUT_MIN_YEN }]);
    await earn(poor, 5000);
    await run(THE_20TH + 5 * DAY_MS);
    for (const user_id of [poor, stopped, disabled]) expect(await payoutsOf(user_id)).toEqual([]);
    await run(Date.UTC(2026, 11, 19, 15));
    expect((await payoutsOf(poor)).map(({ amount }) => amount)).toEqual([5999]);
  });

  test("are requested by the next run when the database fails, and those of others meanwhile", async () => {
    const [struck, spared] = [
      await addPayee(7000, { automatic_since: before }),
      await addPayee(7000, { automatic_since: before }),
    ];
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await requestAutomaticPayouts(servicesOf({ d1: resetOnce(), clock: { now: () => THE_20TH } }));
    log.mockRestore();
    expect([...(await payoutsOf(struck)), ...(await payoutsOf(spared))]).toHaveLength(1);
    await run(THE_20TH + 60_000);
    for (const user_id of [struck, spared]) expect(await payoutsOf(user_id)).toMatchObject([{ amount: 7000 }]);
  });

  test("are requested for a creator behind fifty whose payouts always fail", async () => {
    const user_id = await addPayee(7000, { automatic_since: before });
    await d1.batch([
      d1.prepare(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50)
        INSERT INTO users (user_id, identity_id, link_id, name, created_at)
        SELECT printf('00failing%02d', n), printf('failing-%d', n), printf('failing_%d', n), '止まる人', '2026-01-01' FROM numbers`),
      d1
        .prepare(`INSERT INTO creator_accounts (user_id, account_type, account_id, automatic_since, check_at, created_at)
          SELECT user_id, 'individual', 'acct_' || user_id, ?1, '9999-12-31T00:00:00.000Z', ?1 FROM users
          WHERE user_id LIKE '00failing%'`)
        .bind(before),
      d1.prepare(`CREATE TRIGGER failing BEFORE UPDATE OF automatic_month ON creator_accounts
        WHEN OLD.user_id LIKE '00failing%' BEGIN SELECT RAISE(ABORT, 'always'); END`),
    ]);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await run(THE_20TH);
    log.mockRestore();
    await d1.batch([
      d1.prepare("DROP TRIGGER failing"),
      d1.prepare("DELETE FROM creator_accounts WHERE user_id LIKE '00failing%'"),
    ]);
    expect(await payoutsOf(user_id)).toMatchObject([{ amount: 7000 }]);
  });

  test("are requested by the next run of a version that has the key of the bank account", async () => {
    const user_id = await addPayee(7000, { automatic_since: before });
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await requestAutomaticPayouts(servicesOf({ bank_keys: OTHER_BANK_KEYS, clock: { now: () => THE_20TH } }));
    log.mockRestore();
    expect(await payoutsOf(user_id)).toEqual([]);
    await run(THE_20TH + 60_000);
    expect(await payoutsOf(user_id)).toMatchObject([{ amount: 7000 }]);
  });

  test("wait a month for a creator whose bank account cannot be decrypted", async () => {
    const user_id = await addPayee(7000, { automatic_since: before });
    await spoilBank(user_id);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await run(THE_20TH);
    log.mockRestore();
    await registerBank(contextOf(user_id), "0001234");
    await run(THE_20TH + DAY_MS);
    expect(await payoutsOf(user_id)).toEqual([]);
    await run(Date.UTC(2026, 11, 19, 15));
    expect(await payoutsOf(user_id)).toMatchObject([{ amount: 7000 }]);
  });

  const DECEMBER = Date.UTC(2026, 11, 19, 15);
  const JANUARY = Date.UTC(2027, 0, 19, 15);
  const FEBRUARY = Date.UTC(2027, 1, 19, 15);

  test.each(payoutFailureReason.options)("wait after a failure of the bank account alone: %s", async (failure_code) => {
    const is_of_account = failure_code !== "insufficient_funds" && failure_code !== "could_not_process";
    const user_id = await addPayee(7000, { automatic_since: before });
    const { fake, gateway } = fakeGateway();
    const advance = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    await run(DECEMBER);
    await advance(DECEMBER);
    for (const payout of fake.payouts.values()) Object.assign(payout, { status: "failed", failure_code });
    await advance(DECEMBER + DAY_MS);
    expect(await payoutsOf(user_id)).toMatchObject([{ failure_reason: failure_code }]);
    const { creator_account } = await updateCreatorAccount(contextOf(user_id), { invoice_number: null });
    expect(creator_account).toMatchObject({ is_automatic: true, is_bank_failing: is_of_account });
    await run(JANUARY);
    expect(await payoutsOf(user_id)).toHaveLength(is_of_account ? 1 : 2);
    expect((await balancesOf(user_id)).available_yen).toBe(is_of_account ? 7000 : 0);
  });

  test("continue after a failure when the creator registers the bank account again, or a payout arrives", async () => {
    const registered = await addPayee(7000, { automatic_since: before });
    const paid = await addPayee(7000, { automatic_since: before });
    const { fake, gateway } = fakeGateway();
    const advance = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    await run(DECEMBER);
    await advance(DECEMBER);
    for (const payout of fake.payouts.values())
      Object.assign(payout, { status: "failed", failure_code: "account_frozen" });
    await advance(DECEMBER + DAY_MS);
    await registerBank(contextOf(registered, { now_ms: DECEMBER + 2 * DAY_MS }), "0001234");
    await createPayout(contextOf(paid, { now_ms: DECEMBER + 2 * DAY_MS }), 2000);
    await run(JANUARY);
    expect((await payoutsOf(registered)).map(({ amount }) => amount)).toEqual([7000, 7000]);
    expect((await payoutsOf(paid)).map(({ amount }) => amount)).toEqual([2000, 7000]);
    await advance(JANUARY);
    for (const payout of fake.payouts.values()) if (payout.status === "pending") payout.status = "paid";
    await advance(JANUARY + DAY_MS);
    await run(FEBRUARY);
    expect((await payoutsOf(paid)).map(({ amount }) => amount)).toEqual([5000, 2000, 7000]);
  });

  test("wait while the gateway refuses the bank account", async () => {
    const user_id = await addPayee(7000, { automatic_since: before });
    await d1
      .prepare("UPDATE creator_accounts SET bank_refused = 1, bank_given_at = ? WHERE user_id = ?")
      .bind(new Date(NOW_MS).toISOString(), user_id)
      .run();
    await run(DECEMBER);
    expect(await payoutsOf(user_id)).toEqual([]);
    // The clock has not given the next one to the gateway yet.
    await registerBank(contextOf(user_id, { now_ms: DECEMBER }), "0001234");
    await run(JANUARY);
    expect(await payoutsOf(user_id)).toMatchObject([{ amount: 7000 }]);
  });

  test("that fail say that they pause, unless the reason passes by itself", () => {
    const failed = { user_id: "u", payout_id: "p", amount: 7000, reason: "no_account" } as const;
    const isPause = (payload: OutboxEvents["payout_failed"]) => {
      const [notice] = noticeOfFailure(payload);
      const said = [notice?.message.includes("届くまでお休みします"), notice?.english?.includes("pause until")];
      expect(said[0]).toBe(said[1]);
      return said[0];
    };
    expect(isPause(failed)).toBe(true);
    expect(isPause({ ...failed, reason: "insufficient_funds" })).toBe(false);
  });

  test("of two runs at once are requested once", async () => {
    const user_id = await addPayee(7000, { automatic_since: before });
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await Promise.all([run(THE_20TH), run(THE_20TH), run(THE_20TH)]);
    log.mockRestore();
    expect((await payoutsOf(user_id)).map(({ amount }) => amount)).toEqual([7000]);
  });
});

test("a type that is chosen again after a lost answer is that of the one account", async () => {
  const gateway = await startGateway(NOW_MS);
  const user_id = await addUser(`chooser_${people++}`);
  const link = (account_type: "individual" | "company") =>
    linkCreatorAccount(contextOf(user_id, { gateway }), { account_type });
  for (const lost of ["/v1/accounts", /^\/v1\/accounts\/\w+$/]) {
    gateway.fault = (path, method) => (method === "POST" && path.match(lost)?.[0] === path ? "lost answer" : null);
    expect(await codeOf(link("individual"))).toBe("gateway_unreachable");
  }
  gateway.fault = () => null;
  await link("company");
  const { data } = await gateway.stripe.accounts.list();
  expect(data.map(({ business_type }) => business_type)).toEqual(["company"]);
});

test("a type is not changed by a choice after the terms are accepted", async () => {
  const user_id = await addPayee(0);
  const { gateway } = fakeGateway();
  await linkCreatorAccount(contextOf(user_id, { gateway }), { account_type: "company" });
  expect(await findAccountRow(database, user_id)).toMatchObject({ account_type: "individual", tos_accepted: 1 });
});

describe("a bank account that its creator replaces", () => {
  const OLD = "0001234";
  const NEW = "0009876";
  const at = (context: ReturnType<typeof contextOf>, ms: number) => ({ ...context, now_ms: NOW_MS + ms });
  const accountIdOf = async (user_id: string) => (await findAccountRow(database, user_id))?.account_id ?? "";
  /** The last digits of the bank account that the gateway has. */
  const last4Of = async ({ stripe }: TestGateway, user_id: string) => {
    const { external_accounts } = await stripe.accounts.retrieve(await accountIdOf(user_id));
    return (external_accounts?.data ?? []).map(({ last4 }) => last4);
  };
  /** What our rows say of a person's payouts, and the last digits of the account to which the gateway sent each. */
  const sentTo = async ({ stripe }: TestGateway, user_id: string) => {
    const stripeAccount = await accountIdOf(user_id);
    const made = await stripe.payouts.list({ expand: ["data.destination"] }, { stripeAccount });
    return {
      rows: (await payoutsOf(user_id)).map(({ bank }) => bank.account_number_last3),
      paid: made.data.map(({ destination }) => (destination as Stripe.BankAccount | null)?.last4),
    };
  };
  /** Runs something once, before the gateway gets the first call that changes an account. */
  const beforeGiving = (gateway: TestGateway, meanwhile: () => Promise<unknown>) => {
    let is_done = false;
    gateway.fault = async (path, method) => {
      if (is_done || method !== "POST" || !path.startsWith("/v1/accounts/")) return null;
      is_done = true;
      await meanwhile();
      return null;
    };
  };

  test.each([
    ["another request has given the new one", true],
    ["nobody has given the new one", false],
  ])("is given again when the call with the old one arrives after %s", async (_when, is_given) => {
    const { gateway, user_id, context } = await onboardPayee();
    await registerBank(context, OLD);
    beforeGiving(gateway, async () => {
      await registerBank(at(context, 1000), NEW);
      if (is_given) await updateCreatorAccount(at(context, 1000), {});
    });
    await updateCreatorAccount(context, {});
    expect(await last4Of(gateway, user_id)).toEqual([OLD.slice(-4)]);
    await checkAccounts(servicesOf({ gateway, clock: { now: () => NOW_MS + 1000 } }));
    expect(await last4Of(gateway, user_id)).toEqual([NEW.slice(-4)]);
    await fillPayee(gateway, user_id);
    await createPayout(at(context, 2000), 4000);
    await advancePayouts(servicesOf({ gateway, clock: { now: () => NOW_MS + 2000 } }));
    expect(await sentTo(gateway, user_id)).toEqual({ rows: [NEW.slice(-3)], paid: [NEW.slice(-4)] });
  });

  test("gets no payout when the gateway has the old one against our books", async () => {
    const { gateway, user_id, context } = await onboardPayee();
    await registerBank(context, NEW);
    await updateCreatorAccount(context, {});
    await fillPayee(gateway, user_id);
    // A call that was given up arrives late.
    const late = { country: "JP", currency: "jpy", routing_number: "0001210", account_number: OLD };
    const bank_account = { ...late, account_holder_name: "ヤマダ ハナ" };
    const { id } = await gateway.stripe.tokens.create({ bank_account });
    await gateway.stripe.accounts.update(await accountIdOf(user_id), { external_account: id });
    await createPayout(context, 4000);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const run = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    await run(NOW_MS);
    log.mockRestore();
    expect(await sentTo(gateway, user_id)).toEqual({ rows: [NEW.slice(-3)], paid: [] });
    await run(NOW_MS + DAY_MS / 24);
    expect(await sentTo(gateway, user_id)).toEqual({ rows: [NEW.slice(-3)], paid: [NEW.slice(-4)] });
  });

  test("between the look at it and the payout gets the payout by a later run", async () => {
    const { gateway, user_id, context } = await onboardPayee();
    await registerBank(context, OLD);
    await updateCreatorAccount(context, {});
    await fillPayee(gateway, user_id);
    await createPayout(context, 4000);
    let is_done = false;
    gateway.fault = async (path, method) => {
      if (is_done || method !== "POST" || path !== "/v1/payouts") return null;
      is_done = true;
      await registerBank(at(context, 1000), NEW);
      await updateCreatorAccount(at(context, 1000), {});
      return null;
    };
    const run = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    await run(NOW_MS);
    expect(await sentTo(gateway, user_id)).toMatchObject({ paid: [] });
    await run(NOW_MS + DAY_MS / 24);
    expect(await sentTo(gateway, user_id)).toEqual({ rows: [NEW.slice(-3)], paid: [NEW.slice(-4)] });
  });

  test("is given once when two requests give it at the same time", async () => {
    const { gateway, user_id, context } = await onboardPayee();
    await registerBank(context, NEW);
    const externalIds = async () =>
      (await gateway.stripe.accounts.retrieve(await accountIdOf(user_id))).external_accounts?.data.map(({ id }) => id);
    let first: string[] | undefined;
    beforeGiving(gateway, async () => {
      await updateCreatorAccount(context, {});
      first = await externalIds();
    });
    await updateCreatorAccount(context, {});
    expect(first).toHaveLength(1);
    expect(await externalIds()).toEqual(first);
    const row = await findAccountRow(database, user_id);
    expect(row?.bank_given_at).toBe((await findBankAccount(context, user_id))?.updated_at);
  });

  test.each([
    ["the payout's answer was lost", "lost answer", OLD],
    ["the payout was not made", "silent", NEW],
  ] as const)("after %s: the row names the account to which the money went", async (_when, fault, paid) => {
    const { gateway, user_id, context } = await onboardPayee();
    await registerBank(context, OLD);
    await updateCreatorAccount(context, {});
    await fillPayee(gateway, user_id);
    await createPayout(context, 4000);
    const run = (now_ms: number) => advancePayouts(servicesOf({ gateway, clock: { now: () => now_ms } }));
    gateway.fault = (path, method) => (method === "POST" && path === "/v1/payouts" ? fault : null);
    await run(NOW_MS);
    gateway.fault = () => null;
    await registerBank(at(context, 1000), NEW);
    await checkAccounts(servicesOf({ gateway, clock: { now: () => NOW_MS + 1000 } }));
    await run(NOW_MS + 2000);
    expect(await sentTo(gateway, user_id)).toEqual({ rows: [paid.slice(-3)], paid: [paid.slice(-4)] });
  });
});

test("a bank account is given to the gateway by the next run, also if an event of the account is handled in between", async () => {
  const user_id = await addPayee(0);
  const account_id = `acct_${user_id}`;
  const { fake, gateway } = fakeGateway();
  const checkAt = async () =>
    (
      await database
        .selectFrom("creator_accounts")
        .select("check_at")
        .where("user_id", "=", user_id)
        .executeTakeFirstOrThrow()
    ).check_at;
  const created_at = new Date(NOW_MS).toISOString();
  const handle = async () => {
    const account = { user_id, created_at };
    await runBatch(d1, await accountStatements({ database, gateway, now_ms: NOW_MS }, account, account_id));
  };
  await handle();
  expect(await checkAt()).toBe(created_at);
  await checkAccounts(servicesOf({ gateway }));
  expect(fake.posts).toContain(`accounts/${account_id}`);
  await handle();
  expect(Date.parse((await checkAt()) ?? "")).toBeGreaterThan(NOW_MS);
});

test("of two answers about an account that cross each other, the one that was asked for later stays", async () => {
  const user_id = await addPayee(0);
  const account_id = `acct_${user_id}`;
  const created_at = new Date(NOW_MS).toISOString();
  /** The statements for what the gateway says now, asked at a moment. */
  const hear = (said: Partial<Stripe.Account>, now_ms: number) => {
    const gateway = openGateway({ SITE_ORIGIN: "http://site.test", STRIPE_SECRET_KEY: "sk_test_1" }, async () =>
      Response.json({ id: account_id, ...said }),
    );
    return accountStatements({ database, gateway, now_ms }, { user_id, created_at }, account_id);
  };
  const account = async () =>
    (await database.selectFrom("creator_accounts").selectAll().where("user_id", "=", user_id).execute())[0];
  // The person has not finished the gateway's pages: our row says what they chose, the gateway may not know it yet.
  await runBatch(d1, await hear({ business_type: "company", details_submitted: false }, NOW_MS));
  expect(await account()).toMatchObject({ account_type: "individual", tos_accepted: 0 });
  const older = await hear({ business_type: "company", details_submitted: false }, NOW_MS + 1);
  const tos_acceptance = { date: 1 };
  const said = { business_type: "company" as const, details_submitted: true, tos_acceptance, payouts_enabled: true };
  await runBatch(d1, await hear(said, NOW_MS + 2));
  await runBatch(d1, older);
  expect(await account()).toMatchObject({ account_type: "company", tos_accepted: 1, payouts_enabled: 1 });
});

test("a creator learns once how the identity check ended, unless the result is there right after the form", async () => {
  const user_id = await addPayee(0);
  const account_id = `acct_${user_id}`;
  await database
    .updateTable("creator_accounts")
    .set({ identity_verification: "none" })
    .where("user_id", "=", user_id)
    .execute();
  const created_at = new Date(NOW_MS).toISOString();
  let asked_ms = NOW_MS;
  const states = {
    pending: { requirements: { pending_verification: ["individual.verification.document"] } },
    unverified: { requirements: { currently_due: ["individual.verification.document"] } },
    verified: { capabilities: { transfers: "active" } },
  };
  const hear = (state: keyof typeof states) => {
    const said = { id: account_id, details_submitted: true, tos_acceptance: { date: 1 }, ...states[state] };
    const gateway = openGateway({ SITE_ORIGIN: "http://site.test", STRIPE_SECRET_KEY: "sk_test_1" }, async () =>
      Response.json(said),
    );
    asked_ms += 1_000;
    return accountStatements({ database, gateway, now_ms: asked_ms }, { user_id, created_at }, account_id);
  };
  const told = async () => {
    await dispatchOutbox(dispatcherOf({ now_ms: asked_ms }));
    const { rows } = await sql<{ message: string; path: string; type: string }>`SELECT message, path, type
      FROM notifications WHERE user_id = ${user_id} AND occasion NOT LIKE 'bank_account_changed %'
      ORDER BY created_at, notification_id`.execute(database);
    return rows.map(({ message, path, type }) => [type, path, message.split("。")[0]]);
  };
  await runBatch(d1, await hear("unverified"));
  await runBatch(d1, await hear("pending"));
  expect(await told()).toEqual([]);
  const refused = ["custom", "/signup/monetize", "本人確認の書類を確認できませんでした"];
  const done = ["custom", "/signup/monetize", "本人確認が完了しました"];
  // A webhook and the clock ask at the same time.
  const answers = [await hear("unverified"), await hear("unverified")];
  for (const answer of answers) await runBatch(d1, answer);
  expect(await told()).toEqual([refused]);
  for (const state of ["pending", "verified", "verified"] as const) await runBatch(d1, await hear(state));
  expect(await told()).toEqual([refused, done]);
  const { rows } = await sql<{ payload: string }>`SELECT payload FROM outbox
    WHERE kind = 'notification_mailed' ORDER BY created_at`.execute(database);
  const mailed = rows.map(({ payload }) => JSON.parse(payload)).filter((mail) => mail.user_id === user_id);
  expect(mailed.map(({ kind, topic }) => ({ kind, topic }))).toEqual(
    Array(2).fill({ kind: "identity_checked", topic: null }),
  );
});

describe("a held payment", () => {
  const at = (days: number) => NOW_MS + days * DAY_MS;
  const iso = (days: number) => new Date(at(days)).toISOString();

  /** Adds a creator with other earnings, and a payment of 5,000 yen that the gateway makes available in two days. */
  async function payeeWithPayment(available_yen: number) {
    const user_id = await addPayee(available_yen);
    const about = { kind: "membership" as const, cause_id: newId(NOW_MS), creator_id: user_id, campaign_id: null };
    const payment = { ...about, ...splitPayment(5000, { fee_percent: 0 }) };
    await post(receivePayment(payment));
    const payment_id = newId(NOW_MS);
    await database
      .insertInto("payments")
      .values({
        ...{
          payment_id,
          kind: payment.kind,
          cause_id: payment.cause_id,
          payer_user_id: null,
          creator_user_id: user_id,
        },
        ...{ campaign_id: null, amount: 5000, fee: 0, donation: 0, creator_share: 5000 },
        ...{ payment_intent_id: `pi_${payment_id}`, charge_id: `ch_${payment_id}` },
        ...{ paid_at: iso(0), available_at: iso(2), released_at: null, withdrawn_at: null },
        ...{ held_at: null, seller_number: null },
      })
      .execute();
    const hold = (is_held: boolean, day = 1) => {
      const made = holdPayment({ database, now_ms: at(day) }, payment_id, is_held);
      return commit({ d1, database, now_ms: at(day), idempotency: null }, made);
    };
    const release = (day: number) => releaseDue(servicesOf({ clock: { now: () => at(day) } }));
    return { user_id, payment_id, hold, release };
  }

  test("stays pending until it is free, whatever the gateway has made available", async () => {
    const { user_id, hold, release } = await payeeWithPayment(2000);
    await hold(true);
    await release(3);
    expect(await balancesOf(user_id)).toEqual({
      available_yen: 2000,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 5000,
      held_pending_yen: 5000,
      contested_yen: 0,
    });
    await hold(false, 4);
    await release(4);
    expect(await balancesOf(user_id)).toEqual({
      available_yen: 7000,
      pending_yen: 0,
      in_transit_yen: 0,
      held_yen: 0,
      held_pending_yen: 0,
      contested_yen: 0,
    });
  });

  test("that was released before is in no payout, asked for or automatic", async () => {
    const { user_id, hold, release } = await payeeWithPayment(2000);
    await release(3);
    await hold(true, 3);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 2000, held_yen: 5000 });
    expect(await codeOf(createPayout(contextOf(user_id, { now_ms: at(4) }), 2001))).toBe("balance_insufficient");
    await createPayout(contextOf(user_id, { now_ms: at(4) }), "all");
    expect(await payoutsOf(user_id)).toMatchObject([{ amount: 2000 }]);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 0, held_yen: 5000 });
    await earn(user_id, 1500);
    await change({
      statements: [
        database
          .updateTable("creator_accounts")
          .set({ automatic_since: new Date(0).toISOString() })
          .where("user_id", "=", user_id)
          .compile(),
      ],
    });
    await requestAutomaticPayouts(servicesOf({ clock: { now: () => Date.UTC(2026, 11, 20, 3) } }));
    expect((await payoutsOf(user_id)).map(({ amount }) => amount)).toEqual([1500, 2000]);
    await hold(false, 40);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: 5000, held_yen: 0 });
  });

  test("keeps back later earnings when its money has left already", async () => {
    const { user_id, hold, release } = await payeeWithPayment(0);
    await release(3);
    await createPayout(contextOf(user_id, { now_ms: at(3) }), "all");
    await hold(true, 4);
    expect(await balancesOf(user_id)).toMatchObject({ available_yen: -5000, held_yen: 5000 });
    await earn(user_id, 3000);
    expect(await codeOf(createPayout(contextOf(user_id, { now_ms: at(5) }), 3000))).toBe("balance_insufficient");
  });

  test("is one that exists and was not given back", async () => {
    const { payment_id, hold } = await payeeWithPayment(0);
    await database
      .updateTable("payments")
      .set({ withdrawn_at: iso(1) })
      .where("payment_id", "=", payment_id)
      .execute();
    expect(await codeOf(hold(true))).toBe("payment_withdrawn");
    expect(await codeOf(change(holdPayment({ database, now_ms: NOW_MS }, newId(NOW_MS), true)))).toBe("not_found");
  });
});
