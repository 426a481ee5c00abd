import type { CompiledQuery } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Database } from "../storage/database.ts";
import type { Reaction } from "../storage/outbox.ts";
import { type Announcement, announcementsOf, isTold } from "./rules.ts";

/** Tells the people concerned. Telling twice writes nothing: the occasion is unique. */
export const notify: Reaction = async (event, database) => {
  if (!isTold(event)) return [];
  const statements: CompiledQuery[] = [];
  for (const announcement of announcementsOf(event)) {
    const told = await wordsOf(announcement, database);
    if (told) statements.push(notificationStatement(announcement, told, database));
  }
  return statements;
};

/** What is told; null where there is nobody left to tell or to speak of, or one of the two has blocked the other. */
async function wordsOf(
  announcement: Announcement,
  database: Database,
): Promise<{ message: string; path: string } | null> {
  const { user_id, actor_user_id } = announcement;
  const people = await database
    .selectFrom("users")
    .select(["user_id", "name", "link_id"])
    .where("user_id", "in", [user_id, ...(actor_user_id === null ? [] : [actor_user_id])])
    .execute();
  if (!people.some((person) => person.user_id === user_id)) return null;
  if (announcement.actor_user_id === null) return announcement;
  const actor = people.find((person) => person.user_id === announcement.actor_user_id);
  if (!actor) return null;
  const block = await database
    .selectFrom("blocks")
    .select("blocker_id")
    .where("blocker_id", "in", [user_id, actor.user_id])
    .where("blocking_id", "in", [user_id, actor.user_id])
    .executeTakeFirst();
  return block ? null : { message: announcement.message(actor), path: announcement.path(actor) };
}

function notificationStatement(
  { user_id, actor_user_id, type, occasion }: Announcement,
  { message, path }: { message: string; path: string },
  database: Database,
): CompiledQuery {
  const now_ms = Date.now();
  return database
    .insertInto("notifications")
    .values({
      notification_id: newId(now_ms),
      user_id,
      type,
      actor_user_id,
      message,
      path,
      occasion,
      is_opened: 0,
      created_at: isoTime(now_ms),
    })
    .onConflict((conflict) => conflict.column("occasion").doNothing())
    .compile();
}
