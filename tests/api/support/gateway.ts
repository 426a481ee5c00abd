/** The embedded payment gateway beside the API's code, with a database of its own, and people on its hosted pages. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type Stripe from "stripe";
import { type Gateway, openGateway } from "../../../workers/api/gateway/client.ts";
import { answerApi } from "../../../workers/gateway/api.ts";
import { pages } from "../../../workers/gateway/pages/routes.ts";

export const SITE = "http://site.test";

const gatewayEnv: GatewayEnv = {
  DB: env.GATEWAY_DB,
  ENVIRONMENT: "local",
  PROJECT_ID: "demo-ofuse",
  SITE_ORIGIN: SITE,
  GATEWAY_WEBHOOK_URL: "",
  GATEWAY_WEBHOOK_SEED: "",
  GATEWAY_AFTER_RETRIES: "canceled",
  GATEWAY_KEY: "sk_test_gateway_key_of_the_tests_0000001",
  GATEWAY_WEBHOOK_SECRET: "whsec_webhook_secret_of_the_tests_00001",
};

/** Creates the gateway's tables. Call it in `beforeAll`. */
export const prepareGateway = () => applyD1Migrations(env.GATEWAY_DB, env.GATEWAY_MIGRATIONS);

/** Answers a request in place of the gateway; `next` asks the gateway itself. */
export type Fault = (request: Request, next: () => Promise<Response>) => Promise<Response>;

/** Returns the product's connection to the gateway, with a fault between the two. */
export function connectGateway(fault: Fault = (_, next) => next()): Gateway {
  const { GATEWAY_KEY, GATEWAY_WEBHOOK_SECRET } = gatewayEnv;
  return openGateway(
    { SITE_ORIGIN: SITE, GATEWAY_KEY, GATEWAY_WEBHOOK_SECRET, GATEWAY: { fetch } },
    async (input, init) => {
      const request = new Request(input as string, init);
      return fault(request, () => answerApi(new Request(input as string, init), gatewayEnv));
    },
  );
}

/** The gateway as it is, for what a test asks or does there itself. */
export const gateway = connectGateway();

/** Posts a form of a hosted page. Returns where it leads; null when the page answers with itself, as to a declined card. */
async function submitPage(url: string, form: Record<string, string>): Promise<string | null> {
  const answer = await pages.fetch(
    new Request(url, {
      method: "POST",
      headers: { origin: SITE, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    }),
    { ...gatewayEnv, request_id: "" },
  );
  return answer.headers.get("location");
}

const payer = { email: "hana@mail.example", name: "山田 花" };
export const CARDS = { good: "4242424242424242", declined: "4000000000000002", disputed: "4000000000000259" };

/** Pays a session's page with a card. Returns where the page leads; null when the card was declined. */
export const payByCard = (url: string, number = CARDS.good) =>
  submitPage(url, { ...payer, method: "card", number, expiry: "12/40", cvc: "987" });

/** Chooses to pay a session at a shop. Returns the address of the page with the number. */
export const payAtShop = (url: string) => submitPage(url, { ...payer, method: "konbini", phone: "09012345678" });

/** Ends the wait at a shop: the person paid there, or did not in time. */
export const settleAtShop = (voucher_url: string, is_paid: boolean) =>
  submitPage(voucher_url, { answer: is_paid ? "yes" : "no" });

export const refundsOf = (payment_intent: string): Promise<Stripe.ApiList<Stripe.Refund>> =>
  gateway.call((stripe) => stripe.refunds.list({ payment_intent }));
