import { type CompiledQuery, type Selectable, sql } from "kysely";
import type { LetterAppearanceId, StampId } from "../../contract/letter-choices.ts";
import { FREE_OFUSES_A_DAY } from "../../contract/limits.ts";
import type { Ofuse, sendFreeOfuse as sendFreeOfuseOperation } from "../../contract/ofuses.ts";
import type { CheckedInputOf } from "../../contract/operation.ts";
import { isoTime, startOfJapaneseDay } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { findReactions } from "../reactions/queries.ts";
import type { Change, Precondition } from "../storage/commit.ts";
import type { Tables } from "../storage/database.ts";
import { countDailyAct, secondsToTomorrow, withBounds } from "../storage/limits.ts";
import { continuationStatement } from "../storage/outbox.ts";
import { loadUserSummaries, summaryOf } from "../users/queries.ts";
import { findOfuseRow, presentOfuse, presentOfuseRow } from "./queries.ts";
import { pickWritten } from "./rules.ts";

/**
 * Sends a free letter. The answer contains the receiver's automatic reaction. Throws `cannot_ofuse_yourself`,
 * `not_found` (no such person), `blocked`, `free_ofuse_not_accepted`; and with the seconds until the Japanese day ends
 * `free_ofuse_limit_reached` (to this creator), `daily_ofuse_limit_reached`, `daily_public_ofuse_limit_reached`. The
 * batch itself checks the limits.
 */
export async function sendFreeOfuse(
  context: RequestContext,
  input: CheckedInputOf<typeof sendFreeOfuseOperation>["body"],
): Promise<{ ofuse: Ofuse; reaction: string | null }> {
  const { database, now_ms } = context;
  const sender_user_id = memberId(context);
  const { receiver_user_id } = input;
  if (sender_user_id === receiver_user_id) throw new Problem("cannot_ofuse_yourself");
  const receiver = await database
    .selectFrom("users")
    .select("user_id")
    .where("user_id", "=", receiver_user_id)
    .where("left_at", "is", null)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (!receiver) throw new Problem("not_found");
  const row = {
    ofuse_id: newId(now_ms),
    sender_user_id,
    receiver_user_id,
    amount: 0,
    ...pickWritten(input),
    is_public: input.is_public ? 1 : 0,
    opened_at: null,
    liked_at: null,
    reply_message: null,
    replied_at: null,
    created_at: isoTime(now_ms),
    removed_at: null,
    hidden_at: null,
    is_anonymous: 0,
    guest_name: null,
    donation_campaign_id: null,
    donation: 0,
  };
  const change: Change = {
    preconditions: [
      requireNotBlocked(sender_user_id, receiver_user_id),
      {
        code: "free_ofuse_not_accepted",
        holds: sql`SELECT accepts_free_ofuses FROM users WHERE user_id = ${receiver_user_id}`,
      },
      {
        code: "free_ofuse_limit_reached",
        holds: sql`SELECT COUNT(*) < ${FREE_OFUSES_A_DAY} FROM ofuses WHERE sender_user_id = ${sender_user_id}
          AND receiver_user_id = ${receiver_user_id} AND created_at >= ${isoTime(startOfJapaneseDay(now_ms))}
          AND amount = 0`,
        retryAfter: () => secondsToTomorrow(now_ms),
      },
    ],
    announcements: [
      {
        event: { kind: "ofuse_sent", payload: { ofuse_id: row.ofuse_id, amount: 0, sender_user_id, receiver_user_id } },
      },
    ],
    statements: [database.insertInto("ofuses").values(row).compile()],
  };
  const [people, { free_ofuse_message }] = await Promise.all([
    loadUserSummaries(context, [sender_user_id, receiver_user_id]),
    findReactions(context, receiver_user_id),
  ]);
  const ofuse = presentOfuse(sender_user_id, row, {
    campaign_name: null,
    refund_state: null,
    sender: summaryOf(people, sender_user_id),
    receiver: summaryOf(people, receiver_user_id),
  });
  const bounds = [countDailyAct(context, "ofuse", sender_user_id)];
  if (input.is_public) bounds.push(countDailyAct(context, "public_ofuse", sender_user_id));
  return commitAnswer(context, withBounds(change, ...bounds), { ofuse, reaction: free_ofuse_message });
}

/** A letter that was paid for. */
export interface PaidLetter {
  ofuse_id: string;
  /** Null for a guest. */
  sender_user_id: string | null;
  receiver_user_id: string;
  amount: number;
  message: string;
  stamp_id: StampId | null;
  letter_appearance_id: LetterAppearanceId | null;
  donation_campaign_id: string | null;
  /** How much of the amount the campaign gets, in yen. */
  donation: number;
  is_public: boolean;
  is_anonymous: boolean;
  /** The name that a guest gave; null for none, and with an anonymous letter. */
  guest_name: string | null;
}

/**
 * Returns the statements that deliver a paid letter. `outbox_id` is the row that notifies the receiver, without naming the
 * sender of an anonymous letter. The batch throws `account_left` when sender or receiver have left.
 */
export function deliverStatements(
  { database, now_ms }: Pick<RequestContext, "database" | "now_ms">,
  { is_public, is_anonymous, ...letter }: PaidLetter,
  outbox_id: string,
): CompiledQuery[] {
  const { ofuse_id, receiver_user_id, amount } = letter;
  const is_fan_letter = letter.letter_appearance_id !== null;
  const sender_user_id = is_anonymous ? null : letter.sender_user_id;
  return [
    database
      .insertInto("ofuses")
      .values({
        ...letter,
        is_public: Number(is_public),
        is_anonymous: Number(is_anonymous),
        opened_at: null,
        liked_at: null,
        reply_message: null,
        replied_at: null,
        created_at: isoTime(now_ms),
        removed_at: null,
        hidden_at: null,
      })
      .compile(),
    continuationStatement(
      database,
      outbox_id,
      { kind: "ofuse_sent", payload: { ofuse_id, amount, is_fan_letter, sender_user_id, receiver_user_id } },
      now_ms,
    ),
  ];
}

/** The statement that makes a guest's letter a member's. An anonymous letter stays anonymous. */
export function claimStatement(
  { database }: Pick<RequestContext, "database">,
  ofuse_id: string,
  user_id: string,
): CompiledQuery {
  return database
    .updateTable("ofuses")
    .set({ sender_user_id: user_id, guest_name: null })
    .where("ofuse_id", "=", ofuse_id)
    .where("sender_user_id", "is", null)
    .compile();
}

/** Loads a letter that its receiver is about to change. Throws `not_found` for everybody else, its sender included. */
async function findReceivedOfuse(context: RequestContext, ofuse_id: string) {
  const receiver_user_id = memberId(context);
  const row = await findOfuseRow(context, receiver_user_id, ofuse_id);
  if (row?.receiver_user_id !== receiver_user_id) throw new Problem("not_found");
  return row;
}

/**
 * A guest cannot be blocked. An anonymous letter asks for no block: by blocking one fan after the other, its receiver would
 * find the sender.
 */
function requireSenderNotBlocked({
  sender_user_id,
  receiver_user_id,
  is_anonymous,
}: Pick<Selectable<Tables["ofuses"]>, "sender_user_id" | "receiver_user_id" | "is_anonymous">): Precondition[] {
  return sender_user_id === null || is_anonymous === 1 ? [] : [requireNotBlocked(sender_user_id, receiver_user_id)];
}

async function commitLetter(
  context: RequestContext,
  row: Awaited<ReturnType<typeof findReceivedOfuse>>,
  change: Change,
): Promise<Ofuse> {
  const ofuse = presentOfuseRow(row.receiver_user_id, row);
  return (await commitAnswer(context, change, { ofuse })).ofuse;
}

/** Marks a received letter as opened; idempotent. */
export async function openOfuse(context: RequestContext, ofuse_id: string): Promise<Ofuse> {
  const row = await findReceivedOfuse(context, ofuse_id);
  const opened_at = row.opened_at ?? isoTime(context.now_ms);
  return commitLetter(context, { ...row, opened_at }, { statements: [openStatement(context, ofuse_id)] });
}

/** Replies to a received letter, once. Throws `ofuse_already_replied`, `blocked`. */
export async function replyToOfuse(context: RequestContext, ofuse_id: string, message: string): Promise<Ofuse> {
  const row = await findReceivedOfuse(context, ofuse_id);
  const replied_at = isoTime(context.now_ms);
  const { sender_user_id, receiver_user_id } = row;
  const change: Change = {
    preconditions: [
      ...requireSenderNotBlocked(row),
      {
        code: "ofuse_already_replied",
        holds: sql`SELECT replied_at IS NULL FROM ofuses WHERE ofuse_id = ${ofuse_id}`,
      },
    ],
    announcements: [{ event: { kind: "ofuse_replied", payload: { ofuse_id, sender_user_id, receiver_user_id } } }],
    statements: [
      openStatement(context, ofuse_id),
      context.database
        .updateTable("ofuses")
        .set({ reply_message: message, replied_at })
        .where("ofuse_id", "=", ofuse_id)
        .compile(),
    ],
  };
  const opened_at = row.opened_at ?? replied_at;
  return commitLetter(context, { ...row, opened_at, reply_message: message, replied_at }, change);
}

/** Hides a public letter from its receiver's page, or shows it again; idempotent. Does not notify the sender. */
export async function hideOfuse(context: RequestContext, ofuse_id: string, is_hidden: boolean): Promise<Ofuse> {
  const row = await findReceivedOfuse(context, ofuse_id);
  const hidden_at = is_hidden ? (row.hidden_at ?? isoTime(context.now_ms)) : null;
  return commitLetter(context, { ...row, hidden_at }, { statements: [hideStatement(context, ofuse_id, is_hidden)] });
}

/**
 * The statement of {@link hideOfuse}, for commands that hide a letter among other things. Changes only letters that the
 * caller received.
 */
export function hideStatement(context: RequestContext, ofuse_id: string, is_hidden: boolean): CompiledQuery {
  return context.database
    .updateTable("ofuses")
    .set({ hidden_at: is_hidden ? isoTime(context.now_ms) : null })
    .where("ofuse_id", "=", ofuse_id)
    .where("receiver_user_id", "=", memberId(context))
    .where("hidden_at", is_hidden ? "is" : "is not", null)
    .compile();
}

/**
 * Adds the receiver's like to a letter or removes it; idempotent. Adding it throws `blocked` and
 * `daily_like_limit_reached`.
 */
export async function likeOfuse(
  context: RequestContext,
  ofuse_id: string,
  is_liked: boolean,
): Promise<{ is_liked: boolean }> {
  const row = await findReceivedOfuse(context, ofuse_id);
  const { sender_user_id, receiver_user_id } = row;
  const liked_at = isoTime(context.now_ms);
  const statement = context.database
    .updateTable("ofuses")
    .set({ liked_at: is_liked ? sql<string>`COALESCE(liked_at, ${liked_at})` : null })
    .where("ofuse_id", "=", ofuse_id)
    .compile();
  if (!is_liked) return commitAnswer(context, { statements: [statement] }, { is_liked });
  const isNew = sql`EXISTS (SELECT 1 FROM ofuses WHERE ofuse_id = ${ofuse_id} AND liked_at IS NULL)`;
  const change: Change = {
    preconditions: requireSenderNotBlocked(row),
    announcements: [
      { event: { kind: "ofuse_liked", payload: { ofuse_id, sender_user_id, receiver_user_id } }, only_if: isNew },
    ],
    statements: [statement],
  };
  return commitAnswer(context, withBounds(change, countDailyAct(context, "like", receiver_user_id, isNew)), {
    is_liked,
  });
}

function openStatement(context: RequestContext, ofuse_id: string): CompiledQuery {
  return context.database
    .updateTable("ofuses")
    .set({ opened_at: isoTime(context.now_ms) })
    .where("ofuse_id", "=", ofuse_id)
    .where("opened_at", "is", null)
    .compile();
}
