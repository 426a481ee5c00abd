import { likedEventComments, likedEvents, likedOfuses, unsentWords } from "./stored-keys.ts";

/** Forgets what this browser keeps of a member who leaves: it is not for the next person who uses it. */
export function forgetMember(): void {
  for (const kept of [likedOfuses, likedEvents, likedEventComments, unsentWords]) kept.take();
}
