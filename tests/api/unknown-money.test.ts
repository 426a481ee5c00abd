/** What the gateway has and a restored database has forgotten: operators list it, and settle it. Payouts: payouts.test.ts. */
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import { findCreatorBalances } from "../../workers/api/ledger/queries.ts";
import { listUnknownMoney, settleUnknownMoney } from "../../workers/api/operator/unknown-money.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { listUnknownMoney as contract, type UnknownMoney } from "../../workers/contract/operator.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { contextOf, d1 } from "./support/context.ts";
import { advanceTo } from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";
import {
  addPlan,
  beginAt,
  creator,
  customerOf,
  fan,
  gateway,
  join,
  moveTo,
  now_ms,
  onlySubscription,
  rowsOf,
  run,
  subscriptionRow,
  tick,
} from "./support/subscriptions.ts";

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;
type Kind = UnknownMoney["kind"];

beforeEach(() => beginAt("2038-03-10T03:00:00.000Z"));
afterEach(expectSoundLedger);

const asOperator = (): RequestContext => ({
  ...contextOf(null, { gateway, now_ms }),
  operator: { name: "mina", key: undefined, identity: { fetch: () => Promise.reject() }, mails: contextOf(null).mails },
});
const list = async (kind: Kind, after?: string) =>
  contract.answer.parse(await listUnknownMoney(asOperator(), { kind, since: isoTime(now_ms - 40 * DAY_MS), after }));
const unknownOf = async (kind: Kind) => (await list(kind)).unknown;
const settle = (kind: Kind, gateway_id: string) => settleUnknownMoney(asOperator(), kind, gateway_id);
const acts = () => rowsOf("SELECT input FROM operator_acts");
const linkIdOf = async (user_id: string) =>
  (await rowsOf(`SELECT link_id FROM users WHERE user_id = '${user_id}'`))[0]?.link_id;

describe("a payment of a letter that the database has forgotten", () => {
  const pay = (metadata: Record<string, string>, customer?: string) =>
    gateway.stripe.paymentIntents.create({
      ...{ amount: 500, currency: "jpy", confirm: true, payment_method: "pm_card_visa", metadata },
      ...{ description: "夏芽さんへのofuse", ...(customer !== undefined && { customer }) },
    });
  const refunds = async () => (await gateway.stripe.refunds.list()).data;

  test("goes back once, and the books get the gateway's fee", async () => {
    const customer = (await gateway.stripe.customers.create({ metadata: { user_id: fan } })).id;
    const { id } = await pay({ checkout_id: newId(now_ms) }, customer);
    expect(await unknownOf("payment")).toMatchObject([
      { gateway_id: id, amount: 500, person_link_id: await linkIdOf(fan), reference: "夏芽さんへのofuse" },
    ]);
    await settle("payment", id);
    await settle("payment", id);
    expect(await refunds()).toMatchObject([{ payment_intent: id, amount: 500 }]);
    expect(await unknownOf("payment")).toEqual([]);
    const [booked] = await rowsOf(
      "SELECT COUNT(*) AS n FROM ledger_transfers WHERE kind = 'gateway_fee_charged' AND cause_id = '" +
        `${(await refunds())[0]?.charge}'`,
    );
    expect(booked?.n).toBe(1);
  });

  test("stays unknown while the gateway refuses to give it back", async () => {
    const { id } = await pay({ checkout_id: newId(now_ms) });
    const [charge] = (await gateway.stripe.charges.list({ payment_intent: id })).data;
    await gateway.stripe.rawRequest("POST", `/v1/test_helpers/charges/${charge?.id}/dispute`, {});
    await expect(settle("payment", id)).rejects.toMatchObject({ code: "payment_withdrawn" });
    expect((await acts()).map(({ input }) => input)).toContain(JSON.stringify({ refused: "payment_withdrawn" }));
    expect(await unknownOf("payment")).toMatchObject([{ gateway_id: id }]);
  });

  test("is neither one that has a checkout nor one of somebody else's", async () => {
    const checkout_id = newId(now_ms);
    await run(
      `INSERT INTO checkouts (checkout_id, kind, creator_user_id, amount, status, created_at, asked_at)
        VALUES (?1, 'ofuse', ?2, 500, 'open', ?3, ?3)`,
      ...[checkout_id, creator, isoTime(now_ms)],
    );
    await pay({ checkout_id });
    const { id } = await pay({});
    expect(await list("payment")).toEqual({ unknown: [], next: null });
    await settle("payment", id);
    expect(await refunds()).toEqual([]);
    await expect(settle("payment", "pi_nobody")).rejects.toMatchObject({ code: "not_found" });
  });

  test("is found on each page of the gateway's list", async () => {
    const made: Stripe.PaymentIntent[] = [];
    for (let each = 0; each < 21; each++) made.push(await pay({ checkout_id: newId(now_ms) }));
    const { unknown, next } = await list("payment");
    const { unknown: rest, next: end } = await list("payment", next ?? "");
    expect([...unknown, ...rest].map(({ gateway_id }) => gateway_id)).toEqual(made.map(({ id }) => id).reverse());
    expect(end).toBeNull();
  });
});

describe("a plan", () => {
  test("that the database has forgotten ends, and its payment goes back", async () => {
    const { stripe } = gateway;
    const customer = (await stripe.customers.create({ metadata: { user_id: fan } })).id;
    const default_payment_method = (await stripe.paymentMethods.attach("pm_card_visa", { customer })).id;
    const { id: product } = await stripe.products.create({ name: "会員" });
    const price = await stripe.prices.create({
      ...{ currency: "jpy", unit_amount: 1500, product, recurring: { interval: "month" as const } },
    });
    const { id: subscription } = await stripe.subscriptions.create({
      ...{ customer, default_payment_method, items: [{ price: price.id }], metadata: { joining_id: newId(now_ms) } },
    });
    const [unknown, ...more] = await unknownOf("plan");
    expect([unknown, more]).toMatchObject([
      { amount: 1500, person_link_id: await linkIdOf(fan), reference: subscription },
      [],
    ]);
    await settle("plan", unknown?.gateway_id ?? "");
    await settle("plan", unknown?.gateway_id ?? "");
    expect(await rowsOf("SELECT gateway_id FROM abandoned_subscriptions")).toEqual([{ gateway_id: subscription }]);
    for (let runs = 0; runs < 2; runs++) {
      await tick();
      moveTo(now_ms + 10 * MINUTE_MS);
    }
    expect(await onlySubscription()).toMatchObject({ status: "canceled" });
    expect((await stripe.refunds.list()).data).toMatchObject([{ amount: 1500, status: "succeeded" }]);
    expect(await rowsOf("SELECT * FROM abandoned_subscriptions")).toEqual([]);
    expect(await unknownOf("plan")).toEqual([]);
  });

  test("whose renewal the database has not heard of gets it into the books", async () => {
    await join(await addPlan(1500));
    expect(await unknownOf("plan")).toEqual([]);
    moveTo(now_ms + 33 * DAY_MS);
    await advanceTo(gateway, now_ms);
    await run("UPDATE subscriptions SET ask_at = '9999-12-31T00:00:00.000Z'");
    const { gateway_id: reference } = await subscriptionRow();
    const [unknown] = await unknownOf("plan");
    expect(unknown).toMatchObject({ amount: 1500, reference, person_link_id: await linkIdOf(fan) });
    await settle("plan", unknown?.gateway_id ?? "");
    await tick();
    expect(await rowsOf("SELECT amount FROM payments")).toEqual([{ amount: 1500 }, { amount: 1500 }]);
    expect(await onlySubscription()).toMatchObject({ status: "active" });
    expect(await unknownOf("plan")).toEqual([]);
  });
});

describe("what was taken back of a payment", () => {
  const paid = async () => {
    await join(await addPlan(1500));
    return (await gateway.stripe.charges.list({ customer: await customerOf() })).data[0] as Stripe.Charge;
  };

  test("by a refund that the database has forgotten leaves the creator's balance", async () => {
    const { id: charge } = await paid();
    const { id } = await gateway.stripe.refunds.create({ charge });
    const [payment] = await rowsOf("SELECT payment_id FROM payments");
    expect(await unknownOf("refund")).toMatchObject([
      { gateway_id: id, amount: 1500, person_link_id: await linkIdOf(fan), reference: payment?.payment_id },
    ]);
    await settle("refund", id);
    await settle("refund", id);
    expect(await rowsOf("SELECT gateway_refund_id FROM refunds")).toEqual([{ gateway_refund_id: id }]);
    expect(await findCreatorBalances(openDatabase(d1), creator)).toMatchObject({ pending_yen: 0 });
    expect(await unknownOf("refund")).toEqual([]);
  });

  test("by a dispute that the database has forgotten leaves the creator's balance", async () => {
    const { id: charge } = await paid();
    await gateway.stripe.rawRequest("POST", `/v1/test_helpers/charges/${charge}/dispute`, {});
    const [dispute] = (await gateway.stripe.disputes.list()).data;
    expect(await unknownOf("dispute")).toMatchObject([{ gateway_id: dispute?.id, amount: 1500 }]);
    await settle("dispute", dispute?.id ?? "");
    expect(await rowsOf("SELECT status FROM disputes")).toEqual([{ status: "open" }]);
    expect(await findCreatorBalances(openDatabase(d1), creator)).toMatchObject({ pending_yen: 0 });
    expect(await unknownOf("dispute")).toEqual([]);
  });
});
