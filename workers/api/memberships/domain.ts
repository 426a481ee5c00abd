import type { Domain, FanOut } from "../domain.ts";
import { REOPENING_LIMIT } from "./commands.ts";
import { departCreator, erasures, exportProfile } from "./personal-data.ts";
import { broadcastClosing, broadcastReopening } from "./reactions.ts";
import { membershipRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    membership_closed: { membership_id: string } & FanOut;
    /** A plan that was closed is open again. */
    membership_reopened: { membership_id: string } & FanOut;
  }
}

export const domain: Domain = {
  endpoints: membershipRoutes,
  tables: {
    memberships: {
      people: ["user_id"],
      expires: "no: until its creator leaves",
      exported: { parts: ["profile"], except: ["position"] },
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
    subscriptions: {
      people: ["user_id"],
      expires: "no: until the creator or the subscriber leaves",
      exported: {
        parts: ["profile"],
        except: ["subscription_id", "gateway_id", "must_end", "next_membership_id", "retry_at", "ask_at", "revision"],
      },
      erased: true,
      on_pages: ["UPDATE", "DELETE"],
    },
  },
  broadcasts: { membership_closed: broadcastClosing, membership_reopened: broadcastReopening },
  limits: [REOPENING_LIMIT],
  departure: departCreator,
  erasures,
  profile: exportProfile,
};
