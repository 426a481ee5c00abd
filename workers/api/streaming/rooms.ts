import type { OverlayRooms } from "../../contract/overlay-engine.ts";
import { throwUnavailable } from "../../kernel/ask-worker.ts";
import { newId } from "../../kernel/ids.ts";
import { logUnexpected } from "../../kernel/log.ts";
import type { OverlayRoom } from "./room.ts";

/** Connects to the Durable Objects of the rooms. */
export function openOverlayRooms(rooms: DurableObjectNamespace<OverlayRoom>): OverlayRooms {
  const logFailure = (error: unknown) => logUnexpected(error, newId(Date.now()));
  return {
    announce: (user_id, number) => rooms.getByName(user_id).announce(user_id, number).catch(throwUnavailable),
    announceSettings: (user_id) => rooms.getByName(user_id).announceSettings().catch(logFailure),
    endOthers: (user_id, token_hash) => rooms.getByName(user_id).endOthers(token_hash).catch(logFailure),
  };
}
