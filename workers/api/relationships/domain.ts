import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { relationshipRoutes } from "./routes.ts";
import { noticesOfFollow } from "./rules.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    followed: { follower_id: string; following_id: string };
  }
}

export const domain: Domain = {
  endpoints: relationshipRoutes,
  tables: {
    relationships: {
      people: ["follower_id", "following_id"],
      expires: "no: until either person ends it",
      exported: { parts: ["followings", "followers"] },
      erased: true,
      on_pages: ["INSERT", "DELETE"],
    },
  },
  notices: { followed: noticesOfFollow },
  erasures,
  exports,
};
