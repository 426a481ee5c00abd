import { type RawBuilder, sql } from "kysely";
import type { ArchivedRadio } from "../../contract/archive.ts";
import { CHAT_EMOJI } from "../../contract/chat-names.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import type { ChatMessage, ChatRoom } from "../../contract/radio-chat.ts";
import { firstIdAt } from "../../kernel/ids.ts";
import { isNotBlocked, isNotByBlockedGuest, isNotReported } from "../blocks/queries.ts";
import { memberId, type RequestContext, type Viewing, viewerId } from "../http/request-context.ts";
import { isLetterEnabled } from "../ofuses/queries.ts";
import { isHearableBy, requireHearableRadio, wasHearable } from "../radios/queries.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { splitKey } from "../storage/personal-data.ts";
import { readUser, userJson } from "../users/queries.ts";
import { letterWords, toChatLetter } from "./rules.ts";
import type { ChatTicket } from "./tokens.ts";

/** Selects messages with every column that listeners see. The amount of a letter is for those that are public. */
export const messageQuery = (database: Database) =>
  database
    .selectFrom("radio_chat_messages")
    .select(["message_id", "message", "pinned_at", "created_at"])
    .select([
      sql<string | null>`${userJson("radio_chat_messages.user_id")}`.as("writer"),
      sql<string | null>`(SELECT json_object('amount', amount, 'is_public', is_public, 'stamp_id', stamp_id)
        FROM ofuses WHERE ofuses.ofuse_id = radio_chat_messages.ofuse_id)`.as("letter"),
    ]);
type MessageRow = Awaited<ReturnType<ReturnType<typeof messageQuery>["executeTakeFirstOrThrow"]>>;

/** Returns a message from a row of {@link messageQuery}. */
export function readMessage({ writer, letter, message, ...row }: MessageRow): ChatMessage {
  const user = writer === null ? null : readUser(writer);
  if (letter === null) return { ...row, user, message: message ?? "", letter: null };
  const { amount, is_public, stamp_id } = JSON.parse(letter);
  const shown = toChatLetter({ amount, is_public: is_public === 1, stamp_id });
  return { ...row, user, message: letterWords(shown, user?.name ?? null), letter: shown };
}

/** SQL for the broadcaster of a radio. */
const ownerOf = (radio_id: string) => sql`(SELECT user_id FROM radios WHERE radio_id = ${radio_id})`;

/** SQL for a reason against a message, and its code. */
type Case = [holds: RawBuilder<unknown>, code: ErrorCode];

/**
 * SQL: the code of the first reason why the person may not take part in the chat of the radio now; NULL without one.
 *
 * @param others further cases, checked last.
 */
export function refusalOf(viewing: Viewing, radio_id: string, user_id: string, others: readonly Case[] = []) {
  const owner = ownerOf(radio_id);
  const codes: Case[] = [
    [wasHearable(viewing, radio_id), "chat_closed"],
    [sql`NOT coalesce((${requireHearableRadio(viewing, radio_id).holds}), 0)`, "not_found"],
    [sql`EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND disabled_at IS NOT NULL)`, "account_disabled"],
    [sql`NOT EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND left_at IS NULL)`, "account_left"],
    [
      sql`NOT EXISTS (SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND status = 'on_air' AND is_chat_on = 1)`,
      "chat_closed",
    ],
    [sql`NOT (${isNotBlocked(user_id, owner)})`, "blocked"],
    [
      sql`EXISTS (SELECT 1 FROM radio_chat_restrictions WHERE owner_user_id = ${owner} AND user_id = ${user_id})`,
      "chat_restricted",
    ],
    ...others,
  ];
  const cases = codes.map(([holds, code]) => sql`WHEN ${holds} THEN ${sql.lit(code)}`);
  return sql<ErrorCode | null>`(CASE ${sql.join(cases, sql` `)} END)`;
}

/** As {@link refusalOf}, for the caller. Visitors only read. */
export function refusalOfCaller(context: Viewing, radio_id: string) {
  const user_id = viewerId(context);
  return user_id === null ? sql<ErrorCode | null>`'unauthenticated'` : refusalOf(context, radio_id, user_id);
}

/**
 * The messages that the caller sees: not those of disabled accounts, nor, unless the caller is the broadcaster, of
 * people whom the caller has blocked. A letter without a name stays after its sender was blocked or disabled: its
 * absence would tell who sent it.
 */
const shownQuery = (context: RequestContext, radio_id: string) =>
  messageQuery(context.database)
    .where("radio_id", "=", radio_id)
    .where(isUserEnabled("radio_chat_messages.user_id"))
    .where(
      sql<boolean>`(radio_chat_messages.user_id IS NULL
        OR ${isNotByBlockedGuest(context, "radio_chat_messages.user_id", ownerOf(radio_id))})`,
    )
    .where(
      sql<boolean>`(radio_chat_messages.ofuse_id IS NULL OR EXISTS (SELECT 1 FROM ofuses
        WHERE ofuses.ofuse_id = radio_chat_messages.ofuse_id AND ofuses.removed_at IS NULL AND ofuses.hidden_at IS NULL
          AND ${isLetterEnabled} AND ${isNotReported(context, "ofuse", "ofuses.ofuse_id")}))`,
    );

export interface ChatPage {
  limit: number;
  from_date?: string | undefined;
  direction: "older" | "newer";
  next_page_token?: string | undefined;
}

/**
 * Lists messages of a radio in the order in which they were written: the last ones before `from_date` or the token, or
 * the first ones after them. Does not check access to the radio.
 */
export async function listChatMessages(context: RequestContext, radio_id: string, page: ChatPage) {
  const { limit, from_date, direction, next_page_token } = page;
  const is_older = direction === "older";
  let query = shownQuery(context, radio_id);
  if (from_date !== undefined) {
    query = query.where("message_id", is_older ? "<" : ">=", firstIdAt(Date.parse(from_date)));
  }
  if (next_page_token !== undefined) query = query.where("message_id", is_older ? "<" : ">", next_page_token);
  const rows = await query
    .orderBy("message_id", is_older ? "desc" : "asc")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)?.message_id : undefined;
  const messages = (is_older ? shown.reverse() : shown).map(readMessage);
  return { messages, next_page_token: last ?? null };
}

/** The most pinned messages that a room shows. */
const PINNED = 100;

/** Returns the room of a radio as the caller sees it. Does not check access to the radio. */
export async function findChatRoom(
  context: RequestContext,
  radio_id: string,
  owner_user_id: string,
): Promise<ChatRoom> {
  const { database } = context;
  const viewer = viewerId(context);
  const [room, pinned, reactions] = await Promise.all([
    database
      .selectFrom("radios")
      .leftJoin("radio_chat_rooms", "radio_chat_rooms.radio_id", "radios.radio_id")
      .select(["slow_mode_seconds", "ng_words"])
      .select([
        sql<number>`status = 'on_air' AND is_chat_on = 1`.as("is_open"),
        refusalOfCaller(context, radio_id).as("refusal"),
      ])
      .where("radios.radio_id", "=", radio_id)
      .executeTakeFirst(),
    shownQuery(context, radio_id)
      .where("pinned_at", "is not", null)
      .orderBy("pinned_at")
      .orderBy("message_id")
      .limit(PINNED)
      .execute(),
    database.selectFrom("radio_chat_reactions").select(["emoji", "times"]).where("radio_id", "=", radio_id).execute(),
  ]);
  const times = new Map(reactions.map((each) => [each.emoji, each.times]));
  return {
    is_open: room?.is_open === 1,
    may_write: room?.refusal === null,
    is_restricted: room?.refusal === "chat_restricted",
    slow_mode_seconds: room?.slow_mode_seconds ?? 0,
    ng_words: viewer === owner_user_id ? JSON.parse(room?.ng_words ?? "[]") : null,
    pinned_messages: pinned.map(readMessage),
    reactions: CHAT_EMOJI.map((emoji) => ({ emoji, times: times.get(emoji) ?? 0 })),
  };
}

/** Returns a message of the radio, with the radio's owner; null when there is none. */
export async function findChatMessage({ database }: RequestContext, radio_id: string, message_id: string) {
  const row = await database
    .selectFrom("radio_chat_messages")
    .innerJoin("radios", "radios.radio_id", "radio_chat_messages.radio_id")
    .select(["radio_chat_messages.user_id", "radios.user_id as owner_user_id", "status", "pinned_at"])
    .select("radio_chat_messages.created_at")
    .where("message_id", "=", message_id)
    .where("radio_chat_messages.radio_id", "=", radio_id)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Returns a message as the listeners of the caller's radio see it, undefined when they do not, and the people who have blocked
 * its writer. The caller, who has pinned it, is not among them.
 */
export async function findPinned(context: RequestContext, radio_id: string, message_id: string) {
  const { database } = context;
  const [row, blocks] = await Promise.all([
    shownQuery(context, radio_id).where("message_id", "=", message_id).executeTakeFirst(),
    database
      .selectFrom("blocks")
      .innerJoin("radio_chat_messages", "radio_chat_messages.user_id", "blocks.blocking_id")
      .select("blocker_id")
      .where("message_id", "=", message_id)
      .where("blocker_id", "<>", memberId(context))
      .execute(),
  ]);
  return { message: row && readMessage(row), blockers: blocks.map(({ blocker_id }) => blocker_id) };
}

/** A reader of a chat: a member or, with null, a visitor, and the hash of the radio's key that opened the socket. */
export type Hearer = Pick<ChatTicket, "user_id" | "url_key_hash">;

/**
 * Returns the indexes of the readers that may hear the radio now: none unless it is on air, and no member whose account is
 * disabled or gone.
 */
export async function findHearers(
  database: Database,
  { radio_id, hearers, now_ms }: { radio_id: string; hearers: readonly Hearer[]; now_ms: number },
): Promise<Set<number>> {
  const user_id = sql`json_each.value ->> 'user_id'`;
  const is_hearable = isHearableBy(user_id, sql`json_each.value ->> 'url_key_hash'`, now_ms);
  const { rows } = await sql<{ n: number }>`SELECT json_each.key AS n
    FROM radios CROSS JOIN json_each(${JSON.stringify(hearers)})
    WHERE radios.radio_id = ${radio_id} AND radios.status = 'on_air' AND ${is_hearable}
      AND (${user_id} IS NULL OR EXISTS (SELECT 1 FROM users
        WHERE users.user_id = ${user_id} AND users.disabled_at IS NULL AND users.left_at IS NULL))`.execute(database);
  return new Set(rows.map(({ n }) => n));
}

/** Lists the people whom a broadcaster restricted, newest first. */
export async function listRestrictees(
  { database }: RequestContext,
  owner_user_id: string,
  {
    limit,
    next_page_token,
    "user_id[]": among,
  }: { limit: number; next_page_token?: string | undefined; "user_id[]"?: string[] | undefined },
) {
  let query = database
    .selectFrom("radio_chat_restrictions")
    .select(["user_id", "created_at", userJson("radio_chat_restrictions.user_id").as("person")])
    .where("owner_user_id", "=", owner_user_id);
  if (among) query = query.where("user_id", "in", oneOf(among));
  if (next_page_token !== undefined) {
    const [at, user_id] = splitKey(next_page_token.replace("_", " "));
    query = query.where(sql<boolean>`created_at <= ${at} AND NOT (created_at = ${at} AND user_id <= ${user_id})`);
  }
  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("user_id")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    restrictees: shown.map(({ person, created_at }) => ({ user: readUser(person), created_at })),
    next_page_token: last ? `${last.created_at}_${last.user_id}` : null,
  };
}

/** Returns the chapters of some radios that are a person's own words, in their order. Letters are the words of their senders. */
export async function findOwnPins(
  database: Database,
  radio_ids: readonly string[],
  user_id: string,
): Promise<Map<string, ArchivedRadio["chapters"]>> {
  const { rows } = await sql<{ radio_id: string; pins: string }>`SELECT value AS radio_id, (
      SELECT json_group_array(json_object('message', coalesce(message, ''), 'pinned_at', pinned_at,
        'created_at', created_at) ORDER BY pinned_at, message_id) FROM (
          SELECT message, pinned_at, created_at, message_id FROM radio_chat_messages
          WHERE radio_id = json_each.value AND pinned_at IS NOT NULL AND user_id = ${user_id} AND ofuse_id IS NULL
          ORDER BY pinned_at, message_id LIMIT ${PINNED})) AS pins
    FROM json_each(${JSON.stringify(radio_ids)})`.execute(database);
  return new Map(rows.map(({ radio_id, pins }) => [radio_id, JSON.parse(pins)]));
}
