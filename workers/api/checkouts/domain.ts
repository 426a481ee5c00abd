import type { Domain } from "../domain.ts";
import { forgetEmails, guestPayments } from "./commands.ts";
import { departPayer, exports } from "./personal-data.ts";
import { mailGuestRefund, mailReceipt, mailReturn, settleOnEvent } from "./reactions.ts";
import { checkoutRoutes } from "./routes.ts";
import { PAGE_ASKS } from "./session.ts";
import { askAgain } from "./settle.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A letter or comment was paid and delivered: the payer gets a receipt, and a guest the link to claim the letter. */
    checkout_paid: { checkout_id: string };
    /** A payment went back to its payer, because it could not be delivered. */
    checkout_returned: { checkout_id: string };
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
          "replaced_by",
          // Only a guest's row has it, and nobody can export a guest's data.
          "payer_email",
        ],
      },
      erased: "no: the payment may still arrive; what the person wrote is forgotten at once",
      on_pages: [],
    },
  },
  reactions: {
    gateway_event: settleOnEvent,
    checkout_paid: mailReceipt,
    checkout_returned: mailReturn,
    payment_refunded: mailGuestRefund,
  },
  limits: [guestPayments, PAGE_ASKS],
  upkeep: { askAgain, forgetEmails },
  waits: [{ table: "checkouts", column: "asked_at", longest_ms: 0 }],
  departure: departPayer,
  exports,
};
