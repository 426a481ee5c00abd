import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { DAILY_ACTS, GUEST_LIKES_OF_AN_ADDRESS } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { notBlocked } from "../blocks/queries.ts";
import { findComment, findReadableEvent, stillInView, stillReadable } from "../comments/queries.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import { type Bound, countDailyAct, countGuestAct, type Limit, withBounds } from "../storage/limits.ts";
import { guestLiker, guestOf, guestToken } from "./rules.ts";

/** New guests of one address: more than the people who share one like something for the first time. */
export const GUESTS: Limit = { act: "guest", times: 120, window_ms: 60 * 60 * 1000 };

interface Wish {
  is_liked: boolean;
  guest_token?: string;
}

interface Answer {
  is_liked: boolean;
  likes_count: number;
  guest_token: string | null;
}

/** Who likes: a member, a guest, or a guest who is new. `user_id` is null for guests. */
interface Liker {
  /** As likes name who put them. */
  liker: string;
  user_id: string | null;
  guest_token: string | null;
  is_new_guest: boolean;
}

async function likerOf(context: RequestContext, token: string | undefined): Promise<Liker> {
  if (context.caller) {
    const user_id = memberId(context);
    return { liker: user_id, user_id, guest_token: null, is_new_guest: false };
  }
  const known = token === undefined ? null : await guestOf(token, context.media_key);
  const guest_id = known ?? newId(context.now_ms);
  const guest_token = await guestToken(guest_id, context.media_key);
  return { liker: guestLiker(guest_id), user_id: null, guest_token, is_new_guest: known === null };
}

/** What is liked: the state before, those whose it is, and how the like is written and taken back. */
interface Liked {
  likes_count: number;
  is_liked: boolean;
  owners: string[];
  preconditions: Precondition[];
  /** As SQL, whether the caller does not like it yet. */
  isNew: RawBuilder<boolean>;
  put: CompiledQuery;
  take: CompiledQuery;
}

async function like(
  context: RequestContext,
  { liker, user_id, guest_token, is_new_guest }: Liker,
  wish: Wish,
  on: Liked,
) {
  const answer: Answer = {
    is_liked: wish.is_liked,
    likes_count: on.likes_count + Number(wish.is_liked) - Number(on.is_liked),
    guest_token,
  };
  // Taking a like back is open to those who are blocked, and makes nobody a guest.
  if (!wish.is_liked) {
    const known = is_new_guest ? null : guest_token;
    return commitAnswer(context, { statements: [on.take] }, { ...answer, guest_token: known });
  }
  const unblocked = user_id === null ? [] : on.owners.map((owner) => notBlocked(user_id, owner));
  const change = withBounds(
    { preconditions: [...on.preconditions, ...unblocked], statements: [on.put] },
    ...(user_id === null ? guestBounds(context, liker, on.isNew) : [countDailyAct(context, "like", user_id, on.isNew)]),
  );
  return is_new_guest
    ? commitLimited(context, GUESTS, context.address_hash, change, answer)
    : commitAnswer(context, change, answer);
}

/** A visitor may like as often as a young account, and all visitors at one address together a good deal more. */
function guestBounds(context: RequestContext, liker: string, isNew: RawBuilder<boolean>): Bound[] {
  const { address_hash } = context;
  return [
    countGuestAct(context, "like", liker, DAILY_ACTS.like.young, isNew),
    ...(address_hash === null ? [] : [countGuestAct(context, "like", address_hash, GUEST_LIKES_OF_AN_ADDRESS, isNew)]),
  ];
}

/**
 * Puts the caller's like on a post or takes it off; idempotent. A visitor is known by the token of her first like. Throws
 * `not_found` for a post the caller may not read, `blocked`, `daily_like_limit_reached`, and `too_many_requests` for an address
 * with too many guests.
 */
export async function likeEvent(context: RequestContext, event_id: string, wish: Wish): Promise<Answer> {
  const { database, now_ms } = context;
  const who = await likerOf(context, wish.guest_token);
  const event = await findReadableEvent(context, event_id, who.liker);
  if (!event) throw new Problem("not_found");
  return like(context, who, wish, {
    likes_count: event.likes_count,
    is_liked: event.is_liked,
    owners: [event.user_id],
    preconditions: [stillReadable(context, event_id)],
    isNew: sql<boolean>`NOT EXISTS (SELECT 1 FROM event_likes WHERE event_id = ${event_id} AND liker = ${who.liker})`,
    put: database
      .insertInto("event_likes")
      .values({ event_id, liker: who.liker, created_at: isoTime(now_ms) })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    take: database.deleteFrom("event_likes").where("event_id", "=", event_id).where("liker", "=", who.liker).compile(),
  });
}

/** The same of a comment; it is neither its writer's nor the post's owner's who blocked the caller. */
export async function likeEventComment(
  context: RequestContext,
  { event_id, comment_id }: { event_id: string; comment_id: string },
  wish: Wish,
): Promise<Answer> {
  const { database, now_ms } = context;
  const who = await likerOf(context, wish.guest_token);
  const event = await findReadableEvent(context, event_id);
  const comment = event && (await findComment(context, event_id, comment_id, who.liker));
  if (!comment) throw new Problem("not_found");
  return like(context, who, wish, {
    likes_count: comment.likes_count,
    is_liked: comment.is_liked,
    owners: [event.user_id, comment.user_id],
    preconditions: [stillReadable(context, event_id), stillInView(comment_id)],
    isNew: sql<boolean>`NOT EXISTS (
      SELECT 1 FROM event_comment_likes WHERE comment_id = ${comment_id} AND liker = ${who.liker})`,
    put: database
      .insertInto("event_comment_likes")
      .values({ comment_id, liker: who.liker, created_at: isoTime(now_ms) })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    take: database
      .deleteFrom("event_comment_likes")
      .where("comment_id", "=", comment_id)
      .where("liker", "=", who.liker)
      .compile(),
  });
}

/**
 * Makes a guest's likes the caller's own, those on what is of somebody blocked either way excepted: they go. Doing it
 * again finds what the guest has liked since. A token that is not ours has no likes.
 */
export async function claimGuestLikes(context: RequestContext, token: string): Promise<{ claimed_count: number }> {
  const { database } = context;
  const user_id = memberId(context);
  const guest_id = await guestOf(token, context.media_key);
  if (guest_id === null) return commitAnswer(context, { statements: [] }, { claimed_count: 0 });
  const guest = guestLiker(guest_id);
  const isOpen = (owner: RawBuilder<string>) => sql`NOT EXISTS (SELECT 1 FROM blocks
    WHERE (blocker_id = ${user_id} AND blocking_id = ${owner}) OR (blocker_id = ${owner} AND blocking_id = ${user_id}))`;
  const events = sql`FROM event_likes l JOIN events ON events.event_id = l.event_id
    WHERE l.liker = ${guest} AND ${isOpen(sql.ref("events.user_id"))}
      AND NOT EXISTS (SELECT 1 FROM event_likes own WHERE own.event_id = l.event_id AND own.liker = ${user_id})`;
  const comments = sql`FROM event_comment_likes l
      JOIN event_comments c ON c.comment_id = l.comment_id JOIN events ON events.event_id = c.event_id
    WHERE l.liker = ${guest} AND ${isOpen(sql.ref("events.user_id"))} AND ${isOpen(sql.ref("c.user_id"))}
      AND NOT EXISTS (SELECT 1 FROM event_comment_likes own WHERE own.comment_id = l.comment_id AND own.liker = ${user_id})`;
  const { rows } = await sql<{ claimed_count: number }>`
    SELECT (SELECT COUNT(*) ${events}) + (SELECT COUNT(*) ${comments}) AS claimed_count`.execute(database);
  const statements = [
    sql`INSERT INTO event_likes (event_id, liker, created_at) SELECT l.event_id, ${user_id}, l.created_at ${events}`,
    sql`DELETE FROM event_likes WHERE liker = ${guest}`,
    sql`INSERT INTO event_comment_likes (comment_id, liker, created_at)
      SELECT l.comment_id, ${user_id}, l.created_at ${comments}`,
    sql`DELETE FROM event_comment_likes WHERE liker = ${guest}`,
  ].map((statement) => statement.compile(database));
  return commitAnswer(context, { statements }, { claimed_count: rows[0]?.claimed_count ?? 0 });
}
