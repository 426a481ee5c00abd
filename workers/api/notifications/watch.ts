import { TELLS_READ } from "../../contract/notification-watch.ts";
import { throwUnavailable } from "../../kernel/ask-worker.ts";
import { newId } from "../../kernel/ids.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { enterRoom } from "../../live/room.ts";
import type { Database } from "../storage/database.ts";
import { findOpenPages, hasUnopened } from "./queries.ts";
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
  const tells_read = new URL(request.url).searchParams.has(TELLS_READ);
  const upgraded = await enterRoom(room, tells_read ? [tag, TELLS_READ] : [tag]).catch(throwUnavailable);
  // The row is written after the socket is open, and before the question whether anything is unread: what a batch writes
  // is either found here, or its `tellPages` finds the row.
  await database
    .insertInto("open_pages")
    .values({ user_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const has_unread = await hasUnopened(database, user_id);
  if (has_unread || tells_read) await room.greet(tag, has_unread).catch(throwUnavailable);
  return upgraded;
}

/**
 * Tells the open pages of these members whether something is unread. It is a hint: a page that misses it learns of
 * the notification when it is loaded or shown again. So it never throws.
 */
export async function tellPages(
  { database, rooms }: { database: Database; rooms: Rooms },
  user_ids: readonly string[],
): Promise<void> {
  if (user_ids.length === 0) return;
  try {
    const readers = await findOpenPages(database, user_ids);
    const told = await Promise.allSettled(
      readers.map(({ user_id, has_unread }) => rooms.getByName(user_id).tell(user_id, has_unread)),
    );
    for (const { reason } of told.filter((each) => each.status === "rejected"))
      logUnexpected(reason, newId(Date.now()));
  } catch (error) {
    logUnexpected(error, newId(Date.now()));
  }
}
