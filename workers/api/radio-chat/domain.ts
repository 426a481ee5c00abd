import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { closeRoom, showLetter } from "./reactions.ts";
import { chatRoutes } from "./routes.ts";
import { CHAT_LIMIT, CHAT_REACTION_LIMIT, CHAT_SETTINGS_LIMIT } from "./rules.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A letter arrived while its receiver was on air. A trigger writes this row (0049_radio_room.sql). */
    radio_letter_arrived: { radio_id: string; ofuse_id: string };
  }
}

export const domain: Domain = {
  endpoints: chatRoutes,
  tables: {
    // The page of one radio is never a shared copy, so no write of a chat changes the version of a page.
    radio_chat_messages: {
      people: ["user_id"],
      expires: "no: until its writer or the radio's owner deletes it",
      exported: { parts: ["radio_chat_messages"], except: ["ofuse_id", "pinned_at"] },
      erased: true,
      on_pages: [],
    },
    radio_chat_rooms: {
      people: [],
      expires: "no: deleted with their radio",
      exported: "no: settings of a radio, which its owner's page shows",
      erased: "no: deleted with their radio",
      on_pages: [],
    },
    radio_chat_reactions: {
      people: [],
      expires: "no: deleted with their radio",
      exported: "no: counts what other people sent",
      erased: "no: deleted with their radio",
      on_pages: [],
    },
    radio_chat_restrictions: {
      people: ["owner_user_id", "user_id"],
      expires: "no: until the broadcaster ends it",
      exported: { parts: ["radio_chat_restrictions"], except: ["owner_user_id"] },
      erased: true,
      on_pages: [],
    },
  },
  kinds_of_triggers: ["radio_letter_arrived"],
  reactions: { radio_letter_arrived: showLetter, radio_finished: closeRoom },
  limits: [CHAT_LIMIT, CHAT_REACTION_LIMIT, CHAT_SETTINGS_LIMIT],
  erasures,
  exports,
};
