import { newId } from "../../kernel/ids.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { enterRoom } from "../../live/room.ts";
import type { Database } from "../storage/database.ts";
import { hasUnopened } from "./queries.ts";
import type { NotificationRoom } from "./room.ts";

/** The path of the watch. Only the web worker calls it; the edge forwards no such path. */
export const WATCH_PATH = "/watch";

type Rooms = DurableObjectNamespace<NotificationRoom>;

/** Opens a socket that tells of the member's notifications, also of those since the page was rendered. */
export async function answerWatch(
  request: Request,
  user_id: string | null | undefined,
  { database, rooms }: { database: Database; rooms: Rooms },
): Promise<Response> {
  if (request.headers.get("upgrade") !== "websocket") throw new Problem("bad_request");
  if (!user_id) throw new Problem("registration_required");
  const room = rooms.getByName(user_id);
  const tag = newId(Date.now());
  const upgraded = await enterRoom(room, [tag]);
  if (await hasUnopened(database, user_id)) await room.greet(tag);
  return upgraded;
}

/**
 * Tells the open pages of these members that they have a new notification. It is a hint: a page that misses it learns
 * of the notification when it is loaded or shown again.
 */
export async function tellPages(rooms: Rooms, user_ids: readonly string[]): Promise<void> {
  const told = await Promise.allSettled(user_ids.map((user_id) => rooms.getByName(user_id).tell()));
  for (const { reason } of told.filter((each) => each.status === "rejected")) logUnexpected(reason, newId(Date.now()));
}
