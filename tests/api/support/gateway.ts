/** The embedded payment gateway inside the tests' own worker, and the product's connection to it. */
import { env } from "cloudflare:workers";
import Stripe from "stripe";
import { type Gateway, openGateway } from "../../../workers/api/gateway/client.ts";
import { openDatabase } from "../../../workers/api/storage/database.ts";
import { continuationStatement, dispatchOutbox } from "../../../workers/api/storage/outbox.ts";
import worker from "../../../workers/gateway/index.ts";
import { d1, dispatcherOf } from "./context.ts";

export const SITE_ORIGIN = "http://site.test";
const GATEWAY_KEY = "sk_test_gateway_key_of_the_tests_0000001";

const gatewayEnv = {
  DB: env.GATEWAY_DB,
  ENVIRONMENT: "local",
  PROJECT_ID: "demo-ofuse",
  SITE_ORIGIN,
  GATEWAY_WEBHOOK_URL: "",
  GATEWAY_WEBHOOK_SEED: "",
  GATEWAY_AFTER_RETRIES: "canceled",
  GATEWAY_KEY,
  GATEWAY_WEBHOOK_SECRET: "whsec_webhook_secret_of_the_tests_00001",
} satisfies GatewayEnv;

/** The gateway dispatches webhooks after an answer. It has no endpoint here: tests deliver its events themselves. */
const execution = { waitUntil: () => {}, passThroughOnException: () => {} } as unknown as ExecutionContext;
const send = async (request: Request): Promise<Response> =>
  worker.fetch(request as Parameters<typeof worker.fetch>[0], gatewayEnv, execution);

/** What the network between the product and the gateway does with a call; null passes it on. */
export type Fault = (path: string, method: string) => Fate | Promise<Fate>;
type Fate = "silent" | "lost answer" | "500" | "no JSON" | null;

/** The gateway as the product sees it through a network with faults. */
export interface TestGateway extends Gateway {
  /** The package without faults, for what a person or a test does at the gateway. */
  stripe: Stripe;
  /** Every POST that reached the gateway so far: its path. */
  posts: string[];
  fault: Fault;
}

/** Empties the gateway, sets its clock and returns a connection to it. */
export async function startGateway(now_ms: number): Promise<TestGateway> {
  const tables = ["objects", "movements", "deliveries", "idempotency_keys"];
  const ahead_s = Math.max(0, Math.floor((now_ms - Date.now()) / 1000));
  await env.GATEWAY_DB.batch([
    ...tables.map((table) => env.GATEWAY_DB.prepare(`DELETE FROM ${table}`)),
    env.GATEWAY_DB.prepare("UPDATE clock SET ahead_s = ?").bind(ahead_s),
  ]);
  const posts: string[] = [];
  const through: typeof fetch = async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    const { pathname } = new URL(request.url);
    const fault = await started.fault(pathname, request.method);
    if (fault === "silent") throw new TypeError("network connection lost");
    if (fault === "500") return Response.json({ error: { type: "api_error" } }, { status: 500 });
    if (fault === "no JSON") return new Response("<html>");
    if (request.method === "POST") posts.push(pathname);
    const response = await send(request);
    if (fault === "lost answer") throw new TypeError("network connection lost");
    return response;
  };
  const gateway = openGateway({ SITE_ORIGIN, GATEWAY: { fetch: through }, GATEWAY_KEY }, through);
  const stripe = new Stripe(GATEWAY_KEY, {
    httpClient: Stripe.createFetchHttpClient((input: RequestInfo | URL, init?: RequestInit) =>
      send(new Request(input, init)),
    ),
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const started: TestGateway = { ...gateway, stripe, posts, fault: () => null };
  return started;
}

/** Returns the time of the gateway's clock, in seconds. */
export async function readNow({ stripe }: TestGateway): Promise<number> {
  return ((await stripe.rawRequest("GET", "/v1/test_helpers/clock")) as unknown as { now: number }).now;
}

/**
 * Moves the gateway's clock at least to a moment, and does everything that is due on the way. The clock also runs by itself,
 * so it may be there already.
 */
export async function advanceTo(gateway: TestGateway, now_ms: number): Promise<void> {
  // The clock runs until the next call arrives.
  const frozen_time = Math.max(Math.floor(now_ms / 1000), (await readNow(gateway)) + 120);
  await gateway.stripe.rawRequest("POST", "/v1/test_helpers/clock/advance", { frozen_time });
}

/** Sends the form of a hosted page, as a browser does. Returns the address that it leads to, or null for a refusal. */
export async function submitPage(url: string, form: Record<string, string>): Promise<string | null> {
  const response = await send(
    new Request(url, {
      method: "POST",
      redirect: "manual",
      headers: { origin: SITE_ORIGIN, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    }),
  );
  const location = response.headers.get("location");
  return response.status === 303 && !location?.endsWith("?returned") ? location : null;
}

/** Pays on a checkout page with a test card. */
export function payCheckout(url: string, number = "4242 4242 4242 4242"): Promise<string | null> {
  return submitPage(url, {
    method: "card",
    email: "fan@mail.example",
    name: "FAN",
    phone: "09012345678",
    number,
    expiry: "12/60",
    cvc: "123",
  });
}

const payer = { email: "hana@mail.example", name: "山田 花" };
export const CARDS = { good: "4242424242424242", declined: "4000000000000002" };

/** Chooses to pay a session at a shop. Returns the address of the page with the number. */
export const payAtShop = (url: string) => submitPage(url, { ...payer, method: "konbini", phone: "09012345678" });

/** Ends the wait at a shop: the person paid there, or did not in time. */
export const settleAtShop = (voucher_url: string, is_paid: boolean) =>
  submitPage(voucher_url, { answer: is_paid ? "yes" : "no" });

/** Answers a call in place of the gateway; `next` asks the gateway itself. */
export type Interference = (request: Request, next: () => Promise<Response>) => Promise<Response>;

/** Returns the product's connection to the gateway as it is, with something between the two. */
export function connectGateway(interfere: Interference = (_, next) => next()): Gateway {
  const through: typeof fetch = async (input, init) => {
    const [request, passed] = [new Request(input as RequestInfo, init), new Request(input as RequestInfo, init)];
    return interfere(request, () => send(passed));
  };
  return openGateway({ SITE_ORIGIN, GATEWAY: { fetch: through }, GATEWAY_KEY }, through);
}

export interface GatewayEvent {
  id: string;
  type: string;
  object_id: string;
}

/** Returns the events of the gateway after the first `skip`, oldest first. */
export async function eventsOf(skip = 0): Promise<GatewayEvent[]> {
  const { results } = await env.GATEWAY_DB.prepare(
    `SELECT id, body ->> '$.type' AS type, coalesce(body ->> '$.data.object.id', '') AS object_id
     FROM objects WHERE kind = 'event' ORDER BY seq LIMIT -1 OFFSET ?`,
  )
    .bind(skip)
    .all<GatewayEvent>();
  return results;
}

/** Writes events to the outbox as webhooks do, and dispatches it until nothing untried is left. */
export async function deliver(gateway: Gateway, events: readonly GatewayEvent[], now_ms: number): Promise<void> {
  const database = openDatabase(d1);
  for (const { id, type, object_id } of events) {
    const payload = { type, object: "", object_id, account_id: null };
    const row = continuationStatement(database, `gateway:${id}`, { kind: "gateway_event", payload }, now_ms);
    await d1
      .prepare(row.sql)
      .bind(...row.parameters)
      .run();
    await dispatchOutbox(dispatcherOf({ gateway, now_ms }));
  }
  await dispatchOutbox(dispatcherOf({ gateway, now_ms }));
}
