import type { Reaction } from "../storage/outbox.ts";

/** Hands a letter to the room, which writes its line once. Throws `unavailable` when the room could not write it. */
export const showLetter: Reaction<"radio_letter_arrived"> = async ({ payload }, { chat }) => {
  await chat.showLetter(payload);
  return [];
};
