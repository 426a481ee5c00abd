import { type RawBuilder, sql } from "kysely";
import type { ErrorCode } from "../../contract/errors.ts";
import type { ChatMessage } from "../../contract/radio-chat.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { runBatch, type Statement } from "../../storage/commit.ts";
import { type Viewing, viewerId } from "../http/request-context.ts";
import { requireHearableRadio } from "../radios/queries.ts";
import type { Database } from "../storage/database.ts";
import { messageQuery, readMessage } from "./messages.ts";
import type { ChatPost, Posted } from "./rooms.ts";
import { CHAT_LIMIT, foldText } from "./rules.ts";

/** A message with the moment that the room gave it. No two messages of a room have the same. */
export interface DatedPost {
  post: ChatPost;
  at_ms: number;
}

export interface Written {
  /** What became of each message, in the order of `posts`. */
  outcomes: Posted[];
  /** The messages that were written, in order. */
  messages: ChatMessage[];
  /** For each writer, the people who have blocked the writer: they do not see the messages. */
  blockers: Map<string, Set<string>>;
}

/**
 * SQL: the code of the first reason why the person may not take part in the chat of the radio now; NULL without one.
 *
 * @param others further cases, checked last.
 */
export function refusalOf(viewing: Viewing, radio_id: string, user_id: string, others: RawBuilder<unknown> = sql``) {
  const owner = sql`(SELECT user_id FROM radios WHERE radio_id = ${radio_id})`;
  const codes = [
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
  ] satisfies [RawBuilder<unknown>, ErrorCode][];
  const cases = codes.map(([holds, code]) => sql`WHEN ${holds} THEN ${sql.lit(code)}`);
  return sql<ErrorCode | null>`(CASE ${sql.join(cases, sql` `)} ${others} END)`;
}

/** As {@link refusalOf}, for the caller. Visitors only read. */
export function refusalOfCaller(context: Viewing, radio_id: string) {
  const user_id = viewerId(context);
  return user_id === null ? sql<ErrorCode | null>`'unauthenticated'` : refusalOf(context, radio_id, user_id);
}

/** SQL: whether neither the person nor an owner, whom SQL finds, has blocked the other: see blocks/queries.ts. */
const isNotBlocked = (user_id: string, owner: RawBuilder<unknown>) => sql`NOT EXISTS (SELECT 1 FROM blocks
  WHERE (blocker_id = ${user_id} AND blocking_id = ${owner}) OR (blocker_id = ${owner} AND blocking_id = ${user_id}))`;

/**
 * Returns the statements of one message. They check each condition in the batch that writes, so that a restriction or a
 * block holds at once.
 */
function statementsOf(database: Database, { post, at_ms }: DatedPost, message_id: string) {
  const { radio_id, user_id, url_key_hash, idempotency } = post;
  const now = isoTime(at_ms);
  const scope = `${CHAT_LIMIT.act} ${user_id}`;
  const is_owner = sql`EXISTS (SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND user_id = ${user_id})`;
  const room = sql`FROM radio_chat_rooms AS room WHERE room.radio_id = ${radio_id}`;
  const latest = sql<string | null>`(SELECT max(acted_at) FROM limited_acts WHERE scope = ${scope})`;
  const viewing: Viewing = { now_ms: at_ms, caller: { user_id }, ...(url_key_hash !== null && { url_key_hash }) };
  const refusal = refusalOf(
    viewing,
    radio_id,
    user_id,
    sql`WHEN NOT ${is_owner} AND EXISTS (SELECT 1 ${room} AND EXISTS (
          SELECT 1 FROM json_each(room.folded_ng_words) WHERE instr(${foldText(post.message)}, json_each.value) > 0))
        THEN 'chat_word_refused'
      WHEN NOT ${is_owner} AND EXISTS (SELECT 1 ${room} AND room.slow_mode_seconds > 0
          AND ${latest} > strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || room.slow_mode_seconds || ' seconds'))
        THEN 'chat_slow_mode'
      WHEN (SELECT COUNT(*) >= ${CHAT_LIMIT.times} FROM limited_acts
          WHERE scope = ${scope} AND acted_at > ${isoTime(at_ms - CHAT_LIMIT.window_ms)})
        THEN 'too_many_requests'`,
  );
  const is_written = sql`EXISTS (SELECT 1 FROM radio_chat_messages WHERE message_id = ${message_id})`;
  const is_repeated = idempotency
    ? sql<number>`EXISTS (SELECT 1 FROM idempotency_keys
        WHERE scope = ${idempotency.scope} AND idempotency_key = ${idempotency.key})`
    : sql<number>`0`;
  const checked = sql<Checked>`SELECT ${refusal} AS refusal, ${is_repeated} AS is_repeated, ${latest} AS latest_at,
    (SELECT slow_mode_seconds ${room}) AS slow_mode_seconds`;
  const written = [
    sql`INSERT INTO radio_chat_messages (message_id, radio_id, user_id, message, created_at)
      SELECT ${message_id}, ${radio_id}, ${user_id}, ${post.message}, ${now}
      WHERE NOT ${is_repeated} AND ${refusal} IS NULL`,
    sql`INSERT INTO limited_acts (scope, acted_at, act_id) SELECT ${scope}, ${now}, ${message_id} WHERE ${is_written}`,
  ];
  if (idempotency) {
    const { scope: of, key, body_hash, status } = idempotency;
    const answer = JSON.stringify({ message_id, created_at: now });
    written.push(sql`INSERT INTO idempotency_keys (scope, idempotency_key, body_hash, status, answer, created_at)
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

/** Writes messages of one room in their order, in one batch. Messages that are refused do not stop the others. */
export async function writeMessages(d1: D1Database, database: Database, posts: readonly DatedPost[]): Promise<Written> {
  const ids = posts.map(({ at_ms }) => newId(at_ms));
  const each = posts.map((post, n) => statementsOf(database, post, ids[n] ?? ""));
  const writers = [...new Set(posts.map(({ post }) => post.user_id))];
  const statements: Statement[] = each.flatMap(({ checked, written }) => [checked, ...written]);
  const rows = await runBatch(d1, [
    ...statements,
    messageQuery(database).where("message_id", "in", ids).orderBy("message_id"),
    database.selectFrom("blocks").select(["blocker_id", "blocking_id"]).where("blocking_id", "in", writers),
  ]);
  const [found = [], blocks = []] = rows.slice(statements.length) as [
    Parameters<typeof readMessage>[0][],
    { blocker_id: string; blocking_id: string }[],
  ];
  const messages = found.map(readMessage);
  const written_ids = new Set(messages.map(({ message_id }) => message_id));
  let at = 0;
  const outcomes = each.map(({ written }, n): Posted => {
    const [checked] = rows[at] as Checked[];
    at += 1 + written.length;
    const { at_ms = 0 } = posts[n] ?? {};
    const message_id = ids[n] ?? "";
    if (written_ids.has(message_id)) return { message_id, created_at: isoTime(at_ms) };
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
