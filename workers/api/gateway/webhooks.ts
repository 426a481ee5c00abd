import Stripe from "stripe";
import { readText } from "../../http/body.ts";
import { Problem } from "../../kernel/problem.ts";
import { runBatch } from "../../storage/commit.ts";
import type { Services } from "../http/request-context.ts";
import { continuationStatement } from "../storage/outbox.ts";

/** The address of the gateway's webhooks. It is no operation of the contract: nobody else calls it. */
export const WEBHOOK_PATH = "/v4/webhooks/gateway";

/** Larger than any event that we subscribe to. */
const MAX_BYTES = 512 * 1024;

const cryptoProvider = Stripe.createSubtleCryptoProvider();

/**
 * Receives a webhook: checks its signature over the raw bytes, and writes the event to the outbox. Returns the id of the
 * outbox row, which is that of the event: an event that comes again writes nothing. The event's content is not used, and
 * not stored. Reactions ask the gateway for the object's present state, so the order of events does not matter.
 *
 * @throws `payments_unavailable` without a gateway, `webhook_signature_invalid` for a wrong signature or one older than five
 * minutes (https://docs.stripe.com/webhooks), `payload_too_large`.
 */
export async function receiveWebhook(request: Request, services: Services): Promise<string> {
  const { d1, database, clock, gateway } = services;
  const event = await readEvent(request, gateway.webhook_secrets);
  const outbox_id = `gateway:${event.id}`;
  const { id, object } = event.data.object as { id?: string; object: string };
  const payload = { type: event.type, object, object_id: id ?? "", account_id: event.account ?? null };
  await runBatch(d1, [continuationStatement(database, outbox_id, { kind: "gateway_event", payload }, clock.now())]);
  return outbox_id;
}

async function readEvent(request: Request, secrets: readonly string[]): Promise<Stripe.Event> {
  if (secrets.length === 0) throw new Problem("payments_unavailable");
  const text = await readText(request, MAX_BYTES);
  const signature = request.headers.get("stripe-signature") ?? "";
  let cause: unknown;
  for (const secret of secrets) {
    try {
      return await Stripe.webhooks.constructEventAsync(text, signature, secret, undefined, cryptoProvider);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      cause = error;
    }
  }
  throw new Problem("webhook_signature_invalid", { cause });
}
