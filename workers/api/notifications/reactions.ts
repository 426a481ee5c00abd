import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { NoticeMailKind } from "../../contract/mails.ts";
import { isNotificationTopic, type Notification, type NotificationTopic } from "../../contract/notifications.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Broadcast, Domain, FanOut, Notice, Reader } from "../domain.ts";
import { PUSH_TTL_S } from "../push/client.ts";
import type { Database } from "../storage/database.ts";
import { wantsTopic } from "../storage/notification-settings.ts";
import {
  continuationStatement,
  type OutboxEvent,
  type OutboxEvents,
  type OutboxKind,
  type Reaction,
  type ReactionContext,
  type Reactions,
} from "../storage/outbox.ts";
import { findMailReceiver } from "../users/queries.ts";
import { findMailWords, findPushReceiver } from "./queries.ts";
import { fillGaps, isMailedTopic, mailSentence, mailToken, pushPayload, pushTitle } from "./rules.ts";

/** Returns reactions to outbox rows that write the notifications these domains declare. */
export function createNoticeReactions(domains: readonly Pick<Domain, "notices" | "broadcasts">[]): Reactions {
  const notices = domains.flatMap((domain) => Object.entries(domain.notices ?? {}));
  const broadcasts = domains.flatMap((domain) => Object.entries(domain.broadcasts ?? {}));
  return Object.fromEntries([
    ...notices.map(([kind, noticesOf]) => [kind, createNoticeReaction(noticesOf as NoticesOf)]),
    ...broadcasts.map(([kind, broadcastOf]) => [kind, createBroadcastReaction(broadcastOf as BroadcastOf)]),
  ]);
}
/** The kinds of outbox rows whose only reaction writes notifications for few people. A domain's own one may ask the gateway. */
export const listNoticeKinds = (domains: readonly Pick<Domain, "notices" | "reactions">[]) =>
  domains
    .flatMap(({ notices = {} }) => Object.keys(notices) as OutboxKind[])
    .filter((kind) => !domains.some(({ reactions = {} }) => kind in reactions));

type NoticesOf = (payload: unknown) => Notice[];
type BroadcastOf = (payload: unknown, database: Database, now_ms: number) => Promise<Broadcast | null>;

type Written = Pick<ReactionContext, "database" | "happened_ms">;
/** A notification and its push notification name the same id. */
type Told = Written & { notification_id: string };

/**
 * Returns a reaction that writes the notifications of an outbox row. Repeating it writes nothing, because each
 * notification has a unique occasion.
 */
function createNoticeReaction(noticesOf: NoticesOf): Reaction {
  return async ({ payload }, { database, happened_ms, push, tell }) => {
    const statements: CompiledQuery[] = [];
    for (const notice of noticesOf(payload)) {
      const path = await findPath(notice, database);
      if (path === null) continue;
      tell([notice.user_id]);
      const at = { database, happened_ms, notification_id: newId(happened_ms) };
      statements.push(
        ...(push.public_key ? pushStatements(notice, path, at) : []),
        ...(notice.bundle ? bundleStatements(notice, path, at) : [insertStatement(notice, path, at)]),
        ...mailStatements(notice, path, at),
      );
    }
    return statements;
  };
}

/** Returns the topic by which a reader can turn a notification off; null when it always goes out. */
const topicOf = ({ topic, type }: Pick<Broadcast, "topic" | "type">): NotificationTopic | null =>
  topic === undefined ? (isNotificationTopic(type) ? type : null) : topic;

/** Returns the kind of mail that repeats a notification; null for none. */
export function mailKindOf(notice: Pick<Broadcast, "mail" | "topic" | "type">): NoticeMailKind | "notification" | null {
  const topic = topicOf(notice);
  if (topic === null) return notice.mail ?? null;
  return isMailedTopic(topic) ? "notification" : null;
}

/** Returns the statement that enqueues the mail of a notification. A row of its own: an outage of mails delays no notification. */
function mailStatements(notice: Notice, path: string, { database, happened_ms }: Written): CompiledQuery[] {
  const kind = mailKindOf(notice);
  if (!kind) return [];
  const { occasion, user_id, actor_user_id, type, message, english, event_id = null, subject_id = null } = notice;
  const topic = topicOf(notice);
  const payload: OutboxEvents["notification_mailed"] = {
    occasion,
    kind,
    topic,
    user_id,
    actor_user_id,
    message,
    english,
    path,
    event_id,
    type,
    subject_id,
  };
  const insert = sql`INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts)
    SELECT ${`mail of ${occasion}`}, 'notification_mailed', ${JSON.stringify(payload)}, ${isoTime(happened_ms)}, 0
    WHERE ${wantsTopic(user_id, topic, "mail")} ON CONFLICT DO NOTHING`;
  return [insert.compile(database)];
}

/** Mails a notification to its reader, unless the reader has no address or {@link findMailWords} refuses. */
export async function mailNotice(
  { payload }: OutboxEvent<"notification_mailed">,
  { database, gateway, mails, media_key }: ReactionContext,
): Promise<CompiledQuery[]> {
  const { occasion, kind, topic, user_id } = payload;
  const [receiver, words] = await Promise.all([
    findMailReceiver({ database }, user_id),
    findMailWords(database, payload),
  ]);
  if (!receiver || !words) return [];
  const gaps = {
    message: mailSentence(payload, words, receiver.language),
    link: gateway.addressOf(payload.path),
  };
  // Occasions are words with blanks between them, which no id of a mail has.
  const mail_id = `notification:${occasion.replaceAll(" ", ":")}`;
  if (topic === null || kind !== "notification") {
    await mails.handOver([{ mail_id, kind: kind as NoticeMailKind, ...receiver, gaps }]);
    return [];
  }
  const stop_link = gateway.addressOf(`/unsubscribe/${await mailToken({ topic, user_id }, media_key)}`);
  await mails.handOver([{ mail_id, kind, ...receiver, gaps: { ...gaps, topic, stop_link } }]);
  return [];
}

/** The content of a push notification. */
export interface PushedNotice {
  /** The id of the row on the page, unless the reader wants none. */
  notification_id: string;
  occasion: string;
  /** The topic that the reader may stop; null when the notification always goes out. */
  topic: NotificationTopic | null;
  title: string;
  user_id: string;
  actor_user_id: string | null;
  message: string;
  path: string;
  event_id: string | null;
  /** Rows of earlier versions have neither. */
  type?: Notification["type"];
  subject_id?: string | null;
  /** What later push notifications replace. */
  collapse: string;
}

/**
 * Returns the statement that enqueues the push notifications of a notification. Of a bundle, only the person who begins
 * it is pushed: ten likes ring once. The statement must run before those of the bundle.
 */
function pushStatements(notice: Notice, path: string, told: Told): CompiledQuery[] {
  const { occasion, user_id, actor_user_id, type, message, bundle, event_id = null, subject_id = null } = notice;
  const topic = topicOf(notice);
  const title = pushTitle(topic, type);
  if (title === null) return [];
  const collapse = bundle ? bundle.key : occasion;
  const { notification_id } = told;
  const about = { type, event_id, subject_id };
  const pushed = { notification_id, occasion, topic, title, user_id, actor_user_id, message, path, collapse, ...about };
  return [enqueuePushes([pushed], topic, told, bundle && beginsBundle(notice))];
}

/** Returns the statement that enqueues a push notification for each browser of these readers. */
function enqueuePushes(
  pushed: readonly PushedNotice[],
  topic: NotificationTopic | null,
  { database, happened_ms }: Written,
  holds: RawBuilder<boolean> = sql`TRUE`,
): CompiledQuery {
  // A cross join keeps the order: the readers first, then the few browsers of each by the index.
  return sql`INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts)
    SELECT 'push of ' || (value ->> 'occasion') || ' to ' || push_subscription_id, 'notification_pushed',
      json_set(value, '$.push_subscription_id', push_subscription_id), ${isoTime(happened_ms)}, 0
    FROM json_each(${JSON.stringify(pushed)}) CROSS JOIN push_subscriptions
    WHERE push_subscriptions.user_id = value ->> 'user_id'
      AND ${wantsTopic(sql`value ->> 'user_id'`, topic, "push")} AND ${holds}
    ON CONFLICT DO NOTHING`.compile(database);
}

/** The topics that are read when there is time. A push service may keep them until the device wakes up. */
const UNHURRIED: ReadonlySet<string | null> = new Set(["liked", "followed", "event_created", "news_letter_received"]);

/**
 * Sends a push notification to one browser, unless its reader has opened the notification meanwhile or
 * {@link findMailWords} refuses. Forgets the browser when its sign-in has ended or its push service does not know it any more.
 */
export async function pushNotice(
  { payload }: OutboxEvent<"notification_pushed">,
  { database, push, now_ms, happened_ms }: ReactionContext,
): Promise<CompiledQuery[]> {
  const { topic, push_subscription_id, title, collapse } = payload;
  // After a long outage nobody wants to be rung for what happened days ago.
  if (!push.public_key || now_ms - happened_ms > PUSH_TTL_S * 1000) return [];
  const [receiver, words] = await Promise.all([findPushReceiver(database, payload), findMailWords(database, payload)]);
  if (!receiver || !words || receiver.is_opened === 1) return [];
  const { is_on_page, sign_in_id, auth_time, sign_out_key, identity_id } = receiver;
  const marks = { sub: identity_id, signInId: sign_in_id, auth_time, keyForGlobalSignOut: sign_out_key ?? undefined };
  const shown = await pushPayload({
    title,
    message: fillGaps(payload.message, { ...words, actors: `${words.actor}さん` }),
    path: is_on_page ? `/my/notifications/${payload.notification_id}` : payload.path,
    collapse,
  });
  const is_known =
    (await push.isSignedIn(marks)) && (await push.send(receiver, shown, UNHURRIED.has(topic) ? "low" : "normal"));
  if (is_known) return [];
  const forget = database.deleteFrom("push_subscriptions").where("push_subscription_id", "=", push_subscription_id);
  return [forget.compile()];
}

/**
 * Returns the path that a notification links to; null when its reader or its actor has left, or when one has blocked
 * the other, unless the notification is about the money of a plan.
 */
async function findPath(notice: Notice, database: Database): Promise<string | null> {
  const { user_id, actor_user_id, path } = notice;
  const ids = [user_id, ...(actor_user_id === null ? [] : [actor_user_id])];
  const [people, block] = await Promise.all([
    database
      .selectFrom("users")
      .select(["user_id", "link_id"])
      .where("user_id", "in", ids)
      .where("left_at", "is", null)
      .execute(),
    database
      .selectFrom("blocks")
      .select("blocker_id")
      .where("blocker_id", "in", ids)
      .where("blocking_id", "in", ids)
      .executeTakeFirst(),
  ]);
  if (!people.some((person) => person.user_id === user_id)) return null;
  const pathFor = (actor: { link_id: string }) => (typeof path === "string" ? path : path(actor));
  if (actor_user_id === null) return pathFor({ link_id: "" });
  const actor = people.find((person) => person.user_id === actor_user_id);
  if (!actor) return null;
  return block && topicOf(notice) !== null ? null : pathFor(actor);
}

/** Returns the statement that writes a notification if `holds`, and if its reader wants it on the page. */
function insertStatement(
  notice: Notice,
  path: string,
  { database, happened_ms, notification_id }: Told,
  holds: RawBuilder<boolean> = sql`TRUE`,
): CompiledQuery {
  const { user_id, actor_user_id, type, message, bundle, event_id = null, subject_id = null } = notice;
  // A bundle outlives each of its people, so its row names none of them.
  const occasion = bundle ? `bundle ${notification_id}` : notice.occasion;
  return sql`INSERT INTO notifications (notification_id, user_id, type, actor_user_id, message, path, occasion, is_opened,
      created_at, event_id, subject_id, bundle)
    SELECT ${notification_id}, ${user_id}, ${type}, ${bundle ? null : actor_user_id}, ${message}, ${path}, ${occasion}, 0,
      ${isoTime(happened_ms)}, ${event_id}, ${subject_id}, ${bundle?.key ?? null}
    WHERE ${wantsTopic(user_id, topicOf(notice), "page")} AND ${holds}
    ON CONFLICT (occasion) DO NOTHING`.compile(database);
}

/** SQL: the reader's unread row of the notice's bundle. */
const openBundle = ({ user_id, bundle }: Notice) =>
  sql`user_id = ${user_id} AND bundle = ${bundle?.key} AND is_opened = 0`;

/** SQL: whether the act has made no notification before. */
const isNewActor = ({ occasion }: Notice) =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM notification_actors WHERE occasion = ${occasion})`;

/** SQL: whether the act begins a row of its bundle. */
const beginsBundle = (notice: Notice) =>
  sql<boolean>`${isNewActor(notice)} AND NOT EXISTS (SELECT 1 FROM notifications WHERE ${openBundle(notice)})`;

/**
 * Returns the statements by which a person joins the reader's unread row of a bundle, or begins one. The row has the
 * time of its newest person, in whatever order they are dispatched.
 */
function bundleStatements(notice: Notice, path: string, told: Told): CompiledQuery[] {
  const { database, happened_ms } = told;
  const { user_id, actor_user_id, occasion, bundle } = notice;
  const open = openBundle(notice);
  const isNew = isNewActor(notice);
  const acted_at = isoTime(happened_ms);
  const wanted = wantsTopic(user_id, topicOf(notice), "page");
  return [
    sql`UPDATE notifications SET created_at = max(created_at, ${acted_at}), path = ${bundle?.path}
      WHERE ${open} AND ${isNew} AND ${wanted}`.compile(database),
    insertStatement(notice, path, told, beginsBundle(notice)),
    sql`INSERT INTO notification_actors (occasion, notification_id, actor_user_id, acted_at)
      SELECT ${occasion}, notification_id, ${actor_user_id}, ${acted_at} FROM notifications WHERE ${open} AND ${wanted}
      ON CONFLICT DO NOTHING`.compile(database),
  ];
}

/** How many people one batch notifies. The next outbox row notifies the people after them. */
const BROADCAST_BATCH_SIZE = 500;

/**
 * Returns a reaction that notifies the next people of a broadcast and, in the same batch, enqueues the outbox row that
 * continues after them. Repeating it writes nothing, because occasions and row ids are unique.
 */
function createBroadcastReaction(broadcastOf: BroadcastOf): Reaction {
  return async ({ kind, payload }, { database, now_ms, happened_ms, push, tell }) => {
    const broadcast = await broadcastOf(payload, database, now_ms);
    if (!broadcast) return [];
    const { fan_out_id, after } = payload as FanOut;
    const readers = await broadcast.findReaders(after, BROADCAST_BATCH_SIZE);
    const last = readers.at(-1);
    if (!last) return [];
    tell(readers.map(({ user_id }) => user_id));
    const written = { database, happened_ms };
    const rows = readers.map((reader) => ({
      notification_id: newId(happened_ms),
      user_id: reader.user_id,
      message: broadcast.messageOf(reader),
      occasion: broadcast.occasionOf(reader.user_id),
    }));
    const statements = [
      broadcastStatement(broadcast, rows, written),
      ...broadcastMails(broadcast, readers, written),
      ...(push.public_key ? broadcastPushes(broadcast, rows, written) : []),
    ];
    if (readers.length === BROADCAST_BATCH_SIZE) {
      const next = { kind, payload: { ...payload, after: last } } as OutboxEvent;
      statements.push(continuationStatement(database, `${fan_out_id}-${last.user_id}`, next, happened_ms));
    }
    return statements;
  };
}

/** Returns the statement that enqueues the mails of a broadcast, as {@link mailStatements} does for one notification. */
function broadcastMails(
  broadcast: Broadcast,
  readers: readonly Reader[],
  { database, happened_ms }: Written,
): CompiledQuery[] {
  const kind = mailKindOf(broadcast);
  if (!kind) return [];
  const { actor_user_id, path, type, event_id = null, subject_id = null, occasionOf, messageOf, englishOf } = broadcast;
  const topic = topicOf(broadcast);
  const payloads = readers.map((reader): OutboxEvents["notification_mailed"] => {
    const { user_id } = reader;
    const occasion = occasionOf(user_id);
    const [message, english] = [messageOf(reader), englishOf?.(reader)];
    return { occasion, kind, topic, user_id, actor_user_id, message, english, path, event_id, type, subject_id };
  });
  const insert = sql`INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts)
    SELECT 'mail of ' || (value ->> 'occasion'), 'notification_mailed', value, ${isoTime(happened_ms)}, 0
    FROM json_each(${JSON.stringify(payloads)}) WHERE ${wantsTopic(sql`value ->> 'user_id'`, topic, "mail")}
    ON CONFLICT DO NOTHING`;
  return [insert.compile(database)];
}

/** One reader's part of a broadcast. */
type BroadcastRow = Pick<PushedNotice, "notification_id" | "user_id" | "message" | "occasion">;

/** Returns the statement that enqueues the push notifications of a broadcast. */
function broadcastPushes(broadcast: Broadcast, rows: readonly BroadcastRow[], written: Written): CompiledQuery[] {
  const { type, actor_user_id, path, event_id = null, subject_id = null } = broadcast;
  const topic = topicOf(broadcast);
  const title = pushTitle(topic, type);
  if (title === null) return [];
  const about = { type, event_id, subject_id };
  const pushed = rows.map(
    (row): PushedNotice => ({ ...row, topic, title, actor_user_id, path, collapse: row.occasion, ...about }),
  );
  return [enqueuePushes(pushed, topic, written)];
}

function broadcastStatement(
  broadcast: Broadcast,
  rows: readonly BroadcastRow[],
  { database, happened_ms }: Written,
): CompiledQuery {
  const { type, actor_user_id, path } = broadcast;
  return sql`INSERT INTO notifications (notification_id, user_id, type, actor_user_id, message, path, occasion, is_opened,
      created_at, event_id, subject_id)
    SELECT value ->> 'notification_id', value ->> 'user_id', ${type}, ${actor_user_id}, value ->> 'message', ${path},
      value ->> 'occasion', 0, ${isoTime(happened_ms)}, ${broadcast.event_id ?? null},
      ${broadcast.subject_id ?? null}
    FROM json_each(${JSON.stringify(rows)})
    WHERE ${wantsTopic(sql`value ->> 'user_id'`, topicOf(broadcast), "page")}
    ON CONFLICT (occasion) DO NOTHING`.compile(database);
}
