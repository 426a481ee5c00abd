import type { NoticeMailKind } from "../../contract/mails.ts";
import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { createNoticeReactions, mailNotice } from "./reactions.ts";
import { notificationRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A notification was written that a mail repeats. */
    notification_mailed: { occasion: string; kind: NoticeMailKind };
  }
}

/** Writes and lists the notifications that the other domains declare. */
export const domain = (others: readonly Domain[]): Domain => ({
  endpoints: notificationRoutes(Object.assign({}, ...others.map(({ excerpts }) => excerpts))),
  tables: {
    notifications: {
      people: ["user_id", "actor_user_id"],
      // Notifications are kept for 90 days. Source: decisions, "Notifications and mail".
      expires: { since: "created_at", days: 90 },
      exported: { parts: ["notifications"], except: ["occasion", "is_opened", "event_id", "subject_id"] },
      erased: true,
      on_pages: [],
    },
  },
  reactions: { ...createNoticeReactions(others), notification_mailed: mailNotice },
  erasures,
  exports,
});
