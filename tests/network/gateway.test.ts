import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import { afterAll, expect, test } from "vitest";
import { Browser, startTestNetwork } from "../support/network.ts";

const folder = mkdtempSync(join(tmpdir(), "ofuse-gateway-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a demo serves Stripe's API and its pages on the site's own origin, and records the API's traffic", async () => {
  const file = join(folder, "traffic.jsonl");
  const { url, port, secrets, stop } = await startTestNetwork({ GATEWAY_TRAFFIC: file });
  const stripe = new Stripe(secrets.GATEWAY_KEY, { host: "localhost", port, protocol: "http" });
  const session = await stripe.checkout.sessions.create({
    mode: "payment",
    line_items: [{ price_data: { currency: "jpy", unit_amount: 550, product_data: { name: "お便り" } } }],
    success_url: `${url}/done?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${url}/back`,
  });
  const path = session.url?.replace(url, "") ?? "";
  const visitor = new Browser(url);
  const page = await visitor.get(path);
  expect([page.status, page.text.includes("550円")]).toEqual([200, true]);
  const card = { number: "4242 4242 4242 4242", expiry: "12/40", cvc: "987" };
  const paid = await visitor.post(path, { method: "card", email: "hana@example.jp", name: "花", ...card });
  expect([paid.status, paid.location]).toEqual([303, `${url}/done?session_id=${session.id}`]);
  const foreign = { origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" };
  expect((await visitor.send(path, { method: "POST", headers: foreign, body: "method=card" })).status).toBe(403);
  await stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent.latest_charge"] });
  await stop();

  const text = readFileSync(file, "utf8");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { method: string; path: string; status: number; params: object; body: object });
  expect(lines.map(({ method, status, path: called }) => [method, status, called])).toEqual([
    ["POST", 200, "/v1/checkout/sessions"],
    ["GET", 200, `/v1/checkout/sessions/${session.id}`],
  ]);
  expect(lines[0]?.params).toMatchObject({ mode: "payment", line_items: [{ price_data: { unit_amount: "550" } }] });
  expect(lines[1]?.body).toMatchObject({ payment_status: "paid" });
  expect(text).not.toMatch(/4242 ?4242 ?4242|"987"/);
});
