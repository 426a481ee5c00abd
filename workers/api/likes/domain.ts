import type { Domain } from "../domain.ts";
import { NEW_GUEST_LIMIT } from "./commands.ts";
import { erasures, exports } from "./personal-data.ts";
import { likeRoutes } from "./routes.ts";
import { noticesOfLike } from "./rules.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A member likes a post, or a comment of it. */
    liked: {
      liker_user_id: string;
      /** The author of the post or the comment. */
      owner_user_id: string;
      event_id: string;
      event_link_id: string;
      comment_id: string | null;
    };
  }
}

export const domain: Domain = {
  endpoints: likeRoutes,
  tables: {
    event_likes: {
      people: ["liker"],
      expires: "no: until it is taken back",
      exported: { parts: ["liked_posts"] },
      erased: true,
      on_pages: ["INSERT", "DELETE"],
    },
    event_comment_likes: {
      people: ["liker"],
      expires: "no: until it is taken back",
      exported: { parts: ["liked_comments"] },
      erased: true,
      on_pages: ["INSERT", "DELETE"],
    },
    radio_recording_likes: {
      people: ["liker"],
      expires: "no: until it is taken back",
      exported: { parts: ["liked_recordings"] },
      erased: true,
      on_pages: ["INSERT", "DELETE"],
    },
    radio_comment_likes: {
      people: ["liker"],
      expires: "no: until it is taken back",
      exported: { parts: ["liked_radio_comments"] },
      erased: true,
      on_pages: ["INSERT", "DELETE"],
    },
  },
  notices: { liked: noticesOfLike },
  limits: [NEW_GUEST_LIMIT],
  erasures,
  exports,
};
