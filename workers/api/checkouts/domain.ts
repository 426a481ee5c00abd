import type { Domain } from "../domain.ts";
import { askAgain, guestPayments } from "./commands.ts";
import { departPayer, exports } from "./personal-data.ts";
import { settleOnEvent } from "./reactions.ts";
import { checkoutRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A letter or comment was paid and delivered: the payer gets a receipt, and a guest the link to claim the letter. */
    checkout_paid: { checkout_id: string };
  }
}

export const domain: Domain = {
  endpoints: checkoutRoutes,
  tables: {
    checkouts: {
      people: ["payer_user_id", "creator_user_id"],
      expires: { since: "expires_at", days: 0 },
      exported: {
        parts: ["checkouts"],
        except: [
          "idempotency_scope",
          "idempotency_key",
          "body_hash",
          "gateway_session_id",
          "url",
          "voucher_url",
          "voucher_expires_at",
          "asked_at",
          "expires_at",
        ],
      },
      erased: "no: the payment may still arrive; what the person wrote is forgotten at once",
      on_pages: [],
    },
  },
  reactions: { gateway_event: settleOnEvent },
  limits: [guestPayments],
  upkeep: [askAgain],
  departure: departPayer,
  exports,
};
