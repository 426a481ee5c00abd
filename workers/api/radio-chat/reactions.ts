import type { Reaction } from "../storage/outbox.ts";

/** Hands a letter to the room, which writes its line once. Throws `unavailable` when the room could not write it. */
export const showLetter: Reaction<"radio_letter_arrived"> = async ({ payload }, { chat }) => {
  await chat.showLetter(payload);
  return [];
};

/** Closes the chat of a radio that has ended. The room's own check closes sockets that this misses. */
export const closeRoom: Reaction<"radio_finished"> = async ({ payload: { radio_id } }, { chat }) => {
  await chat.close(radio_id);
  return [];
};
