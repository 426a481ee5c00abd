import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Reaction } from "../storage/outbox.ts";
import { announcementOf, isTold } from "./rules.ts";

/** Tells the person concerned. Telling twice writes nothing: the occasion is unique. */
export const notify: Reaction = async (event, database) => {
  if (!isTold(event)) return [];
  const { user_id, actor_user_id, type, occasion, path, message } = announcementOf(event);
  const people = await database
    .selectFrom("users")
    .select(["user_id", "name", "link_id"])
    .where("user_id", "in", [user_id, actor_user_id])
    .execute();
  const actor = people.find((person) => person.user_id === actor_user_id);
  // An account was deleted meanwhile: there is nobody left to tell, or to speak of.
  if (!actor || people.length < 2) return [];
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
