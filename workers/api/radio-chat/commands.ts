import { type CompiledQuery, sql } from "kysely";
import type { ChatLetterPost, ChatPost, Posted } from "../../contract/chat-engine.ts";
import { type CHAT_EMOJI, CHAT_SOCKET_PATH } from "../../contract/chat-names.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import type { ChatMessage } from "../../contract/radio-chat.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { runBatch, type Statement } from "../../storage/commit.ts";
import { isNotBlocked } from "../blocks/queries.ts";
import {
  commitAnswer,
  commitLimited,
  memberId,
  type RequestContext,
  signInOf,
  type Viewing,
  viewerId,
} from "../http/request-context.ts";
import { findHearableRadio } from "../radios/queries.ts";
import { IdempotencyRace, type Precondition } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { findChatMessage, findPinned, messageQuery, readMessage, refusalOf, refusalOfCaller } from "./queries.ts";
import { CHAT_LIMIT, CHAT_REACTION_LIMIT, CHAT_SETTINGS_LIMIT, foldText } from "./rules.ts";
import { CHAT_TOKEN_MS, signChatToken } from "./tokens.ts";

type Emoji = (typeof CHAT_EMOJI)[number];

/**
 * Returns a token for the socket of a radio on air. With the chat off, only captions come over it. Throws `not_found` for a
 * radio that the caller may not hear, and `chat_closed` unless it is on air.
 */
export async function createChatRoomToken(context: RequestContext, radio_id: string) {
  const { database, now_ms, media_key, chat, address_hash, url_key_hash = null } = context;
  const user_id = viewerId(context);
  const [radio, state, people_count] = await Promise.all([
    findHearableRadio(context, radio_id),
    database
      .selectFrom("radios")
      .select(refusalOfCaller(context, radio_id).as("refusal"))
      .where("radio_id", "=", radio_id)
      .executeTakeFirst(),
    chat.countPeople(radio_id),
  ]);
  if (!radio) throw new Problem("not_found");
  if (radio.status !== "on_air") throw new Problem("chat_closed");
  const expires_ms = now_ms + CHAT_TOKEN_MS;
  const holder = user_id ?? `address_${address_hash?.slice(0, 32) ?? "unknown"}`;
  const sign_in = user_id === null ? null : signInOf(context);
  const token = await signChatToken({ radio_id, user_id, sign_in, url_key_hash, holder }, expires_ms, media_key);
  const socket_path = `${CHAT_SOCKET_PATH}${radio_id}?${new URLSearchParams({ token })}`;
  return { token, socket_path, may_write: state?.refusal === null, people_count, expires_at: isoTime(expires_ms) };
}

/**
 * Hands a message to the room of the radio, which writes it in its turn. Throws `not_found` for a radio that the caller
 * may not hear, `blocked`, `chat_closed`, `chat_restricted`, `chat_word_refused`, `chat_slow_mode`, `too_many_requests`.
 */
export async function createChatMessage(context: RequestContext, radio_id: string, message: string) {
  const { url_key_hash = null, idempotency } = context;
  const user_id = memberId(context);
  const posted = await context.chat.post({ radio_id, user_id, url_key_hash, message, idempotency });
  if ("message_id" in posted) return { message_id: posted.message_id, created_at: posted.created_at };
  if ("is_repeated" in posted) throw new IdempotencyRace();
  const { code, retry_after_s } = posted;
  throw new Problem(code, retry_after_s === undefined ? {} : { retry_after_s });
}

/** Deletes a message for its writer or the radio's owner. Throws `not_found` for everybody else. */
export async function deleteChatMessage(context: RequestContext, radio_id: string, message_id: string): Promise<null> {
  const user_id = memberId(context);
  const found = await findChatMessage(context, radio_id, message_id);
  if (!found || ![found.user_id, found.owner_user_id].includes(user_id)) throw new Problem("not_found");
  const statement = context.database.deleteFrom("radio_chat_messages").where("message_id", "=", message_id).compile();
  await commitAnswer(context, { statements: [statement] }, null);
  await context.chat.tell(radio_id, { type: "deleted", message_id });
  return null;
}

/**
 * Pins a message on a radio of the caller's. The moment is a chapter of the recording: now, or that of the message when
 * the radio has ended. Throws `not_found` when the radio is not the caller's.
 */
export async function pinChatMessage(
  context: RequestContext,
  radio_id: string,
  message_id: string,
): Promise<{ pinned_at: string }> {
  const found = await findOwnMessage(context, radio_id, message_id);
  if (found.pinned_at !== null) return { pinned_at: found.pinned_at };
  const pinned_at = found.status === "on_air" ? isoTime(context.now_ms) : found.created_at;
  await setPin(context, radio_id, message_id, pinned_at);
  return { pinned_at };
}

/** Unpins a message on a radio of the caller's; idempotent. Throws `not_found` when the radio is not the caller's. */
export async function unpinChatMessage(context: RequestContext, radio_id: string, message_id: string): Promise<null> {
  await findOwnMessage(context, radio_id, message_id);
  await setPin(context, radio_id, message_id, null);
  return null;
}

async function findOwnMessage(context: RequestContext, radio_id: string, message_id: string) {
  const user_id = memberId(context);
  const found = await findChatMessage(context, radio_id, message_id);
  if (found?.owner_user_id !== user_id) throw new Problem("not_found");
  return found;
}

async function setPin(context: RequestContext, radio_id: string, message_id: string, pinned_at: string | null) {
  const statement = context.database
    .updateTable("radio_chat_messages")
    .set({ pinned_at })
    .where("message_id", "=", message_id)
    .compile();
  const holds = sql`EXISTS (SELECT 1 FROM radio_chat_messages WHERE message_id = ${message_id})`;
  const answer = pinned_at === null ? null : { pinned_at };
  await commitAnswer(context, { preconditions: [{ code: "not_found", holds }], statements: [statement] }, answer);
  const pin = { type: "pinned", message_id, pinned_at } as const;
  if (pinned_at === null) return context.chat.tell(radio_id, pin);
  const { message, blockers } = await findPinned(context, radio_id, message_id);
  await context.chat.tell(radio_id, { ...pin, ...(message && { message }) }, undefined, blockers);
}

/** Counts an emoji, and shows it in the room. Throws as {@link createChatMessage} does, except for words and slow mode. */
export async function reactInChat(context: RequestContext, radio_id: string, emoji: Emoji) {
  const { database } = context;
  const user_id = memberId(context);
  const refusal = refusalOf(context, radio_id, user_id);
  const codes = ["not_found", "account_left", "chat_closed", "blocked", "chat_restricted"] as const;
  const found = await database
    .selectFrom("radios")
    .select(
      sql<number>`coalesce((SELECT times FROM radio_chat_reactions
        WHERE radio_chat_reactions.radio_id = radios.radio_id AND emoji = ${emoji}), 0)`.as("times"),
    )
    .where("radio_id", "=", radio_id)
    .executeTakeFirst();
  if (!found) throw new Problem("not_found");
  const statement = database
    .insertInto("radio_chat_reactions")
    .values({ radio_id, emoji, times: 1 })
    .onConflict((conflict) => conflict.columns(["radio_id", "emoji"]).doUpdateSet({ times: sql`times + 1` }))
    .compile();
  const preconditions = codes.map((code): Precondition => ({ code, holds: sql`${refusal} IS NOT ${sql.lit(code)}` }));
  const answer = { emoji, times: found.times + 1 };
  await commitLimited(context, CHAT_REACTION_LIMIT, user_id, { preconditions, statements: [statement] }, answer);
  await context.chat.tell(radio_id, { type: "reaction", ...answer });
  return answer;
}

/** Sets slow mode and NG words of a radio of the caller's. Throws `not_found`, `too_many_requests`. */
export async function updateChatRoom(
  context: RequestContext,
  radio_id: string,
  given: { slow_mode_seconds: number; ng_words: string[] },
) {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const ng_words = [...new Set(given.ng_words)];
  // A word of unseen characters alone would be part of every message.
  const folded = [...new Set(ng_words.map(foldText))].filter((word) => word !== "");
  const settings = {
    slow_mode_seconds: given.slow_mode_seconds,
    ng_words: JSON.stringify(ng_words),
    folded_ng_words: JSON.stringify(folded),
    updated_at: isoTime(now_ms),
  };
  const statement = database
    .insertInto("radio_chat_rooms")
    .values({ radio_id, ...settings })
    .onConflict((conflict) => conflict.column("radio_id").doUpdateSet(settings))
    .compile();
  const holds = sql`EXISTS (SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND user_id = ${user_id})`;
  const change = { preconditions: [{ code: "not_found" as const, holds }], statements: [statement] };
  const answer = { slow_mode_seconds: given.slow_mode_seconds, ng_words };
  return commitLimited(context, CHAT_SETTINGS_LIMIT, user_id, change, answer);
}

/**
 * Restricts a person in the chats of all the caller's radios; idempotent. Throws `cannot_restrict_yourself`, and
 * `not_found` when the person does not exist.
 */
export async function restrictRadioChat(context: RequestContext, user_id: string): Promise<{ is_restricted: true }> {
  const { database, now_ms } = context;
  const owner_user_id = memberId(context);
  if (owner_user_id === user_id) throw new Problem("cannot_restrict_yourself");
  const statement = database
    .insertInto("radio_chat_restrictions")
    .values({ owner_user_id, user_id, created_at: isoTime(now_ms) })
    .onConflict((conflict) => conflict.doNothing())
    .compile();
  const holds = sql`EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND left_at IS NULL)`;
  const answer = { is_restricted: true } as const;
  await commitAnswer(context, { preconditions: [{ code: "not_found", holds }], statements: [statement] }, answer);
  await tellRestriction(context, user_id, true);
  return answer;
}

/** Ends a restriction; idempotent. */
export async function unrestrictRadioChat(context: RequestContext, user_id: string): Promise<null> {
  const statement = context.database
    .deleteFrom("radio_chat_restrictions")
    .where("owner_user_id", "=", memberId(context))
    .where("user_id", "=", user_id)
    .compile();
  await commitAnswer(context, { statements: [statement] }, null);
  await tellRestriction(context, user_id, false);
  return null;
}

/** Tells the person's open pages in the chat of the caller's radio on air. */
async function tellRestriction(context: RequestContext, user_id: string, is_restricted: boolean): Promise<void> {
  const radio = await context.database
    .selectFrom("radios")
    .select("radio_id")
    .where("user_id", "=", memberId(context))
    .where("status", "=", sql.lit("on_air"))
    .executeTakeFirst();
  if (radio) await context.chat.tell(radio.radio_id, { type: "restriction", is_restricted }, user_id);
}

/** A message or letter with the moment that the room gave it. No two of a room have the same. */
export interface DatedPost {
  post: ChatPost | ChatLetterPost;
  at_ms: number;
}

export interface Written {
  /** The outcome of each message, in the order of `posts`. */
  outcomes: Posted[];
  /** The messages that were written, in order. */
  messages: ChatMessage[];
  /** For each writer, the people who have blocked the writer: they do not see the messages. */
  blockers: Map<string, Set<string>>;
}

/**
 * Returns the statement that writes the line of a letter to the broadcaster: once, while the radio is on air with its chat
 * on. The letter of a restricted, blocked, disabled or left person has no line, unless it is anonymous: a missing line
 * would tell who sent it.
 * Names the sender unless they withheld their name; in a radio for holders of a key only if the letter is public, because
 * nobody could tell its sender of that radio.
 */
function letterStatement(database: Database, { radio_id, ofuse_id }: ChatLetterPost, message_id: string, now: string) {
  const sender = sql`letter.sender_user_id`;
  const owner = sql`radios.user_id`;
  return sql`INSERT INTO radio_chat_messages (message_id, radio_id, user_id, ofuse_id, created_at)
    SELECT ${message_id}, radios.radio_id,
      CASE WHEN letter.is_anonymous = 0 AND (letter.is_public = 1 OR radios.publish_target_type <> 'url')
        THEN ${sender} END,
      letter.ofuse_id, ${now}
    FROM ofuses AS letter JOIN radios ON radios.user_id = letter.receiver_user_id
    WHERE letter.ofuse_id = ${ofuse_id} AND radios.radio_id = ${radio_id}
      AND radios.status = 'on_air' AND radios.is_chat_on = 1 AND letter.created_at >= radios.started_at
      AND letter.removed_at IS NULL AND letter.hidden_at IS NULL
      AND (letter.is_anonymous = 1 OR (
        NOT EXISTS (SELECT 1 FROM users WHERE users.user_id = ${sender}
          AND (users.disabled_at IS NOT NULL OR users.left_at IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM radio_chat_restrictions AS restriction
          WHERE restriction.owner_user_id = ${owner} AND restriction.user_id = ${sender})
        AND ${isNotBlocked(owner, sender)}))
      AND NOT EXISTS (SELECT 1 FROM radio_chat_messages AS line WHERE line.ofuse_id = letter.ofuse_id)`.compile(
    database,
  );
}

/** SQL: as `statusAt` of contract/maintenance-status.ts. Both ends of the window are under maintenance. */
const isUnderMaintenance = (now: string) =>
  sql`EXISTS (SELECT 1 FROM maintenance WHERE singleton = 1 AND started_at <= ${now}
    AND (finished_at IS NULL OR finished_at >= ${now}))`;

/**
 * Returns the statements of one message. They check each condition in the batch that writes, so that a restriction or a
 * block holds at once.
 */
function statementsOf(database: Database, post: ChatPost, at_ms: number, message_id: string) {
  const { radio_id, user_id, url_key_hash, idempotency } = post;
  const now = isoTime(at_ms);
  const scope = `${CHAT_LIMIT.act} ${user_id}`;
  // Slow mode counts what was said in this radio. Messages would not do: their writer can delete them.
  const scope_here = `${scope} ${radio_id}`;
  const is_owner = sql`EXISTS (SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND user_id = ${user_id})`;
  const room = sql`FROM radio_chat_rooms AS room WHERE room.radio_id = ${radio_id}`;
  const latest = sql<string | null>`(SELECT max(acted_at) FROM limited_acts WHERE scope = ${scope_here})`;
  const viewing: Viewing = { now_ms: at_ms, caller: { user_id }, ...(url_key_hash !== null && { url_key_hash }) };
  const refusal = refusalOf(viewing, radio_id, user_id, [
    // The web worker refuses calls under maintenance, but sees no message of an open socket.
    [isUnderMaintenance(now), "under_maintenance"],
    [
      sql`NOT ${is_owner} AND EXISTS (SELECT 1 ${room} AND EXISTS (
          SELECT 1 FROM json_each(room.folded_ng_words) WHERE instr(${foldText(post.message)}, json_each.value) > 0))`,
      "chat_word_refused",
    ],
    [
      sql`NOT ${is_owner} AND EXISTS (SELECT 1 ${room} AND room.slow_mode_seconds > 0
          AND ${latest} > strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || room.slow_mode_seconds || ' seconds'))`,
      "chat_slow_mode",
    ],
    [
      sql`(SELECT COUNT(*) >= ${CHAT_LIMIT.times} FROM limited_acts
          WHERE scope = ${scope} AND acted_at > ${isoTime(at_ms - CHAT_LIMIT.window_ms)})`,
      "too_many_requests",
    ],
  ]);
  const is_written = sql`EXISTS (SELECT 1 FROM radio_chat_messages WHERE message_id = ${message_id})`;
  const is_repeated = idempotency
    ? sql<number>`EXISTS (SELECT 1 FROM idempotency_keys
        WHERE scope = ${idempotency.scope} AND idempotency_key = ${idempotency.key}
          AND created_at >= ${idempotency.counts_from ?? ""})`
    : sql<number>`0`;
  const checked = sql<Checked>`SELECT ${refusal} AS refusal, ${is_repeated} AS is_repeated, ${latest} AS latest_at,
    (SELECT slow_mode_seconds ${room}) AS slow_mode_seconds`;
  const written = [
    sql`INSERT INTO radio_chat_messages (message_id, radio_id, user_id, message, created_at)
      SELECT ${message_id}, ${radio_id}, ${user_id}, ${post.message}, ${now}
      WHERE NOT ${is_repeated} AND ${refusal} IS NULL`,
    sql`INSERT INTO limited_acts (scope, acted_at, act_id)
      SELECT value, ${now}, ${message_id} FROM json_each(${JSON.stringify([scope, scope_here])}) WHERE ${is_written}`,
  ];
  if (idempotency) {
    const { scope: of, key, body_hash, status } = idempotency;
    const answer = JSON.stringify({ message_id, created_at: now });
    // Only a row that no longer counts is replaced: with any other, the message is not written.
    written.push(sql`INSERT OR REPLACE INTO idempotency_keys
        (scope, idempotency_key, body_hash, status, answer, created_at)
      SELECT ${of}, ${key}, ${body_hash}, ${status}, ${answer}, ${now} WHERE ${is_written}`);
  }
  return { checked: checked.compile(database), written: written.map((each) => each.compile(database)) };
}

interface Checked {
  refusal: ErrorCode | null;
  is_repeated: number;
  latest_at: string | null;
  slow_mode_seconds: number | null;
}

/**
 * Writes messages and letters of one room in their order, in one batch. Messages that are refused do not stop the others.
 * The outcome of a letter without a line is `not_found`.
 */
export async function writeMessages(d1: D1Database, database: Database, posts: readonly DatedPost[]): Promise<Written> {
  const ids = posts.map(({ at_ms }) => newId(at_ms));
  const each = posts.map(({ post, at_ms }, n) => {
    const message_id = ids[n] ?? "";
    if ("user_id" in post) return statementsOf(database, post, at_ms, message_id);
    return { checked: null, written: [letterStatement(database, post, message_id, isoTime(at_ms))] };
  });
  const statements: Statement[] = each.flatMap(({ checked, written }) => (checked ? [checked, ...written] : written));
  const rows = await runBatch(d1, [
    ...statements,
    messageQuery(database).where("message_id", "in", ids).orderBy("message_id"),
    database
      .selectFrom("blocks")
      .select(["blocker_id", "blocking_id"])
      .where("blocking_id", "in", (inner) =>
        inner.selectFrom("radio_chat_messages").select("user_id").where("message_id", "in", ids).$castTo<string>(),
      ),
  ]);
  const [found = [], blocks = []] = rows.slice(statements.length) as [
    Parameters<typeof readMessage>[0][],
    { blocker_id: string; blocking_id: string }[],
  ];
  const messages = found.map(readMessage);
  const written_ids = new Set(messages.map(({ message_id }) => message_id));
  let at = 0;
  const outcomes = each.map(({ checked: is_checked, written }, n): Posted => {
    const [checked] = is_checked ? (rows[at] as Checked[]) : [];
    at += written.length + (is_checked ? 1 : 0);
    const { at_ms = 0 } = posts[n] ?? {};
    const message_id = ids[n] ?? "";
    if (written_ids.has(message_id)) return { message_id, created_at: isoTime(at_ms) };
    if (!is_checked) return { code: "not_found" };
    if (!checked?.refusal || checked.is_repeated === 1) return { is_repeated: true };
    return { code: checked.refusal, retry_after_s: retryAfter(checked, at_ms) };
  });
  const blockers = new Map(
    [...Map.groupBy(blocks, ({ blocking_id }) => blocking_id)].map(([writer, list]) => [
      writer,
      new Set(list.map(({ blocker_id }) => blocker_id)),
    ]),
  );
  return { outcomes, messages, blockers };
}

function retryAfter({ refusal, latest_at, slow_mode_seconds }: Checked, at_ms: number): number | undefined {
  if (refusal === "too_many_requests") return CHAT_LIMIT.window_ms / 1000;
  if (refusal !== "chat_slow_mode" || latest_at === null) return undefined;
  return Math.max(1, Math.ceil((Date.parse(latest_at) - at_ms) / 1000 + (slow_mode_seconds ?? 0)));
}

/** Returns the statement that adds chapters to an imported radio of the caller's: messages of theirs that are pinned. */
export function addImportedPins(
  context: RequestContext,
  radio_id: string,
  pins: readonly { message: string; pinned_at: string; created_at: string }[],
): CompiledQuery {
  const rows = pins.map((pin) => ({ message_id: newId(Date.parse(pin.created_at)), ...pin }));
  return sql`INSERT INTO radio_chat_messages (message_id, radio_id, user_id, message, pinned_at, created_at)
    SELECT value ->> 'message_id', ${radio_id}, ${memberId(context)}, value ->> 'message', value ->> 'pinned_at',
      value ->> 'created_at' FROM json_each(${JSON.stringify(rows)})`.compile(context.database);
}
