import type { Domain } from "../domain.ts";
import { erasures, exportProfile } from "./personal-data.ts";
import { announceLetter } from "./reactions.ts";
import { streamingRoutes } from "./routes.ts";
import { OVERLAY_GUESS_LIMIT, OVERLAY_SETTINGS_LIMIT, OVERLAY_TOKEN_LIMIT, TEST_LETTER_LIMIT } from "./rules.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A letter, or a test letter, has a number on the overlays of its receiver. A trigger writes this row. */
    overlay_letter_arrived: { user_id: string; number: number };
  }
}

export const domain: Domain = {
  endpoints: streamingRoutes,
  tables: {
    overlays: {
      people: ["user_id"],
      expires: "no: until the account is deleted",
      exported: { parts: ["profile"], except: ["token_hash", "last_number"] },
      erased: true,
      on_pages: [],
    },
    overlay_letters: {
      people: ["user_id"],
      // Overlays show letters as they arrive, and a timeline the last ones.
      expires: { since: "created_at", days: 7 },
      exported: "no: the order of letters that the part of received letters has",
      erased: true,
      on_pages: [],
    },
    overlay_heartbeats: {
      people: ["user_id"],
      expires: { since: "seen_at", days: 1 },
      exported: "no: the overlays that are open now",
      erased: true,
      on_pages: [],
    },
  },
  kinds_of_triggers: ["overlay_letter_arrived"],
  reactions: { overlay_letter_arrived: announceLetter },
  waits: [{ table: "overlay_heartbeats", column: "seen_at", longest_ms: 0 }],
  limits: [OVERLAY_TOKEN_LIMIT, OVERLAY_SETTINGS_LIMIT, TEST_LETTER_LIMIT, OVERLAY_GUESS_LIMIT],
  erasures,
  profile: exportProfile,
};
