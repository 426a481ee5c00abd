import { Hono } from "hono";
import type Stripe from "stripe";
import * as z from "zod";
import { readBounded } from "../kernel/bounded-body.ts";
import { sha256Hex } from "../kernel/digest.ts";
import { logUnexpected } from "../kernel/log.ts";
import { advanceTo } from "./clock/advance.ts";
import { accountEndpoints } from "./resources/accounts.ts";
import { balanceEndpoints } from "./resources/balances.ts";
import { chargeEndpoints } from "./resources/charges.ts";
import { settleIntent } from "./resources/checkout.ts";
import { checkoutSessionEndpoints, sessionLines } from "./resources/checkout-sessions.ts";
import { customerEndpoints } from "./resources/customers.ts";
import { disputeEndpoints } from "./resources/disputes.ts";
import { earlyFraudWarningEndpoints } from "./resources/early-fraud-warnings.ts";
import { type Endpoint, endpoint } from "./resources/endpoint.ts";
import { eventEndpoints } from "./resources/events.ts";
import { invoiceEndpoints, paymentsOf } from "./resources/invoices.ts";
import { paymentIntentEndpoints } from "./resources/payment-intents.ts";
import { paymentMethodEndpoints } from "./resources/payment-methods.ts";
import { payoutEndpoints, transferEndpoints } from "./resources/payouts.ts";
import { portalEndpoints } from "./resources/portal-sessions.ts";
import { priceEndpoints } from "./resources/prices.ts";
import { refundEndpoints } from "./resources/refunds.ts";
import { setupIntentEndpoints } from "./resources/setup-intents.ts";
import { subscriptionEndpoints } from "./resources/subscriptions.ts";
import { whereField } from "./storage/filters.ts";
import { claimKey, keepAnswer, releaseKey } from "./storage/idempotency.ts";
import { randomText } from "./storage/ids.ts";
import { API_VERSION, openGateway, runUnit, Unit } from "./storage/unit.ts";
import { errorBody, GatewayError, invalidRequest } from "./wire/errors.ts";
import { expandAnswer } from "./wire/expand.ts";
import { decodeForm, FORM_BYTES, type FormObject } from "./wire/form.ts";
import { listOf } from "./wire/lists.ts";
import { bool, moment, text } from "./wire/params.ts";
import { toTrafficLine } from "./wire/traffic.ts";

/** Stripe's API. Source: https://docs.stripe.com/api, version {@link API_VERSION}. */

/** The prefix of the calls below. A recording leaves them out. */
const HELPERS = "/v1/test_helpers/";
/** Calls that Stripe does not have: what a person or time would do, for tests and the demo's operator. */
const helperEndpoints: Endpoint[] = [
  endpoint("GET", `${HELPERS}clock`, {}, async ({ unit }) => clockOf(unit.now)),
  endpoint("POST", `${HELPERS}clock/advance`, { frozen_time: moment }, async ({ unit, params }) => {
    await advanceTo(unit.gateway.env, params.frozen_time);
    return clockOf(params.frozen_time);
  }),
  endpoint("POST", `${HELPERS}payment_intents/:id/settle`, { paid: bool }, async ({ unit, id, params }) => {
    const intent = await unit.get("payment_intent", id);
    if (intent.body.status !== "requires_action")
      throw invalidRequest("This PaymentIntent does not wait for its payer.");
    await settleIntent(unit, intent, params.paid);
    return intent.body;
  }),
];

const clockOf = (now: number) => ({ object: "test_helpers.clock", now, livemode: false });

const endpoints: readonly Endpoint[] = [
  ...accountEndpoints,
  ...balanceEndpoints,
  ...chargeEndpoints,
  ...checkoutSessionEndpoints,
  ...customerEndpoints,
  ...disputeEndpoints,
  ...earlyFraudWarningEndpoints,
  ...eventEndpoints,
  ...helperEndpoints,
  ...invoiceEndpoints,
  ...paymentIntentEndpoints,
  ...paymentMethodEndpoints,
  ...payoutEndpoints,
  ...portalEndpoints,
  ...priceEndpoints,
  ...refundEndpoints,
  ...setupIntentEndpoints,
  ...subscriptionEndpoints,
  ...transferEndpoints,
];

/** Fields that an answer holds only when a caller expands them. */
const includable = {
  "charge.refunds": async (unit: Unit, id: string) =>
    listOf(
      (await unit.all("refund", ...whereField("charge", id))).map(({ body }) => body),
      `/v1/charges/${id}/refunds`,
    ),
  "checkout.session.line_items": async (unit: Unit, id: string) => sessionLines(await unit.get("checkout.session", id)),
  "customer.subscriptions": async (unit: Unit, id: string) =>
    listOf(
      (await unit.all("subscription", ...whereField("customer", id))).map(({ body }) => body),
      `/v1/customers/${id}/subscriptions`,
    ),
  "invoice.payments": async (unit: Unit, id: string) => paymentsOf(unit, await unit.get("invoice", id)),
};

/** One request as the recorder and the handlers see it. */
interface Asked {
  request: Request;
  path: string;
  params: FormObject;
  request_id: string;
}

interface Answered {
  status: number;
  body: unknown;
  is_replayed?: boolean;
}

const expansion = z.array(text).optional();

async function answerEndpoint(
  env: GatewayEnv,
  found: Endpoint,
  ids: Record<string, string>,
  asked: Asked,
): Promise<Answered> {
  const { request, path, params, request_id } = asked;
  const account = request.headers.get("stripe-account") ?? "";
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  const gateway = await openGateway(env);
  if (account !== "") await new Unit(gateway).get("account", account, "Stripe-Account", "");
  if (key !== null) {
    const kept = await claimKey(env, key, await sha256Hex(JSON.stringify([request.method, path, account, params])));
    if (kept) return { ...kept, is_replayed: true };
  }
  const { expand, ...rest } = params;
  const paths = expansion.safeParse(expand);
  const cause: Stripe.Event.Request = { id: request_id, idempotency_key: key };
  try {
    if (!paths.success) throw invalidRequest("Invalid expand", { code: "parameter_invalid", param: "expand" });
    const body = await runUnit(
      () => new Unit(gateway, account, cause),
      async (unit) => {
        const answer = await found.handle(unit, ids, rest);
        return expandAnswer(unit, answer, paths.data ?? [], includable);
      },
      (outcome) => (key === null ? [] : [keepAnswer(key, "error" in outcome ? 402 : 200, bodyOf(outcome))]),
    );
    return { status: 200, body };
  } catch (error) {
    // A refused request leaves no trace, so the key can be used for a corrected one. A declined card is an answer.
    if (key !== null && !(error instanceof GatewayError && error.type === "card_error")) await releaseKey(env, key);
    throw error;
  }
}

const bodyOf = (outcome: { result: unknown } | { error: GatewayError }) =>
  "error" in outcome ? errorBody(outcome.error) : outcome.result;

type Room = { Bindings: GatewayEnv & { asked: Asked } };

const router = new Hono<Room>();
for (const each of endpoints) {
  router.on(each.method, each.path, async (c) => {
    const { asked } = c.env;
    return toResponse(await answerEndpoint(c.env, each, c.req.param() as Record<string, string>, asked), asked);
  });
}
router.notFound((c) => {
  throw new GatewayError(404, "invalid_request_error", `Unrecognized request URL (${c.req.method}: ${c.req.path}).`);
});
router.onError((error) => {
  throw error;
});

/** Whether the request carries the gateway's key. Compares digests, so that the time taken tells nothing. */
async function isAuthenticated(request: Request, { GATEWAY_KEY }: GatewayEnv): Promise<boolean> {
  const [, token = ""] = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return (await sha256Hex(token)) === (await sha256Hex(GATEWAY_KEY));
}

async function readParams(request: Request): Promise<FormObject> {
  if (request.method === "GET") return decodeForm(new URL(request.url).search.slice(1));
  const bytes = await readBounded(request, FORM_BYTES);
  if (!bytes) throw new GatewayError(413, "invalid_request_error", "The request is too large.");
  if (bytes.length > 0 && !/^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "")) {
    throw invalidRequest("The request's body must be application/x-www-form-urlencoded.");
  }
  // DELETE carries its parameters in the query or in the body.
  return decodeForm(`${new TextDecoder().decode(bytes)}&${new URL(request.url).search.slice(1)}`);
}

/** Answers one call of the API. Records it, if a recorder is bound and Stripe has the call too. */
export async function answerApi(request: Request, env: GatewayEnv & { TRAFFIC?: Fetcher }): Promise<Response> {
  const asked: Asked = {
    request,
    path: new URL(request.url).pathname,
    params: {},
    request_id: `req_${randomText(14)}`,
  };
  let response: Response;
  try {
    if (!(await isAuthenticated(request, env))) {
      throw new GatewayError(401, "invalid_request_error", "Invalid API Key provided.");
    }
    asked.params = await readParams(request);
    response = await router.fetch(new Request(request.url, { method: request.method }), { ...env, asked });
  } catch (error) {
    response = toResponse(answeredOf(error, asked.request_id), asked);
  }
  if (env.TRAFFIC && !asked.path.startsWith(HELPERS)) await record(env.TRAFFIC, asked, response.clone());
  return response;
}

function answeredOf(error: unknown, request_id: string): Answered {
  if (error instanceof GatewayError) return { status: error.status, body: errorBody(error) };
  logUnexpected(error, request_id);
  return { status: 500, body: errorBody(new GatewayError(500, "api_error", "An unknown error occurred.")) };
}

function toResponse({ status, body, is_replayed }: Answered, { request, request_id }: Asked): Response {
  const key = request.headers.get("idempotency-key");
  return new Response(JSON.stringify(body, null, 2), {
    status,
    headers: {
      "content-type": "application/json",
      "request-id": request_id,
      "stripe-version": API_VERSION,
      ...(key !== null && { "idempotency-key": key }),
      ...(is_replayed && { "idempotent-replayed": "true" }),
      ...(status === 401 && { "www-authenticate": 'Bearer realm="Stripe"' }),
    },
  });
}

async function record(recorder: Fetcher, { request, path, params }: Asked, response: Response): Promise<void> {
  const { method } = request;
  const line = toTrafficLine({ method, path, params, status: response.status, body: await response.json() });
  await recorder.fetch("http://recorder.internal/", { method: "POST", body: line });
}
