import {
  likedEventComments,
  likedEvents,
  likedOfuses,
  likedRadioComments,
  likedRadioRecordings,
  unsentWords,
} from "./stored-keys.ts";

/** Deletes what this browser stores about a member who leaves, so that the next user of the browser cannot see it. */
export function forgetMember(): void {
  for (const kept of [
    likedOfuses,
    likedEvents,
    likedEventComments,
    likedRadioComments,
    likedRadioRecordings,
    unsentWords,
  ])
    kept.take();
}
