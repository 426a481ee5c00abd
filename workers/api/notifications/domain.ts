import type { NoticeMailKind } from "../../contract/mails.ts";
import type { Notification, NotificationTopic } from "../../contract/notifications.ts";
import type { Domain } from "../domain.ts";
import { erasures, exportProfile, exports } from "./personal-data.ts";
import { createNoticeReactions, listNoticeKinds, mailNotice, type PushedNotice, pushNotice } from "./reactions.ts";
import { notificationRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A mail tells the reader of a notification, whether or not the page has it. */
    notification_mailed: {
      occasion: string;
      kind: NoticeMailKind | "notification";
      /** The topic that the reader may stop; null for what is always mailed. */
      topic: NotificationTopic | null;
      user_id: string;
      actor_user_id: string | null;
      message: string;
      /** The sentence in English. Rows of earlier versions have none. */
      english?: string;
      path: string;
      event_id: string | null;
      /** Rows of earlier versions have neither. */
      type?: Notification["type"];
      subject_id?: string | null;
    };
    /** A push notification tells the reader of a notification, whether or not the page has it. One row for each browser. */
    notification_pushed: PushedNotice & { push_subscription_id: string };
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
      exported: { parts: ["notifications"], except: ["occasion", "is_opened", "event_id", "subject_id", "bundle"] },
      erased: true,
      on_pages: [],
    },
    notification_actors: {
      people: ["actor_user_id"],
      expires: "no: deleted with the notification",
      exported: "no: the reader's export has the sentence; the act itself is in the actor's",
      erased: true,
      on_pages: [],
    },
    notification_settings: {
      people: ["user_id"],
      expires: "no: until the member leaves",
      exported: { parts: ["profile"], except: ["user_id"] },
      erased: true,
      on_pages: [],
    },
    push_subscriptions: {
      people: ["user_id"],
      expires:
        "no: until the member turns it off, the sign-in has ended or the push service forgot the browser; at most 10 a member",
      // The address and the keys would let their holder send to the browser.
      exported: {
        parts: ["profile"],
        except: [
          "push_subscription_id",
          "user_id",
          "endpoint",
          "p256dh",
          "auth",
          "sign_in_id",
          "auth_time",
          "sign_out_key",
        ],
      },
      erased: true,
      on_pages: [],
    },
    open_pages: {
      people: ["user_id"],
      expires: "no: deleted when a notification finds that the member has closed all pages",
      exported: "no: says only that a page may be open",
      erased: true,
      on_pages: [],
    },
  },
  kinds_at_once: [...listNoticeKinds(others), "notification_mailed"],
  reactions: { ...createNoticeReactions(others), notification_mailed: mailNotice, notification_pushed: pushNotice },
  erasures,
  exports,
  profile: exportProfile,
});
