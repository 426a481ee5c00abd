import type { Domain } from "../domain.ts";
import { COMMENT_LIMIT } from "./commands.ts";
import { erasures, exports } from "./personal-data.ts";
import { commentExcerpt } from "./queries.ts";
import { commentRoutes } from "./routes.ts";
import { noticesOfComment } from "./rules.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    event_commented: {
      comment_id: string;
      /** The payment in yen. */
      amount: number;
      writer_user_id: string;
      event_id: string;
      /** The post's owner. */
      event_user_id: string;
      event_link_id: string;
      /** The writer of the comment that this one answers; null when it answers none. */
      answered_user_id: string | null;
    };
  }
}

export const domain: Domain = {
  endpoints: commentRoutes,
  tables: {
    event_comments: {
      people: ["user_id", "received_by"],
      expires: "no: until its writer or the post's owner deletes it",
      exported: {
        parts: ["comments"],
        except: ["hidden_at", "likes_count", "deleted_at", "received_by", "is_replied"],
      },
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
  },
  notices: { event_commented: noticesOfComment },
  excerpts: {
    new_event_comment: commentExcerpt,
    new_paid_event_comment: commentExcerpt,
    get_reply_comment: commentExcerpt,
  },
  limits: [COMMENT_LIMIT],
  erasures,
  exports,
};
