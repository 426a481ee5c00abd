import type { Domain } from "../domain.ts";
import { askAgain, guestPayments } from "./checkouts.ts";
import { releaseDue } from "./commands.ts";
import { departPayer, erasures, exports } from "./personal-data.ts";
import { settleOnEvent } from "./reactions.ts";
import { paymentRoutes } from "./routes.ts";

/** Books are kept for seven years, ten after a year with a loss. Source: docs/decisions/0026. */
const KEPT = "no: the law requires the books to be kept, and they hold ids alone";

export const domain: Domain = {
  endpoints: paymentRoutes,
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
    customers: {
      people: ["user_id"],
      expires: "no: one row for each person who has paid",
      exported: "no: the gateway's name for the person, who finds their own record at the gateway",
      erased: true,
      on_pages: [],
    },
    payments: {
      people: ["payer_user_id", "creator_user_id"],
      expires: KEPT,
      exported: {
        parts: ["payments"],
        except: ["fee", "donation", "creator_share", "payment_intent_id", "charge_id", "available_at", "released_at"],
      },
      erased: KEPT,
      on_pages: [],
    },
  },
  reactions: { gateway_event: settleOnEvent },
  limits: [guestPayments],
  upkeep: [askAgain, releaseDue],
  departure: departPayer,
  erasures,
  exports,
};
