import type { ChatRooms } from "../../contract/chat-engine.ts";
import { throwUnavailable } from "../../kernel/ask-worker.ts";
import { newId } from "../../kernel/ids.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RadioChatRoom } from "./room.ts";

/** Connects to the Durable Objects of the rooms. */
export function openChatRooms(rooms: DurableObjectNamespace<RadioChatRoom>): ChatRooms {
  const noteFailure = (error: unknown) => logUnexpected(error, newId(Date.now()));
  return {
    post: (post) => rooms.getByName(post.radio_id).post(post).catch(throwUnavailable),
    async showLetter(letter) {
      const is_written = await rooms.getByName(letter.radio_id).showLetter(letter).catch(throwUnavailable);
      if (!is_written) throw new Problem("unavailable");
    },
    tell: (radio_id, ...said) =>
      rooms
        .getByName(radio_id)
        .tell(...said)
        .catch(noteFailure),
    close: (radio_id) => rooms.getByName(radio_id).closeAll().catch(noteFailure),
    countPeople: (radio_id) =>
      rooms
        .getByName(radio_id)
        .countPeople()
        .catch((error: unknown) => {
          noteFailure(error);
          return 0;
        }),
  };
}
