import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Database } from "../storage/database.ts";
import type { OutboxEvent, Reaction } from "../storage/outbox.ts";
import { findReaders } from "./queries.ts";
import { type Announcement, announcementsOf, isTold, publicationNews } from "./rules.ts";

/** Tells the people concerned. Telling twice writes nothing: the occasion is unique. */
export const notify: Reaction = async (event, database) => {
  if (!isTold(event)) return [];
  const statements: CompiledQuery[] = [];
  for (const announcement of announcementsOf(event)) {
    const path = await pathOf(announcement, database);
    if (path !== null) statements.push(notificationStatement(announcement, path, database));
  }
  return statements;
};

/** The path a notification leads to; null where somebody has left, or one of the two has blocked the other. */
async function pathOf(announcement: Announcement, database: Database): Promise<string | null> {
  const { user_id, actor_user_id } = announcement;
  const people = await database
    .selectFrom("users")
    .select(["user_id", "link_id"])
    .where("user_id", "in", [user_id, ...(actor_user_id === null ? [] : [actor_user_id])])
    .where("left_at", "is", null)
    .execute();
  if (!people.some((person) => person.user_id === user_id)) return null;
  if (announcement.actor_user_id === null) return announcement.path;
  const actor = people.find((person) => person.user_id === announcement.actor_user_id);
  if (!actor) return null;
  const block = await database
    .selectFrom("blocks")
    .select("blocker_id")
    .where("blocker_id", "in", [user_id, actor.user_id])
    .where("blocking_id", "in", [user_id, actor.user_id])
    .executeTakeFirst();
  return block ? null : announcement.path(actor);
}

function notificationStatement(announcement: Announcement, path: string, database: Database): CompiledQuery {
  const { user_id, actor_user_id, type, occasion, message } = announcement;
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
      event_id: announcement.actor_user_id === null ? null : (announcement.event_id ?? null),
    })
    .onConflict((conflict) => conflict.column("occasion").doNothing())
    .compile();
}

/** How many are told of a post in one batch; the rest by the rows it leaves in the outbox. */
const TOLD_AT_ONCE = 500;

/**
 * Tells those who may read a post that it is published: some of them now, and by the next row of the outbox, written in
 * the same batch, those after them. Doing it again writes nothing: occasions and rows are unique.
 */
export const tellReaders: Reaction = async (event, database) => {
  if (event.kind !== "event_published") return [];
  const { event_id, fan_out_id, after } = event.payload;
  const post = await database
    .selectFrom("events")
    .innerJoin("users", "users.user_id", "events.user_id")
    .select(["event_id", "events.user_id", "users.link_id"])
    .select(["publish_target_type", "publish_target_membership_id"])
    .where("event_id", "=", event_id)
    .where("status", "=", sql.lit("published"))
    .executeTakeFirst();
  // Taken back meanwhile.
  if (!post) return [];
  const now_ms = Date.now();
  const readers = await findReaders(database, post, { after, limit: TOLD_AT_ONCE, now_ms });
  const last = readers.at(-1);
  if (!last) return [];
  const { occasionOf, path, message } = publicationNews(post);
  const told = readers.map(({ user_id }) => ({
    notification_id: newId(now_ms),
    user_id,
    occasion: occasionOf(user_id),
  }));
  const statements = [
    sql`INSERT INTO notifications
        (notification_id, user_id, type, actor_user_id, message, path, occasion, is_opened, created_at, event_id)
      SELECT value ->> 'notification_id', value ->> 'user_id', 'event_created', ${post.user_id}, ${message}, ${path},
        value ->> 'occasion', 0, ${isoTime(now_ms)}, ${event_id}
      FROM json_each(${JSON.stringify(told)}) WHERE TRUE
      ON CONFLICT (occasion) DO NOTHING`.compile(database),
  ];
  if (readers.length === TOLD_AT_ONCE) {
    const next: OutboxEvent = { kind: "event_published", payload: { event_id, fan_out_id, after: last } };
    statements.push(
      database
        .insertInto("outbox")
        .values({
          outbox_id: `${fan_out_id}-${last.user_id}`,
          kind: next.kind,
          payload: JSON.stringify(next.payload),
          created_at: isoTime(now_ms),
          processed_at: null,
          attempts: 0,
          last_error: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    );
  }
  return statements;
};
