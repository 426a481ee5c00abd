import type { Domain, FanOut } from "../domain.ts";
import { endBroadcasts } from "./broadcast.ts";
import { LISTEN_LIMIT, RADIO_COMMENT_LIMIT, RADIO_LIMIT } from "./commands.ts";
import { departBroadcaster, erasures, exportProfile, exports } from "./personal-data.ts";
import { PODCAST_FEED_LIMIT } from "./podcasts.ts";
import { broadcastStart, completeRecording, removeRecording } from "./reactions.ts";
import { announceReminders, broadcastReminders, REMINDER_LIMIT } from "./reminders.ts";
import { radioRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    radio_started: { radio_id: string } & FanOut;
    /** A radio has ended, in whatever way. A trigger writes this row (0045_radio_recordings.sql). */
    radio_finished: { radio_id: string };
    /** A recording was deleted, alone or by a trigger together with its radio. */
    radio_recording_deleted: { radio_id: string };
    /** Tells those who asked to be told of a start. */
    radio_reminded: { radio_id: string } & FanOut;
  }
}

export const domain: Domain = {
  endpoints: radioRoutes,
  tables: {
    radios: {
      people: ["user_id"],
      expires: "no: until its owner deletes it",
      exported: { parts: ["radios"], except: ["url_key_hash", "last_signal_at", "bytes", "packets"] },
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
    radio_counts: {
      people: [],
      expires: "no: deleted with their radio",
      exported: "no: counts what other people did",
      erased: "no: deleted with their radio",
      on_pages: ["INSERT", "UPDATE"],
    },
    radio_listens: {
      people: [],
      // As with visits to posts, the total in `radio_counts` does not expire.
      expires: { since: "listened_at", days: 90 },
      exported: "no: anonymous ids of listeners' browsers",
      erased: true,
      on_pages: [],
    },
    radio_reminders: {
      people: ["user_id"],
      expires: "no: deleted with their radio, or when the member takes it back",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: [],
    },
    podcast_feeds: {
      people: ["user_id", "creator_user_id"],
      expires: "no: until its member revokes it",
      exported: { parts: ["profile"], except: ["feed_id", "secret_hash"] },
      erased: true,
      on_pages: [],
    },
    radio_comments: {
      people: ["user_id"],
      expires: "no: until its writer or the radio's owner deletes it",
      exported: { parts: ["radio_comments"], except: ["hidden_at", "likes_count"] },
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
  },
  kinds_of_triggers: ["radio_finished", "radio_recording_deleted"],
  reactions: {
    radio_started: announceReminders,
    radio_finished: completeRecording,
    radio_recording_deleted: removeRecording,
  },
  broadcasts: { radio_started: broadcastStart, radio_reminded: broadcastReminders },
  limits: [RADIO_LIMIT, RADIO_COMMENT_LIMIT, LISTEN_LIMIT, REMINDER_LIMIT, PODCAST_FEED_LIMIT],
  due: { endBroadcasts },
  waits: [
    { table: "radios", column: "started_at", longest_ms: 0, rows: "status = 'on_air'" },
    { table: "radios", column: "last_signal_at", longest_ms: 0, rows: "status = 'on_air'" },
  ],
  departure: departBroadcaster,
  erasures,
  exports,
  profile: exportProfile,
};
