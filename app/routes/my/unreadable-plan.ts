import type { Subscription } from "../../../workers/contract/memberships.ts";

/**
 * What the pages of plans say while a plan's creator is disabled. Not in subscription-words.ts: creators' pages load that
 * file.
 */

/** Whether a plan's posts cannot be read although its period is paid. The API hides the posts of a disabled creator. */
export const isUnreadable = ({ subscription, is_over }: { subscription: Subscription; is_over: boolean }) =>
  subscription.is_creator_disabled && !is_over;

/** What the badge of such a plan says. */
export const UNREADABLE = "いまは読めません";
