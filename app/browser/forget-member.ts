import { unsentWords } from "./stored-keys.ts";

/** The keys that say what a member likes, and where they chatted. Names, so that no page loads keys of other pages for it. */
const MEMBERS_KEYS = [
  "like-letter",
  "like-event",
  "like-event-comment",
  "like-radio-comment",
  "like-radio-recording",
  "chattedRadioIds",
];

/** Deletes what this browser stores about a member who leaves, so that the next user of the browser cannot see it. */
export function forgetMember(): void {
  unsentWords.take();
  try {
    for (const name of MEMBERS_KEYS) localStorage.removeItem(name);
  } catch {
    // Without storage, nothing was stored.
  }
}
