import type { Domain } from "../domain.ts";
import { PAYMENT_LIMIT, releaseDue } from "./commands.ts";
import { deleteAbandonedCustomers, LOOK_AGAIN_MS } from "./customers.ts";
import { erasures, exportProfile, exports } from "./personal-data.ts";
import { paymentRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A payment was recorded whose charge is disputed or refunded already: its webhooks came before. */
    payment_contested: { payment_intent_id: string };
  }
}

/** Books are kept for seven years, ten after a year with a loss. Source: docs/decisions/0026. */
const KEPT = "no: the law requires the books to be kept, and they hold ids alone";

export const domain: Domain = {
  endpoints: paymentRoutes,
  tables: {
    spending_limits: {
      people: ["user_id"],
      expires: "no: until the person leaves",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: [],
    },
    customers: {
      people: ["user_id"],
      expires: "no: one row for each person who has paid",
      exported: "no: the gateway's name for the person, who finds their own record at the gateway",
      erased: true,
      on_pages: [],
    },
    abandoned_customers: {
      people: [],
      expires: "no: until the gateway has deleted the customer",
      exported: "no: the gateway's ids of customers who left",
      erased: "no: deleted when the gateway has deleted the customer",
      on_pages: [],
    },
    payments: {
      people: ["payer_user_id", "creator_user_id"],
      expires: KEPT,
      exported: {
        parts: ["payments"],
        except: [
          "fee",
          "donation",
          "creator_share",
          "payment_intent_id",
          "charge_id",
          "available_at",
          "released_at",
          "held_at",
        ],
      },
      erased: KEPT,
      on_pages: [],
    },
  },
  limits: [PAYMENT_LIMIT],
  upkeep: { releaseDue, deleteAbandonedCustomers },
  waits: [{ table: "abandoned_customers", column: "ask_at", longest_ms: LOOK_AGAIN_MS }],
  erasures,
  exports,
  profile: exportProfile,
};
