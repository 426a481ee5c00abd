import type { Domain, FanOut } from "../domain.ts";
import { POST_LIMIT, publishDue, VISIT_LIMIT } from "./commands.ts";
import { departWriter, erasures, exports } from "./personal-data.ts";
import { broadcastPost } from "./reactions.ts";
import { eventRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    event_published: { event_id: string } & FanOut;
  }
}

export const domain: Domain = {
  endpoints: eventRoutes,
  tables: {
    events: {
      people: ["user_id"],
      expires: "no: until its writer deletes it",
      exported: { parts: ["posts", "post_pictures"], except: ["removed_at", "lead_is_free", "draft_id"] },
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
    event_images: {
      people: [],
      expires: "no: deleted with their post",
      exported: { parts: ["post_pictures"], except: ["is_free"] },
      erased: "no: deleted with their post",
      on_pages: ["INSERT", "DELETE"],
    },
    event_media: {
      people: [],
      expires: "no: deleted with their post",
      exported: { parts: ["post_pictures"], except: ["is_free"] },
      erased: "no: deleted with their post",
      on_pages: ["INSERT", "DELETE"],
    },
    event_counts: {
      people: [],
      expires: "no: deleted with their post",
      exported: "no: counts what other people did",
      erased: "no: deleted with their post",
      on_pages: ["INSERT", "UPDATE"],
    },
    event_visits: {
      people: [],
      // When a browser returns after 90 days, its visit counts again. The total in `event_counts` does not expire.
      expires: { since: "visited_at", days: 90 },
      exported: "no: anonymous ids of readers' browsers",
      erased: true,
      on_pages: [],
    },
  },
  broadcasts: { event_published: broadcastPost },
  limits: [POST_LIMIT, VISIT_LIMIT],
  due: { publishPosts: ({ d1, database, clock }) => publishDue({ d1, database, now_ms: clock.now() }) },
  departure: departWriter,
  erasures,
  exports,
};
