import type { CompiledQuery } from "kysely";
import type { OutboxEvent, ReactionContext } from "../storage/outbox.ts";
import { findBySession, settleCheckout } from "./commands.ts";

/**
 * Brings the payment that an event of the gateway is about up to date. It commits by itself, because the payer's page and the
 * clock may do the same at this moment. Plans have sessions too, which are not ours.
 */
export async function settleOnEvent(
  { payload }: OutboxEvent<"gateway_event">,
  context: ReactionContext,
): Promise<CompiledQuery[]> {
  if (payload.object !== "checkout.session") return [];
  const checkout = await findBySession(context, payload.object_id);
  if (checkout) await settleCheckout(context, checkout);
  return [];
}
