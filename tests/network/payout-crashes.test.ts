/** Payouts whose run dies at any step, or whose gateway is silent: the product's own steps on the network's databases. */
import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkPart } from "../../workers/api/ledger/check.ts";
import { advancePayouts } from "../../workers/api/payouts/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { getBalance } from "../../workers/contract/ledger.ts";
import { createPayout, listPayouts, updateBank } from "../../workers/contract/payouts.ts";
import { skipPauses } from "../support/hurry.ts";
import { database, type Member, network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, send } from "./support/calls.ts";
import { bankAccount, fillGateway, freshPayee, openGatewayOf, passDays, stripeOf } from "./support/payouts.ts";

skipPauses();

/** How a call of the gateway ends. `lost`: the gateway does it, and the run dies before it gets the answer. */
type Fault = "unsent" | "lost" | "500" | "garbage";
type Send = () => Promise<Response>;

const faults: Record<Fault, (send: Send) => Promise<Response>> = {
  unsent: async () => {
    throw new TypeError("connection lost");
  },
  async lost(send) {
    await send();
    throw new TypeError("connection lost");
  },
  500: async () => Response.json({ error: { type: "api_error", message: "oops" } }, { status: 500 }),
  garbage: async () => new Response("<html>", { status: 200 }),
};

let stripe: Stripe;
let payee: Member;
beforeAll(async () => {
  stripe = await stripeOf();
  await fillGateway(stripe);
  payee = await freshPayee("落ちる人", 90_000);
});
afterAll(async () => {
  expect(await checkPart(openDatabase(await database()), { first: 1, last: 1_000_000 })).toEqual([]);
});

/**
 * Runs the clock's step for payouts here. The call with the number `faulty` ends by a fault, and so do its repetitions by the
 * package. Returns the paths of the calls that were made.
 */
async function runClock(faulty: number | null = null, fault: Fault = "unsent", later_ms = 0): Promise<string[]> {
  // A late webhook may make a payout of an earlier file due again.
  await (await database())
    .prepare("UPDATE payouts SET check_at = NULL WHERE user_id <> ?")
    .bind(payee.user.user_id)
    .run();
  const d1 = await database();
  const { secrets } = await network();
  const calls: string[] = [];
  const gateway = await openGatewayOf((go, path) => {
    if (calls.at(-1) !== path) calls.push(path);
    return calls.length - 1 === faulty ? faults[fault](go) : go();
  });
  const services = { d1, database: openDatabase(d1), gateway, bank_keys: secrets.BANK_KEYS };
  const clock = { now: () => Date.now() + later_ms };
  await advancePayouts({ ...services, clock } as Parameters<typeof advancePayouts>[0]);
  return calls;
}

const payoutOf = async (payout_id: string) =>
  (await ask(listPayouts, { token: payee.token })).payouts.find((each) => each.payout_id === payout_id);
const rowOf = async (payout_id: string) =>
  (await database()).prepare("SELECT * FROM payouts WHERE payout_id = ?").bind(payout_id).first();

/** Returns how many transfers and payouts the gateway made for one of ours. */
async function countMade(payout_id: string): Promise<number[]> {
  const { account_id } = (await rowOf(payout_id)) as { account_id: string };
  const transfers = await stripe.transfers.list({ transfer_group: payout_id });
  const payouts = await stripe.payouts.list({ limit: 100 }, { stripeAccount: account_id });
  return [transfers.data.length, payouts.data.filter(({ metadata }) => metadata?.payout_id === payout_id).length];
}

test("a run that dies at any call is continued to exactly one transfer and one payout", async () => {
  const ask1000 = () => ask(createPayout, { token: payee.token, body: { amount: 1000 } });
  await send(updateBank, { token: payee.token, body: bankAccount() });
  const { payout } = await ask1000();
  const path = await runClock();
  expect(path).toEqual([
    "/v1/tokens",
    expect.stringMatching(/^\/v1\/accounts\//),
    "/v1/transfers",
    "/v1/payouts",
    expect.stringMatching(/^\/v1\/payouts\/po_/),
  ]);
  expect(await countMade(payout.payout_id)).toEqual([1, 1]);
  const cases: [Fault, number][] = [
    ...path.map((_, call): [Fault, number] => ["lost", call]),
    ["unsent", 2],
    ["500", 3],
    ["garbage", 2],
  ];
  for (const [fault, call] of cases) {
    await send(updateBank, { token: payee.token, body: bankAccount() });
    const { payout_id } = (await ask1000()).payout;
    expect((await runClock(call, fault)).length, `${fault} at ${path[call]}`).toBe(call + 1);
    expect(await payoutOf(payout_id)).toMatchObject({ status: "pending" });
    // The site's own work at a webhook may have the payout in hand. It then waits for the run after that.
    await waitUntil(async () => {
      await runClock();
      expect(await countMade(payout_id), `${fault} at ${path[call]}`).toEqual([1, 1]);
    });
    // Another run finds nothing to make.
    await runClock(null, "unsent", 60 * 60 * 1000);
    expect(await countMade(payout_id)).toEqual([1, 1]);
  }
});

test("several clocks at once make one transfer and one payout of each", async () => {
  const body = { amount: 1000 };
  const made = await Promise.all([1, 2, 3].map(() => ask(createPayout, { token: payee.token, body })));
  await Promise.all([runClock(), runClock(), runClock(), runClock()]);
  await runClock(null, "unsent", 60 * 60 * 1000);
  for (const { payout } of made) expect(await countMade(payout.payout_id)).toEqual([1, 1]);
});

test("a payout that failed comes back once, also when the webhook was lost and the reversal's answer too", async () => {
  const { token } = payee;
  const before = (await ask(getBalance, { token })).balance.available;
  await send(updateBank, { token, body: bankAccount("1111116") });
  const { payout_id } = (await ask(createPayout, { token, body: { amount: 5000 } })).payout;
  await runClock();
  // The gateway cannot reach us.
  const hooks = (await database()).prepare("UPDATE payouts SET gateway_payout_id = ? WHERE payout_id = ?");
  const { gateway_payout_id } = (await rowOf(payout_id)) as { gateway_payout_id: string };
  await hooks.bind("po_hidden", payout_id).run();
  await passDays(stripe, 3);
  await hooks.bind(gateway_payout_id, payout_id).run();
  const HOUR_MS = 60 * 60 * 1000;
  await runClock(null, "unsent", HOUR_MS);
  expect(await payoutOf(payout_id)).toMatchObject({ status: "failed", failure_reason: "no_account" });
  expect((await ask(getBalance, { token })).balance).toMatchObject({ available: before });
  const { transfer_id } = (await rowOf(payout_id)) as { transfer_id: string };
  await runClock(0, "lost", HOUR_MS);
  // A webhook that arrives now writes the row too, and the payout then waits for the next run.
  await waitUntil(async () => {
    await runClock(null, "unsent", HOUR_MS);
    expect(await rowOf(payout_id)).toMatchObject({ reversal_id: expect.stringMatching(/^trr_/), check_at: null });
  });
  expect(await stripe.transfers.retrieve(transfer_id)).toMatchObject({ amount_reversed: 4750, reversed: true });
});

test("a payout that waited longer than idempotency keys live is not made again", async () => {
  const { token } = payee;
  await send(updateBank, { token, body: bankAccount() });
  const { payout_id } = (await ask(createPayout, { token, body: { amount: 2000 } })).payout;
  await runClock(2, "lost");
  // What the gateway has forgotten after a day, another key would make again.
  await (await database()).prepare("UPDATE payouts SET refusals = 7 WHERE payout_id = ?").bind(payout_id).run();
  await runClock(null, "unsent", 25 * 60 * 60 * 1000);
  expect(await countMade(payout_id)).toEqual([1, 1]);
  expect(await rowOf(payout_id)).toMatchObject({ gateway_payout_id: expect.stringMatching(/^po_/) });
});
