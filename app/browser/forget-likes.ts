import { likedEventComments, likedEvents, likedOfuses } from "./stored-keys.ts";

/** With a member who logs out: what they like is nobody's to see who uses this browser afterwards. */
export function forgetLikes(): void {
  for (const liked of [likedOfuses, likedEvents, likedEventComments]) liked.take();
}
