import Stripe from "stripe";
import { Problem } from "../../kernel/problem.ts";

/** The connection to the payment gateway: Stripe, or in a demo the embedded server of Stripe's API (workers/gateway). */
export interface Gateway {
  /**
   * Calls Stripe's API. Every POST that creates something or moves money must have an idempotency key that is made of our
   * row's id, so that a repeated call does nothing new.
   *
   * @throws `payments_unavailable` if the deployment has no gateway; `gateway_unreachable` if the gateway gave no answer, an
   * unreadable one or a 5xx. What a POST did is unknown then: repeat it with the same key. Other refusals of the gateway
   * are thrown as Stripe's errors.
   */
  call<Result>(ask: (stripe: Stripe) => Promise<Result>): Promise<Result>;
  /** Returns the address of one of the site's own pages, for the gateway's hosted pages to return to. */
  addressOf(path: string): string;
  /** The secrets that sign webhooks; none when the deployment has no gateway. */
  webhook_secrets: readonly string[];
}

/** The gateway's settings. A demo has the service binding; other deployments may have Stripe's secrets. */
export interface GatewaySettings {
  SITE_ORIGIN: string;
  GATEWAY?: { fetch: typeof fetch };
  GATEWAY_KEY?: string;
  GATEWAY_WEBHOOK_SECRET?: string;
  STRIPE_SECRET_KEY?: string;
  /** One for each endpoint, as `secret,secret`: Stripe sends our own events and those of connected accounts to two. */
  STRIPE_WEBHOOK_SECRET?: string;
}

/** A person waits for the answer. The package repeats a failed call once, with the same idempotency key. */
const TIMEOUT_MS = 8_000;

/**
 * Returns the deployment's gateway: Stripe when STRIPE_SECRET_KEY is set, otherwise the embedded one where it is bound.
 * Only host, key and webhook secret differ. `fetchGateway` replaces the network in tests.
 */
export function openGateway(settings: GatewaySettings, fetchGateway?: typeof fetch): Gateway {
  const { SITE_ORIGIN, GATEWAY, GATEWAY_KEY, GATEWAY_WEBHOOK_SECRET, STRIPE_SECRET_KEY } = settings;
  const embedded: typeof fetch | undefined = GATEWAY && ((input, init) => GATEWAY.fetch(input, init));
  const [key, send, webhook_secrets] = STRIPE_SECRET_KEY
    ? [STRIPE_SECRET_KEY, fetch, settings.STRIPE_WEBHOOK_SECRET]
    : [embedded && GATEWAY_KEY, embedded, GATEWAY_WEBHOOK_SECRET];
  const has_gateway = Boolean(key && SITE_ORIGIN);
  // Created at the first call: most requests make none.
  let stripe: Stripe | undefined;
  return {
    async call(ask) {
      if (!key || !has_gateway) throw new Problem("payments_unavailable");
      stripe ??= new Stripe(key, {
        httpClient: Stripe.createFetchHttpClient(fetchGateway ?? send),
        timeout: TIMEOUT_MS,
        maxNetworkRetries: 1,
        telemetry: false,
      });
      try {
        return await ask(stripe);
      } catch (error) {
        throw isOutage(error) ? new Problem("gateway_unreachable", { cause: error }) : error;
      }
    },
    addressOf: (path) => new URL(path, SITE_ORIGIN).href,
    webhook_secrets: (has_gateway && webhook_secrets?.split(",").map((secret) => secret.trim())) || [],
  };
}

/** Whether the gateway gave no answer, or none that says what happened. */
function isOutage(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeConnectionError ||
    error instanceof Stripe.errors.StripeRateLimitError ||
    error instanceof Stripe.errors.StripeAPIError ||
    // The same POST is being answered to somebody else.
    (error instanceof Stripe.errors.StripeError && error.code === "idempotency_key_in_use")
  );
}
