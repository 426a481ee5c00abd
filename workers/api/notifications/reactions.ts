import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Broadcast, Domain, FanOut, Notice } from "../domain.ts";
import type { Database } from "../storage/database.ts";
import { continuation, type OutboxEvent, type Reaction, type Reactions } from "../storage/outbox.ts";

/** The reactions that write the notices and broadcasts of these domains. */
export function notify(domains: readonly Pick<Domain, "notices" | "broadcasts">[]): Reactions {
  const notices = domains.flatMap((domain) => Object.entries(domain.notices ?? {}));
  const broadcasts = domains.flatMap((domain) => Object.entries(domain.broadcasts ?? {}));
  return Object.fromEntries([
    ...notices.map(([kind, noticesOf]) => [kind, tellPeople(noticesOf as NoticesOf)]),
    ...broadcasts.map(([kind, broadcastOf]) => [kind, tellReaders(broadcastOf as BroadcastOf)]),
  ]);
}
type NoticesOf = (payload: unknown) => Notice[];
type BroadcastOf = (payload: unknown, database: Database) => Promise<Broadcast | null>;

/** Writes the notices of an event. Repeating it writes nothing: occasions are unique. */
function tellPeople(noticesOf: NoticesOf): Reaction {
  return async ({ payload }, { database }) => {
    const statements: CompiledQuery[] = [];
    for (const notice of noticesOf(payload)) {
      const path = await findPath(notice, database);
      if (path !== null) statements.push(noticeStatement(notice, path, database));
    }
    return statements;
  };
}

/** The path a notice leads to; null where one of the two has left, or has blocked the other. */
async function findPath({ user_id, actor_user_id, path }: Notice, database: Database): Promise<string | null> {
  const people = await database
    .selectFrom("users")
    .select(["user_id", "link_id"])
    .where("user_id", "in", [user_id, ...(actor_user_id === null ? [] : [actor_user_id])])
    .where("left_at", "is", null)
    .execute();
  if (!people.some((person) => person.user_id === user_id)) return null;
  const pathFor = (actor: { link_id: string }) => (typeof path === "string" ? path : path(actor));
  if (actor_user_id === null) return pathFor({ link_id: "" });
  const actor = people.find((person) => person.user_id === actor_user_id);
  if (!actor) return null;
  const block = await database
    .selectFrom("blocks")
    .select("blocker_id")
    .where("blocker_id", "in", [user_id, actor.user_id])
    .where("blocking_id", "in", [user_id, actor.user_id])
    .executeTakeFirst();
  return block ? null : pathFor(actor);
}

function noticeStatement(notice: Notice, path: string, database: Database): CompiledQuery {
  const { user_id, actor_user_id, type, occasion, message, event_id = null, subject_id = null } = notice;
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
      event_id,
      subject_id,
    })
    .onConflict((conflict) => conflict.column("occasion").doNothing())
    .compile();
}

/** How many people one batch tells; the next row of the outbox tells those after them. */
const TOLD_AT_ONCE = 500;

/**
 * Writes the notices of the next readers of a broadcast, and in the same batch the outbox row that continues after them.
 * Repeating it writes nothing: occasions and the ids of the rows are unique.
 */
function tellReaders(broadcastOf: BroadcastOf): Reaction {
  return async ({ kind, payload }, { database }) => {
    const broadcast = await broadcastOf(payload, database);
    if (!broadcast) return [];
    const { fan_out_id, after } = payload as FanOut;
    const readers = await broadcast.findReaders(after, TOLD_AT_ONCE);
    const last = readers.at(-1);
    if (!last) return [];
    const now_ms = Date.now();
    const statements = [broadcastStatement(broadcast, readers, database, now_ms)];
    if (readers.length === TOLD_AT_ONCE) {
      const next = { kind, payload: { ...payload, after: last } } as OutboxEvent;
      statements.push(continuation(database, `${fan_out_id}-${last.user_id}`, next, now_ms));
    }
    return statements;
  };
}

function broadcastStatement(
  broadcast: Broadcast,
  readers: readonly { user_id: string }[],
  database: Database,
  now_ms: number,
): CompiledQuery {
  const { type, actor_user_id, message, path, occasionOf } = broadcast;
  const told = readers.map(({ user_id }) => ({
    notification_id: newId(now_ms),
    user_id,
    occasion: occasionOf(user_id),
  }));
  return sql`INSERT INTO notifications (notification_id, user_id, type, actor_user_id, message, path, occasion, is_opened,
      created_at, event_id, subject_id)
    SELECT value ->> 'notification_id', value ->> 'user_id', ${type}, ${actor_user_id}, ${message}, ${path},
      value ->> 'occasion', 0, ${isoTime(now_ms)}, ${broadcast.event_id ?? null},
      ${broadcast.subject_id ?? null}
    FROM json_each(${JSON.stringify(told)}) WHERE TRUE
    ON CONFLICT (occasion) DO NOTHING`.compile(database);
}
