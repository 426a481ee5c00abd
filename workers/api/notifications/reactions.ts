import { type CompiledQuery, sql } from "kysely";
import { LEFT_NAME } from "../../contract/bounds.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Broadcast, Domain, FanOut, Notice, Reader } from "../domain.ts";
import type { Database } from "../storage/database.ts";
import {
  continuationStatement,
  type OutboxEvent,
  type Reaction,
  type ReactionContext,
  type Reactions,
} from "../storage/outbox.ts";
import { findMailAddress } from "../users/queries.ts";
import { fillGaps } from "./rules.ts";

/** Returns reactions to outbox rows that write the notifications these domains declare. */
export function createNoticeReactions(domains: readonly Pick<Domain, "notices" | "broadcasts">[]): Reactions {
  const notices = domains.flatMap((domain) => Object.entries(domain.notices ?? {}));
  const broadcasts = domains.flatMap((domain) => Object.entries(domain.broadcasts ?? {}));
  return Object.fromEntries([
    ...notices.map(([kind, noticesOf]) => [kind, createNoticeReaction(noticesOf as NoticesOf)]),
    ...broadcasts.map(([kind, broadcastOf]) => [kind, createBroadcastReaction(broadcastOf as BroadcastOf)]),
  ]);
}
type NoticesOf = (payload: unknown) => Notice[];
type BroadcastOf = (payload: unknown, database: Database, now_ms: number) => Promise<Broadcast | null>;

/**
 * Returns a reaction that writes the notifications of an outbox row. Repeating it writes nothing, because each
 * notification has a unique occasion.
 */
function createNoticeReaction(noticesOf: NoticesOf): Reaction {
  return async ({ payload }, { database, now_ms }) => {
    const statements: CompiledQuery[] = [];
    for (const notice of noticesOf(payload)) {
      const path = await findPath(notice, database);
      if (path === null) continue;
      statements.push(
        noticeStatement(notice, path, { database, now_ms }),
        ...mailStatements(notice, { database, now_ms }),
      );
    }
    return statements;
  };
}

/** Returns the statement that enqueues the mail of a notification. A row of its own: an outage of mails delays no notification. */
function mailStatements(
  { occasion, mail }: Notice,
  { database, now_ms }: Pick<ReactionContext, "database" | "now_ms">,
): CompiledQuery[] {
  if (!mail) return [];
  const event = { kind: "notification_mailed", payload: { occasion, kind: mail } } as const;
  return [continuationStatement(database, `mail of ${occasion}`, event, now_ms)];
}

/** Mails a notification to its reader, unless the reader has no address or has left. */
export async function mailNotice(
  { payload: { occasion, kind } }: OutboxEvent<"notification_mailed">,
  { database, gateway, mails }: ReactionContext,
): Promise<CompiledQuery[]> {
  const row = await database
    .selectFrom("notifications")
    .leftJoin("users as actor", "actor.user_id", "notifications.actor_user_id")
    .select(["notification_id", "notifications.user_id", "message", "path", "actor.name as actor"])
    .where("occasion", "=", occasion)
    .executeTakeFirst();
  const recipient = row && (await findMailAddress({ database }, row.user_id));
  if (!row || !recipient) return [];
  const message = fillGaps(row.message, { actor: row.actor ?? LEFT_NAME, event: "" });
  const gaps = { message, link: gateway.addressOf(row.path) };
  await mails.handOver([{ mail_id: `notification:${row.notification_id}`, kind, recipient, gaps }]);
  return [];
}

/**
 * Returns the path that a notification links to; null when its reader or its actor has left, or when one has blocked
 * the other.
 */
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

function noticeStatement(
  notice: Notice,
  path: string,
  { database, now_ms }: Pick<ReactionContext, "database" | "now_ms">,
): CompiledQuery {
  const { user_id, actor_user_id, type, occasion, message, event_id = null, subject_id = null } = notice;
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

/** How many people one batch notifies. The next outbox row notifies the people after them. */
const BROADCAST_BATCH_SIZE = 500;

/**
 * Returns a reaction that notifies the next people of a broadcast and, in the same batch, enqueues the outbox row that
 * continues after them. Repeating it writes nothing, because occasions and row ids are unique.
 */
function createBroadcastReaction(broadcastOf: BroadcastOf): Reaction {
  return async ({ kind, payload }, { database, now_ms }) => {
    const broadcast = await broadcastOf(payload, database, now_ms);
    if (!broadcast) return [];
    const { fan_out_id, after } = payload as FanOut;
    const readers = await broadcast.findReaders(after, BROADCAST_BATCH_SIZE);
    const last = readers.at(-1);
    if (!last) return [];
    const statements = [
      broadcastStatement(broadcast, readers, database, now_ms),
      ...broadcastMails(broadcast, readers, database, now_ms),
    ];
    if (readers.length === BROADCAST_BATCH_SIZE) {
      const next = { kind, payload: { ...payload, after: last } } as OutboxEvent;
      statements.push(continuationStatement(database, `${fan_out_id}-${last.user_id}`, next, now_ms));
    }
    return statements;
  };
}

/** Returns the statement that enqueues the mails of a broadcast, as {@link mailStatements} does for one notification. */
function broadcastMails(
  { mail, occasionOf }: Broadcast,
  readers: readonly Reader[],
  database: Database,
  now_ms: number,
): CompiledQuery[] {
  if (!mail) return [];
  const occasions = JSON.stringify(readers.map(({ user_id }) => occasionOf(user_id)));
  const insert = sql`INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts)
    SELECT 'mail of ' || value, 'notification_mailed', json_object('occasion', value, 'kind', ${mail}),
      ${isoTime(now_ms)}, 0
    FROM json_each(${occasions}) WHERE TRUE
    ON CONFLICT DO NOTHING`;
  return [insert.compile(database)];
}

function broadcastStatement(
  broadcast: Broadcast,
  readers: readonly Reader[],
  database: Database,
  now_ms: number,
): CompiledQuery {
  const { type, actor_user_id, messageOf, path, occasionOf } = broadcast;
  const rows = readers.map((reader) => ({
    notification_id: newId(now_ms),
    user_id: reader.user_id,
    message: messageOf(reader),
    occasion: occasionOf(reader.user_id),
  }));
  return sql`INSERT INTO notifications (notification_id, user_id, type, actor_user_id, message, path, occasion, is_opened,
      created_at, event_id, subject_id)
    SELECT value ->> 'notification_id', value ->> 'user_id', ${type}, ${actor_user_id}, value ->> 'message', ${path},
      value ->> 'occasion', 0, ${isoTime(now_ms)}, ${broadcast.event_id ?? null},
      ${broadcast.subject_id ?? null}
    FROM json_each(${JSON.stringify(rows)}) WHERE TRUE
    ON CONFLICT (occasion) DO NOTHING`.compile(database);
}
