import type { Domain } from "../domain.ts";

/** An event of the payment gateway. It only says that an object has changed; ask the gateway how. */
interface GatewayEvent {
  /** Stripe's name of the event, such as `checkout.session.completed`. */
  type: string;
  /** Stripe's name of the object, such as `checkout.session`. */
  object: string;
  object_id: string;
  /** The connected account to which the object belongs; null for our own. */
  account_id: string | null;
}

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    gateway_event: GatewayEvent;
  }
}

export const domain: Domain = {};
