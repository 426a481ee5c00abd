import Stripe from "stripe";
import { beforeEach, expect, test } from "vitest";
import { openGateway } from "../../workers/api/gateway/client.ts";
import { receiveWebhook } from "../../workers/api/gateway/webhooks.ts";
import { d1, emptyDatabase, servicesOf } from "./support/context.ts";

/** The connection to the payment gateway: outages, and webhooks as the gateway signs them. */

const SECRET = "whsec_of_the_test";
const SECRET_OF_CONNECTED_ACCOUNTS = "whsec_of_connected_accounts";
const gatewayWith = (fetchGateway: typeof fetch) =>
  openGateway(
    {
      SITE_ORIGIN: "http://site.test",
      STRIPE_SECRET_KEY: "sk_test_1",
      STRIPE_WEBHOOK_SECRET: `${SECRET}, ${SECRET_OF_CONNECTED_ACCOUNTS}`,
    },
    fetchGateway,
  );
const gateway = gatewayWith(async () => Response.json({}));

beforeEach(() => emptyDatabase());

const event = {
  id: "evt_1",
  object: "event",
  type: "checkout.session.completed",
  data: { object: { id: "cs_1", object: "checkout.session", customer_details: { email: "fan@mail.example" } } },
};

/** Posts an event as the gateway does. Returns the outbox id, or the code of the refusal. */
async function post(
  signed: { payload?: string; secret?: string; age_s?: number; header?: string } = {},
  sent = signed.payload ?? JSON.stringify(event),
): Promise<string> {
  const { payload = JSON.stringify(event), secret = SECRET, age_s = 0 } = signed;
  const timestamp = Math.floor(Date.now() / 1000) - age_s;
  const cryptoProvider = Stripe.createSubtleCryptoProvider();
  const header = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp, cryptoProvider });
  const request = new Request("http://site.test/v4/webhooks/gateway", {
    method: "POST",
    headers: { "stripe-signature": signed.header ?? header },
    body: sent,
  });
  return receiveWebhook(request, servicesOf({ gateway })).catch((error) => error.code);
}

async function storedRows(): Promise<unknown[]> {
  const { results } = await d1.prepare("SELECT outbox_id, kind, payload FROM outbox").all();
  return results;
}

test("an event becomes one row of the outbox, however often it comes, without what it says about the person", async () => {
  expect(await post()).toBe("gateway:evt_1");
  expect(await post()).toBe("gateway:evt_1");
  const payload =
    '{"type":"checkout.session.completed","object":"checkout.session","object_id":"cs_1","account_id":null}';
  expect(await storedRows()).toEqual([{ outbox_id: "gateway:evt_1", kind: "gateway_event", payload }]);
});

test("each of the two endpoints has a secret of its own", async () => {
  expect(await post({ secret: SECRET_OF_CONNECTED_ACCOUNTS })).toBe("gateway:evt_1");
});

test("a forged, changed or old event is refused, and writes nothing", async () => {
  const refusals = [
    await post({ secret: "whsec_of_somebody" }),
    await post({ age_s: 301 }),
    await post({}, JSON.stringify({ ...event, id: "evt_2" })),
    await post({ header: "" }),
    await post({ header: "t=1,v1=00" }),
  ];
  expect(refusals).toEqual(Array(5).fill("webhook_signature_invalid"));
  expect(await storedRows()).toEqual([]);
});

test("a deployment without a gateway says so, and asks nobody", async () => {
  const none = openGateway({ SITE_ORIGIN: "http://site.test" });
  await expect(none.call((stripe) => stripe.balance.retrieve())).rejects.toMatchObject({
    code: "payments_unavailable",
  });
});

test.each<[string, typeof fetch]>([
  ["is silent", () => Promise.reject(new TypeError("network connection lost"))],
  ["answers 500", async () => Response.json({ error: { type: "api_error" } }, { status: 500 })],
  ["answers no JSON", async () => new Response("<html>")],
  ["asks to slow down", async () => Response.json({ error: { type: "rate_limit_error" } }, { status: 429 })],
])("a gateway that %s is unreachable", async (_, fetchGateway) => {
  const asked = gatewayWith(fetchGateway).call((stripe) => stripe.balance.retrieve());
  await expect(asked).rejects.toMatchObject({ code: "gateway_unreachable" });
});

test("a refusal by the gateway is its own error", async () => {
  const refusing = gatewayWith(async () =>
    Response.json({ error: { type: "invalid_request_error", code: "resource_missing" } }, { status: 404 }),
  );
  await expect(refusing.call((stripe) => stripe.customers.retrieve("cus_1"))).rejects.toMatchObject({
    code: "resource_missing",
  });
});
