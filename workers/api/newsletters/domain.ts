import type { Domain, FanOut } from "../domain.ts";
import { NEWSLETTER_SAVE_LIMIT, publishDue, recordDeliveries, TEST_MAIL_LIMIT } from "./commands.ts";
import { departWriter, erasures, exportProfile, exports } from "./personal-data.ts";
import { broadcastNewsletter, cancelMails, mailNewsletter, mailTest } from "./reactions.ts";
import { newsletterRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    newsletter_published: { newsletter_id: string } & FanOut;
    /** The mails of a published newsletter are due. */
    newsletter_mailed: { newsletter_id: string } & FanOut;
    newsletter_tested: { newsletter_id: string; test_id: string };
    /** The writer of these published newsletters was disabled or has left. A trigger writes this row (0075_ends_elsewhere.sql). */
    newsletters_canceled: { newsletter_ids: string[] };
  }
}

export const domain: Domain = {
  endpoints: newsletterRoutes,
  tables: {
    newsletters: {
      people: ["user_id"],
      expires: "no: until its writer deletes it",
      exported: { parts: ["newsletters"], except: ["updated_at"] },
      erased: true,
      on_pages: [],
    },
    newsletter_stops: {
      people: ["user_id", "creator_user_id"],
      expires: "no: until the receiver wants the mails again",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: [],
    },
    newsletter_refusals: {
      people: ["user_id"],
      expires: "no: until the receiver wants the mails again",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: [],
    },
  },
  broadcasts: { newsletter_published: broadcastNewsletter },
  kinds_of_triggers: ["newsletters_canceled"],
  reactions: { newsletter_mailed: mailNewsletter, newsletter_tested: mailTest, newsletters_canceled: cancelMails },
  limits: [NEWSLETTER_SAVE_LIMIT, TEST_MAIL_LIMIT],
  due: { publishNewsletters: ({ d1, database, clock }) => publishDue({ d1, database, now_ms: clock.now() }) },
  upkeep: { recordDeliveries },
  departure: departWriter,
  erasures,
  exports,
  profile: exportProfile,
};
