import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { notify } from "./reactions.ts";
import { notificationRoutes } from "./routes.ts";

/** Tells people what the other domains give them to read. */
export const domain = (others: readonly Domain[]): Domain => ({
  endpoints: notificationRoutes(Object.assign({}, ...others.map(({ excerpts }) => excerpts))),
  tables: {
    notifications: {
      people: ["user_id", "actor_user_id"],
      // Source: decisions, "Notifications and mail".
      expires: { since: "created_at", days: 90 },
      exported: { parts: ["notifications"], except: ["occasion", "is_opened", "event_id", "subject_id"] },
      erased: true,
      on_pages: [],
    },
  },
  reactions: notify(others),
  erasures,
  exports,
});
