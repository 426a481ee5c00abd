import type { CompiledQuery } from "kysely";
import type { OutboxEvent, ReactionContext } from "../storage/outbox.ts";
import { findBySession, settleStatements } from "./checkouts.ts";

/** Brings the payment that an event of the gateway is about up to date. Plans have sessions too, which are not ours. */
export async function settleOnEvent(
  { payload }: OutboxEvent<"gateway_event">,
  context: ReactionContext,
): Promise<CompiledQuery[]> {
  if (payload.object !== "checkout.session") return [];
  const checkout = await findBySession(context, payload.object_id);
  return checkout ? settleStatements(context, checkout) : [];
}
