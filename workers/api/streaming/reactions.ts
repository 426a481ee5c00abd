import type { Reaction } from "../storage/outbox.ts";

/** Tells the room of the overlays of a new letter. Throws when the room could not take it. */
export const announceLetter: Reaction<"overlay_letter_arrived"> = async ({ payload }, { overlays }) => {
  await overlays.announce(payload.user_id, payload.number);
  return [];
};
