import type { Domain, FanOut } from "../domain.ts";
import { POSTS, publishDue, VISITS } from "./commands.ts";
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
      expires: "no: go with their post",
      exported: { parts: ["post_pictures"], except: ["is_free"] },
      erased: "no: go with their post",
      on_pages: ["INSERT", "DELETE"],
    },
    event_media: {
      people: [],
      expires: "no: go with their post",
      exported: { parts: ["post_pictures"], except: ["is_free"] },
      erased: "no: go with their post",
      on_pages: ["INSERT", "DELETE"],
    },
    event_counts: {
      people: [],
      expires: "no: go with their post",
      exported: "no: counts of other people's acts",
      erased: "no: go with their post",
      on_pages: ["INSERT", "UPDATE"],
    },
    event_visits: {
      people: [],
      // A browser that comes back later counts again; the count stays.
      expires: { since: "visited_at", days: 90 },
      exported: "no: browsers of readers whom nobody knows",
      erased: true,
      on_pages: [],
    },
  },
  broadcasts: { event_published: broadcastPost },
  limits: [POSTS, VISITS],
  due: [({ d1, database, clock }) => publishDue({ d1, database, now_ms: clock.now() })],
  departure: departWriter,
  erasures,
  exports,
};
