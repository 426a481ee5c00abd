import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Reaction } from "../storage/outbox.ts";
import { announcementOf } from "./rules.ts";

/** Tells the person concerned. Telling twice writes nothing: the occasion is unique. */
export const notify: Reaction = async (event, _outbox_id, database) => {
  const { user_id, actor_user_id, type, occasion, path, message } = announcementOf(event);
  const actor = await database
    .selectFrom("users")
    .select(["name", "link_id"])
    .where("user_id", "=", actor_user_id)
    .executeTakeFirst();
  // The account was deleted meanwhile: there is nobody left to speak of.
  if (!actor) return [];
  const now_ms = Date.now();
  return [
    database
      .insertInto("notifications")
      .values({
        notification_id: newId(now_ms),
        user_id,
        type,
        actor_user_id,
        message: message(actor),
        path: path(actor),
        occasion,
        is_opened: 0,
        created_at: isoTime(now_ms),
      })
      .onConflict((conflict) => conflict.column("occasion").doNothing())
      .compile(),
  ];
};
