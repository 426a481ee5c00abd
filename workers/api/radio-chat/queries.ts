import { sql } from "kysely";
import { CHAT_EMOJI } from "../../contract/chat-socket.ts";
import type { ChatRoom } from "../../contract/radio-chat.ts";
import { firstIdAt } from "../../kernel/ids.ts";
import { isNotByBlockedUser } from "../blocks/queries.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { splitKey } from "../storage/personal-data.ts";
import { readUser, userJson } from "../users/queries.ts";
import { messageQuery, readMessage } from "./messages.ts";
import { refusalOfCaller } from "./writing.ts";

/** The messages that the caller sees: not those of disabled accounts, nor of people whom the caller has blocked. */
const shownQuery = (context: RequestContext, radio_id: string) =>
  messageQuery(context.database)
    .where("radio_id", "=", radio_id)
    .where(isUserEnabled("radio_chat_messages.user_id"))
    .where(isNotByBlockedUser(context, "radio_chat_messages.user_id"));

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

/** Lists the people whom a broadcaster restricted, newest first. */
export async function listRestrictees(
  { database }: RequestContext,
  owner_user_id: string,
  { limit, next_page_token }: { limit: number; next_page_token?: string | undefined },
) {
  let query = database
    .selectFrom("radio_chat_restrictions")
    .select(["user_id", "created_at", userJson("radio_chat_restrictions.user_id").as("person")])
    .where("owner_user_id", "=", owner_user_id);
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
