import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mayServe } from "../../workers/gateway/deployment.ts";
import { GATEWAY_KEY, type RunningGateway, startGateway } from "./support.ts";

let gateway: RunningGateway;
let stripe: Stripe;
beforeAll(async () => {
  gateway = await startGateway();
  ({ stripe } = gateway);
});
afterAll(async () => {
  await gateway.stop();
  expect(gateway.faults).toEqual([]);
});

/** Sends a raw form, for what the package would not send. */
async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await gateway.fetch(path, {
    method: "POST",
    body,
    headers: {
      authorization: `Bearer ${GATEWAY_KEY}`,
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    },
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Answer };
}
interface Answer {
  id?: string;
  error?: { type: string; code?: string; param?: string; message: string };
}

describe("the API", () => {
  test("refuses a caller without the key, in Stripe's shape", async () => {
    for (const authorization of ["", "Bearer sk_test_other", `Basic ${btoa(`${GATEWAY_KEY}:`)}`]) {
      const { status, json } = await post("/v1/customers", "", { authorization });
      expect([authorization, status, json.error?.type]).toEqual([authorization, 401, "invalid_request_error"]);
    }
  });

  test("answers an unknown address, a foreign body and a deep form as errors", async () => {
    const type = "invalid_request_error";
    expect(await post("/v1/nothing", "")).toMatchObject({ status: 404, json: { error: { type } } });
    const json = await post("/v1/customers", "{}", { "content-type": "application/json" });
    expect(json).toMatchObject({ status: 400, json: { error: { type } } });
    const deep = `metadata${"[a]".repeat(12)}=1`;
    const many = Array.from({ length: 1_100 }, (_, index) => `metadata[k${index}]=1`).join("&");
    for (const body of [deep, many, "__proto__[x]=1", "[]=1", "metadata=1&metadata[a]=1"]) {
      expect(await post("/v1/customers", body), body.slice(0, 20)).toMatchObject({
        status: 400,
        json: { error: { type } },
      });
    }
    expect((await post("/v1/customers", `name=${"a".repeat(300_000)}`)).status).toBe(413);
  });

  test("names the parameter that is unknown, missing or wrong", async () => {
    const cases: [string, string, string, string][] = [
      ["/v1/customers", "nickname=x", "parameter_unknown", "nickname"],
      ["/v1/products", "description=x", "parameter_missing", "name"],
      ["/v1/payment_intents", "amount=1e3&currency=jpy", "parameter_invalid_integer", "amount"],
      ["/v1/payment_intents", "amount=0&currency=jpy", "parameter_invalid", "amount"],
      ["/v1/payment_intents", "amount=100&currency=usd", "parameter_invalid", "currency"],
      ["/v1/payment_intents", "amount=100&currency=jpy&customer=cus_none", "resource_missing", "customer"],
      [
        "/v1/subscriptions",
        "customer=x&items[0][price_data][unit_amount]=1.5",
        "parameter_missing",
        "items[0][price_data][currency]",
      ],
    ];
    for (const [path, body, code, param] of cases) {
      const { status, json } = await post(path, body);
      expect([body, status, json.error?.code, json.error?.param]).toEqual([body, 400, code, param]);
    }
    await expect(stripe.customers.retrieve("cus_none")).rejects.toMatchObject({
      statusCode: 404,
      code: "resource_missing",
    });
  });

  test("lists in pages, newest first, in both directions", async () => {
    const made: string[] = [];
    for (const name of ["a", "b", "c", "d", "e"]) made.unshift((await stripe.products.create({ name })).id);
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    const first = await stripe.products.list({ limit: 2 });
    expect([ids(first), first.has_more]).toEqual([made.slice(0, 2), true]);
    const next = await stripe.products.list({ limit: 2, starting_after: made[1] as string });
    expect(ids(next)).toEqual(made.slice(2, 4));
    const back = await stripe.products.list({ limit: 2, ending_before: made[4] as string });
    expect(ids(back)).toEqual(made.slice(2, 4));
    const all: string[] = [];
    for await (const { id } of stripe.products.list({ limit: 2 })) all.push(id);
    expect(all).toEqual(made);
    await expect(stripe.products.list({ limit: 101 })).rejects.toMatchObject({ param: "limit" });
    await expect(stripe.products.list({ starting_after: "prod_none" })).rejects.toMatchObject({
      code: "resource_missing",
    });
  });

  test("expands ids on any level, and refuses what is none", async () => {
    const price = await stripe.prices.create({
      currency: "jpy",
      unit_amount: 500,
      product_data: { name: "応援" },
      expand: ["product"],
    });
    expect(price.product).toMatchObject({ object: "product", name: "応援" });
    const list = await stripe.prices.list({ limit: 1, expand: ["data.product"] });
    expect(list.data[0]?.product).toMatchObject({ name: "応援" });
    for (const expand of [["__proto__"], ["product.__proto__"]]) {
      await expect(stripe.prices.retrieve(price.id, { expand })).rejects.toMatchObject({
        code: "property_unexpandable",
      });
    }
    await expect(stripe.prices.retrieve(price.id, { expand: ["nothing"] })).rejects.toMatchObject({
      code: "property_unexpandable",
    });
  });

  test("merges metadata, and unsets a field with an empty text", async () => {
    const { id } = await stripe.customers.create({ name: "花", metadata: { a: "1", b: "2" } });
    const changed = await stripe.customers.update(id, { name: "", metadata: { a: "", c: "3" } });
    expect([changed.name, changed.metadata]).toEqual([null, { b: "2", c: "3" }]);
    expect(await stripe.customers.del(id)).toEqual(expect.objectContaining({ id, deleted: true }));
    expect(await stripe.customers.retrieve(id)).toMatchObject({ deleted: true });
    await expect(stripe.customers.update(id, { name: "花" })).rejects.toMatchObject({ code: "resource_missing" });
  });
});

test("serves only a demo on one machine", async () => {
  const live = { ENVIRONMENT: "production", PROJECT_ID: "ofuse-live" };
  const site = { ENVIRONMENT: "local", PROJECT_ID: "ofuse-site" };
  const misnamed = { ENVIRONMENT: "production", PROJECT_ID: "demo-ofuse" };
  expect([live, site, misnamed].map((env) => mayServe(env as GatewayEnv))).toEqual([false, false, false]);
  const refused = await startGateway({ PROJECT_ID: "ofuse-site" });
  for (const path of ["/v1/balance", "/payment-gateway/developer"]) {
    const { status } = await refused.fetch(path, { headers: { authorization: `Bearer ${GATEWAY_KEY}` } });
    expect([path, status]).toEqual([path, 500]);
  }
  await refused.runScheduled();
  await refused.stop();
});

describe("an idempotency key", () => {
  test("gives the same answer again, and refuses other parameters", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await post("/v1/customers", "name=a", key);
    const again = await post("/v1/customers", "name=a", key);
    expect(again.json).toEqual(first.json);
    expect([first, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect(first.headers.get("request-id")).toMatch(/^req_/);
    const other = await post("/v1/customers", "name=b", key);
    expect([other.status, other.json.error?.type]).toEqual([400, "idempotency_error"]);
  });

  test("lets one of many equal requests act", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const answers = await Promise.all(Array.from({ length: 30 }, () => post("/v1/products", "name=one", key)));
    const made = new Set(answers.flatMap(({ json }) => json.id ?? []));
    expect(made.size).toBe(1);
    for (const { status, json } of answers) {
      if (status !== 200) expect([status, json.error?.code]).toEqual([409, "idempotency_key_in_use"]);
    }
    const { data } = await stripe.products.list({ limit: 100 });
    expect(data.filter(({ name }) => name === "one")).toHaveLength(1);
  });

  test("keeps a declined card's answer, but not a refused request's", async () => {
    const params = { amount: 500, currency: "jpy", confirm: true, payment_method: "pm_card_visa_chargeDeclined" };
    const idempotencyKey = crypto.randomUUID();
    const attempt = () => stripe.paymentIntents.create(params, { idempotencyKey }).catch((error: unknown) => error);
    const [first, again] = [await attempt(), await attempt()] as { payment_intent: { id: string } }[];
    expect(first).toMatchObject({ type: "StripeCardError", code: "card_declined", decline_code: "generic_decline" });
    expect(again?.payment_intent.id).toBe(first?.payment_intent.id);
    const key = { "idempotency-key": crypto.randomUUID() };
    expect((await post("/v1/products", "", key)).status).toBe(400);
    expect((await post("/v1/products", "name=corrected", key)).status).toBe(200);
  });
});
