import type { Domain } from "../domain.ts";
import { PLACE_LIMIT } from "./join.ts";
import { CARD_PAGE_LIMIT, RETRY_LIMIT } from "./payment-methods.ts";
import { departSubscriber, erasures, exports } from "./personal-data.ts";
import { askGateway, reactions } from "./reactions.ts";
import { subscriptionRoutes } from "./routes.ts";
import {
  LONGEST_ASK_MS,
  noticesOfDroppedChange,
  noticesOfEnd,
  noticesOfFailure,
  noticesOfJoining,
  noticesOfMove,
  noticesOfRenewal,
} from "./rules.ts";
import { DISPUTED_WAIT_MS } from "./sync.ts";

/** The people of a subscription, and its plan. */
interface Subscribed {
  subscription_id: string;
  user_id: string;
  creator_user_id: string;
  /** That of `titleInSentence`. Rows of earlier versions have none. */
  title?: string;
}

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    subscription_joined: Subscribed & { membership_id: string };
    /** A member is in another plan of the creator from now on. */
    subscription_moved: Subscribed & { membership_id: string; title: string; revision: number };
    /** A member has left, and the plan ends with its paid period. */
    subscription_left: { subscription_id: string; revision: number };
    /** A member paid to join a plan, or to change to a dearer one, and gets the receipt by mail. */
    plan_paid: { invoice_id: string };
    subscription_renewed: Subscribed & { invoice_id: string; amount: number };
    /** A renewal could not be charged. `paid_until` names the period. */
    subscription_unpaid: Subscribed & { paid_until: string };
    /** A plan has closed to which a subscription would have changed: `title` is that plan's. `amount` is charged next; null if the subscription ends. */
    subscription_change_dropped: Subscribed & { revision: number; amount: number | null; is_present_closed: boolean };
    /** What was paid for an attempt to join went back, because it came too late. */
    joining_returned: { joining_id: string; amount: number };
    subscription_ended: Subscribed & { is_unpaid: boolean };
  }
}

export const domain: Domain = {
  endpoints: subscriptionRoutes,
  tables: {
    joinings: {
      people: ["user_id"],
      expires: { since: "created_at", days: 90 },
      exported: "no: attempts to pay. What was joined and paid is in the parts profile, payments and invoices",
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
    plan_prices: {
      people: [],
      expires: "no: as long as its plan",
      exported: "no: the gateway's names of prices",
      erased: "no: deleted with its plan",
      on_pages: [],
    },
    invoices: {
      people: ["user_id", "creator_user_id"],
      expires: "no: the law requires invoices to be kept",
      exported: {
        parts: ["invoices"],
        except: ["invoice_id", "subscription_id", "membership_id", "user_id", "creator_user_id", "gateway_id"],
      },
      erased: "no: the law requires invoices to be kept",
      on_pages: [],
    },
    abandoned_subscriptions: {
      people: [],
      expires: "no: until the gateway has ended the subscription",
      exported: "no: the gateway's ids of subscriptions whose members left",
      erased: "no: deleted when the gateway has ended the subscription",
      on_pages: [],
    },
    abandoned_joinings: {
      people: [],
      expires: "no: until the gateway has ended the attempt",
      exported: "no: the gateway's ids of attempts that nobody may join with",
      erased: "no: deleted when the gateway has ended the attempt",
      on_pages: [],
    },
  },
  reactions,
  limits: [CARD_PAGE_LIMIT, RETRY_LIMIT, PLACE_LIMIT],
  notices: {
    subscription_joined: noticesOfJoining,
    subscription_moved: noticesOfMove,
    subscription_renewed: noticesOfRenewal,
    subscription_unpaid: noticesOfFailure,
    subscription_change_dropped: noticesOfDroppedChange,
    subscription_ended: noticesOfEnd,
  },
  upkeep: { askGateway },
  waits: [
    // A subscription that is paid is asked about when its period ends, as the gateway says.
    { table: "subscriptions", column: "ask_at", longest_ms: LONGEST_ASK_MS, rows: "ask_at <> paid_until" },
    { table: "joinings", column: "ask_at", longest_ms: LONGEST_ASK_MS },
    { table: "abandoned_subscriptions", column: "created_at", longest_ms: DISPUTED_WAIT_MS },
    { table: "abandoned_joinings", column: "created_at", longest_ms: DISPUTED_WAIT_MS },
  ],
  departure: departSubscriber,
  erasures,
  exports,
};
