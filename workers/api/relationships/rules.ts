import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

/**
 * Notifies a person of a new follower. The spec has no notification type for this, so it is `custom`
 * (docs/decisions/0001).
 */
export function noticesOfFollow({ follower_id, following_id }: OutboxEvents["followed"]): Notice[] {
  return [
    {
      user_id: following_id,
      actor_user_id: follower_id,
      type: "custom",
      topic: "followed",
      occasion: `followed ${follower_id} ${following_id}`,
      path: (actor) => `/${actor.link_id}`,
      bundle: { key: "followed", path: "/my/members" },
      message: "{actors}があなたをフォローしました。",
    },
  ];
}
