import Stripe from "stripe";
import { afterEach, describe, expect, test } from "vitest";
import { comesTwice, delayOf } from "../../workers/gateway/storage/disorder.ts";
import { waitUntil } from "../support/wait.ts";
import { type Delivered, type RunningGateway, startGateway, WEBHOOK_SECRET, WEBHOOK_URL } from "./support.ts";

let gateway: RunningGateway;

const crypto_provider = Stripe.createSubtleCryptoProvider();
const read = ({ payload, signature }: Delivered, secret = WEBHOOK_SECRET) =>
  gateway.stripe.webhooks.constructEventAsync(payload, signature, secret, undefined, crypto_provider);
const readAll = () => Promise.all(gateway.delivered.map((each) => read(each)));
const pay = () =>
  gateway.stripe.paymentIntents.create({ amount: 500, currency: "jpy", confirm: true, payment_method: "pm_card_visa" });
const selectDeliveries = async (condition: string) =>
  (await gateway.database.prepare(`SELECT seq FROM deliveries WHERE ${condition}`).all()).results;
const waitFor = (count: number) => waitUntil(() => expect(gateway.delivered.length).toBeGreaterThanOrEqual(count));

describe("webhooks", () => {
  afterEach(async () => {
    await gateway.stop();
    expect(gateway.faults).toEqual([]);
  });

  test("arrive signed, once and in order", async () => {
    gateway = await startGateway({ GATEWAY_WEBHOOK_URL: WEBHOOK_URL });
    const { id } = await pay();
    await waitFor(3);
    const events = await readAll();
    expect(events.map(({ type }) => type)).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.succeeded",
    ]);
    expect(events[2]?.data.object).toMatchObject({ id, status: "succeeded" });
    expect(events[0]?.data.object).toMatchObject({ id, status: "requires_payment_method" });
    expect(events[0]?.request?.id).toMatch(/^req_/);
    const [first] = gateway.delivered as [Delivered];
    await expect(read(first, "whsec_other")).rejects.toThrow(/signature/i);
    await expect(read({ ...first, payload: `${first.payload} ` })).rejects.toThrow(/signature/i);
    const kept = await gateway.stripe.events.retrieve(events[0]?.id ?? "");
    await waitUntil(async () => {
      expect((await gateway.stripe.events.retrieve(kept.id)).pending_webhooks).toBe(0);
    });
  });

  test("are tried again until the endpoint takes them, and nothing is lost", async () => {
    gateway = await startGateway({ GATEWAY_WEBHOOK_URL: WEBHOOK_URL });
    gateway.endpoint.status = 500;
    await pay();
    await waitFor(3);
    gateway.endpoint.status = 200;
    await waitUntil(async () => expect(await selectDeliveries("attempts > 0")).toHaveLength(3));
    await gateway.advanceTo((await gateway.now()) + 60);
    // The call delivers what is due.
    await waitUntil(() => expect(gateway.delivered.some(({ status }) => status === 200)).toBe(true));
    await waitUntil(async () => {
      await gateway.runScheduled();
      expect(await selectDeliveries("next_at IS NOT NULL")).toEqual([]);
    });
    const all = await readAll();
    const listIds = (status: number) =>
      all.filter((_, at) => gateway.delivered[at]?.status === status).map(({ id }) => id);
    // On a slow machine one is refused twice.
    expect(listIds(200)).toHaveLength(3);
    expect(new Set(listIds(200))).toEqual(new Set(listIds(500)));
    await gateway.runScheduled();
    expect(gateway.delivered).toHaveLength(all.length);
  });

  test("go on after a dispatcher was killed in the middle", async () => {
    gateway = await startGateway({ GATEWAY_WEBHOOK_URL: WEBHOOK_URL });
    gateway.endpoint.status = 500;
    await pay();
    await waitFor(3);
    // A dispatcher stores its outcome after the endpoint's answer.
    await waitUntil(async () => expect(await selectDeliveries("last_status = 500")).toHaveLength(3));
    gateway.endpoint.status = 200;
    // What a kill leaves behind: a row that is leased, not delivered. Its lease is over.
    await gateway.database.prepare("UPDATE deliveries SET leased_until = 1, next_at = 0").run();
    await waitUntil(async () => {
      await gateway.runScheduled();
      expect(await selectDeliveries("next_at IS NOT NULL")).toEqual([]);
    });
    expect(gateway.delivered.filter(({ status }) => status === 200)).toHaveLength(3);
  });

  test("go to the endpoints that want them, each with its own secret", async () => {
    gateway = await startGateway();
    const { stripe } = gateway;
    const wanted = await stripe.webhookEndpoints.create({ url: WEBHOOK_URL, enabled_events: ["charge.succeeded"] });
    const off = await stripe.webhookEndpoints.create({ url: WEBHOOK_URL, enabled_events: ["*"] });
    await stripe.webhookEndpoints.update(off.id, { disabled: true });
    await pay();
    await waitFor(1);
    await gateway.runScheduled();
    expect(gateway.delivered).toHaveLength(1);
    expect((await read(gateway.delivered[0] as Delivered, wanted.secret)).type).toBe("charge.succeeded");
    expect(await stripe.webhookEndpoints.retrieve(wanted.id)).not.toHaveProperty("secret");
    await stripe.webhookEndpoints.del(wanted.id);
    await pay();
    await gateway.runScheduled();
    expect(gateway.delivered).toHaveLength(1);
  });

  test("with a seed come twice, late and out of order, and all come", async () => {
    gateway = await startGateway({ GATEWAY_WEBHOOK_URL: WEBHOOK_URL, GATEWAY_WEBHOOK_SEED: "seven" });
    for (let count = 0; count < 10; count++) await pay();
    const all = (await gateway.stripe.events.list({ limit: 100 })).data.map(({ id }) => id).reverse();
    expect(all).toHaveLength(30);
    // A run that finds another one at work leaves the rest to it, so the last delivery is not always that of the last run.
    await waitUntil(async () => {
      await gateway.advanceTo((await gateway.now()) + 4 * 24 * 60 * 60);
      await gateway.runScheduled();
      const times = Map.groupBy(await readAll(), ({ id }) => id);
      const missing = all.filter((id) => (times.get(id)?.length ?? 0) < (comesTwice("seven", id) ? 2 : 1));
      expect(missing).toEqual([]);
    });
    const came = (await readAll()).map(({ id }) => id);
    expect(new Set(came)).toEqual(new Set(all));
    expect([...new Set(came)]).not.toEqual(all);
  });
});

test("a seed decides which webhooks are late and which come twice, and no seed none", () => {
  const ids = Array.from({ length: 2_000 }, (_, index) => `evt_${index}`);
  const late = ids.filter((id) => delayOf("a", id) > 0);
  expect([late.length > 600, late.length < 1_000]).toEqual([true, true]);
  expect(ids.some((id) => delayOf("a", id) === 3 * 24 * 60 * 60)).toBe(true);
  expect(ids.map((id) => delayOf("a", id))).toEqual(ids.map((id) => delayOf("a", id)));
  expect(ids.filter((id) => delayOf("b", id) > 0)).not.toEqual(late);
  expect(ids.filter((id) => comesTwice("a", id)).length).toBeGreaterThan(250);
  expect(ids.some((id) => delayOf("", id) > 0 || comesTwice("", id))).toBe(false);
});
