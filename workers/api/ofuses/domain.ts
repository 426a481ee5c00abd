import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { letterExcerpt, replyExcerpt } from "./queries.ts";
import { ofuseRoutes } from "./routes.ts";
import { noticesOfLetter, noticesOfLike, noticesOfReply } from "./rules.ts";

interface Letter {
  ofuse_id: string;
  /** Null for a guest, and in `ofuse_sent` for the sender of an anonymous letter. */
  sender_user_id: string | null;
  receiver_user_id: string;
}

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    ofuse_sent: Letter & { amount: number; is_fan_letter?: boolean };
    ofuse_replied: Letter;
    /** The receiver likes the letter. */
    ofuse_liked: Letter;
  }
}

export const domain: Domain = {
  endpoints: ofuseRoutes,
  tables: {
    ofuses: {
      people: ["sender_user_id", "receiver_user_id"],
      expires: "no: letters are kept permanently",
      exported: {
        parts: ["letters_sent", "letters_received"],
        except: ["opened_at", "liked_at", "removed_at", "hidden_at"],
      },
      erased: "no: the other person keeps the letter, as one of 「退会したユーザー」",
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
    // Triggers alone write this table (0038_letter_box.sql).
    letter_words: {
      people: ["owner_user_id", "other_user_id"],
      expires: "no: kept as long as the letter",
      exported: "no: a copy of the letters' words, for searching them",
      erased: true,
      on_pages: [],
    },
  },
  notices: { ofuse_sent: noticesOfLetter, ofuse_replied: noticesOfReply, ofuse_liked: noticesOfLike },
  excerpts: { get_ofuse: letterExcerpt, get_free_ofuse: letterExcerpt, get_ofuse_reply: replyExcerpt },
  erasures,
  exports,
};
