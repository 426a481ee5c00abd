import type { Domain } from "../domain.ts";
import { NEW_GUEST_LIMIT } from "./commands.ts";
import { erasures, exports } from "./personal-data.ts";
import { likeRoutes } from "./routes.ts";

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
  },
  limits: [NEW_GUEST_LIMIT],
  erasures,
  exports,
};
