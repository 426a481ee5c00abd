import type { Notification } from "../../contract/notifications.ts";
import type { OutboxEvent } from "../storage/outbox.ts";

/** What nobody hears of, or many do at once: {@link publicationNews}. */
const untold = ["creator_changed", "search_rebuild_wanted", "event_published"] as const;
type UntoldKind = (typeof untold)[number];
type ToldEvent = Exclude<OutboxEvent, { kind: UntoldKind }>;

/** Whether one person is told of it. */
export function isTold(event: OutboxEvent): event is ToldEvent {
  return !(untold as readonly string[]).includes(event.kind);
}

/** A notification yet to be written: to whom, about whom, and what names the occasion so that it is told once. */
export interface Announcement {
  user_id: string;
  actor_user_id: string;
  type: Notification["type"];
  occasion: string;
  path: (actor: { link_id: string }) => string;
  message: (actor: { name: string }) => string;
}

/**
 * Who hears of what, in which words. The spec's types have none for a new follower, so it is `custom`
 * (docs/decisions/0001).
 */
export function announcementOf(event: ToldEvent): Announcement {
  switch (event.kind) {
    case "followed": {
      const { follower_id, following_id } = event.payload;
      return {
        user_id: following_id,
        actor_user_id: follower_id,
        type: "custom",
        occasion: `followed ${follower_id} ${following_id}`,
        path: (actor) => `/${actor.link_id}`,
        message: (actor) => `${actor.name}さんがあなたをフォローしました。`,
      };
    }
    case "ofuse_sent": {
      const { ofuse_id, receiver_user_id, sender_user_id } = event.payload;
      return {
        user_id: receiver_user_id,
        actor_user_id: sender_user_id,
        type: "get_free_ofuse",
        occasion: `ofuse_sent ${ofuse_id}`,
        path: () => `/my/box/${ofuse_id}`,
        message: (actor) => `${actor.name}さんからofuseが届きました。`,
      };
    }
    case "ofuse_replied": {
      const { ofuse_id, receiver_user_id, sender_user_id } = event.payload;
      return {
        user_id: sender_user_id,
        actor_user_id: receiver_user_id,
        type: "get_ofuse_reply",
        occasion: `ofuse_replied ${ofuse_id}`,
        path: () => `/my/box/${ofuse_id}`,
        message: (actor) => `${actor.name}さんからofuseの返信が届きました。`,
      };
    }
  }
}

/** What the readers of a post hear when it is published; each of them once, however often it is. */
export function publicationNews(event: { event_id: string; title: string; name: string; link_id: string }) {
  return {
    occasionOf: (user_id: string) => `event_published ${event.event_id} ${user_id}`,
    path: `/${event.link_id}/events/${event.event_id}`,
    message: `${event.name}さんが「${event.title}」を投稿しました。`,
  };
}
