import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { isNotBlocked, requireNotBlocked } from "../blocks/queries.ts";
import { findComment, findReadableEvent, requireReadableEvent, requireVisibleComment } from "../comments/queries.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import {
  findHearableRadio,
  findRadioComment,
  requireHearableRadio,
  requireVisibleRadioComment,
} from "../radios/queries.ts";
import type { Precondition } from "../storage/commit.ts";
import { type Bound, countDailyAct, countGuestAct, type Limit, withBounds } from "../storage/limits.ts";
import type { OutboxEvent } from "../storage/outbox.ts";
import { guestLiker, guestOf, guestToken } from "./rules.ts";

/** At most 120 new guests from one address in an hour, which is more than people who share an address need. */
export const NEW_GUEST_LIMIT: Limit = { act: "guest", times: 120, window_ms: 60 * 60 * 1000 };

interface LikeInput {
  is_liked: boolean;
  guest_token?: string;
}

interface LikeAnswer {
  is_liked: boolean;
  likes_count: number;
  guest_token: string | null;
}

/** The person who likes: a member, a known guest or a new guest. `user_id` is null for guests. */
interface Liker {
  /** How the column `liker` names this person. */
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

/** What is liked: its state before the call, its owners, and the statements that write and delete the like. */
interface LikeTarget {
  likes_count: number;
  is_liked: boolean;
  /** The writer first. */
  owners: [string, ...string[]];
  /** The liked post or comment of a post. Its owner learns of a member's like. */
  told?: Omit<OutboxEvent<"liked">["payload"], "liker_user_id" | "owner_user_id">;
  preconditions: Precondition[];
  /** SQL: whether the caller does not like it yet. */
  isNew: RawBuilder<boolean>;
  insertion: CompiledQuery;
  removal: CompiledQuery;
}

async function saveLike(
  context: RequestContext,
  { liker, user_id, guest_token, is_new_guest }: Liker,
  wish: LikeInput,
  on: LikeTarget,
) {
  const answer: LikeAnswer = {
    is_liked: wish.is_liked,
    likes_count: on.likes_count + Number(wish.is_liked) - Number(on.is_liked),
    guest_token,
  };
  // Blocked people may take a like back, and doing so creates no guest.
  if (!wish.is_liked) {
    const known = is_new_guest ? null : guest_token;
    return commitAnswer(context, { statements: [on.removal] }, { ...answer, guest_token: known });
  }
  const unblocked = user_id === null ? [] : on.owners.map((owner) => requireNotBlocked(user_id, owner));
  const change = withBounds(
    {
      preconditions: [...on.preconditions, ...unblocked],
      announcements: likeEventsOf(user_id, on),
      statements: [on.insertion],
    },
    ...(user_id === null ? guestBounds(context, liker, on.isNew) : [countDailyAct(context, "like", user_id, on.isNew)]),
  );
  return is_new_guest
    ? commitLimited(context, NEW_GUEST_LIMIT, context.address_hash, change, answer)
    : commitAnswer(context, change, answer);
}

/** The announcement of a member's like. Guests have no name to tell. */
function likeEventsOf(liker_user_id: string | null, { told, owners, isNew }: LikeTarget) {
  if (liker_user_id === null || !told) return [];
  const event: OutboxEvent<"liked"> = {
    kind: "liked",
    payload: { liker_user_id, owner_user_id: owners[0], ...told },
  };
  return [{ event, only_if: isNew }];
}

/** A guest may like as often as a young account. All guests at one address share a higher limit. */
function guestBounds(context: RequestContext, liker: string, isNew: RawBuilder<boolean>): Bound[] {
  const { address_hash } = context;
  return [
    countGuestAct(context, "like", liker, "like_young", isNew),
    ...(address_hash === null
      ? []
      : [countGuestAct(context, "like", address_hash, "guest_likes_of_an_address", isNew)]),
  ];
}

/**
 * Adds the caller's like to a post or removes it; idempotent. A visitor's first like returns a token that identifies
 * the visitor afterwards. Throws `not_found` for a post that the caller may not read, `blocked`,
 * `daily_like_limit_reached`, and `too_many_requests` for an address with too many guests.
 */
export async function likeEvent(context: RequestContext, event_id: string, wish: LikeInput): Promise<LikeAnswer> {
  const { database, now_ms } = context;
  const who = await likerOf(context, wish.guest_token);
  const event = await findReadableEvent(context, event_id, who.liker);
  if (!event) throw new Problem("not_found");
  return saveLike(context, who, wish, {
    likes_count: event.likes_count,
    is_liked: event.is_liked,
    owners: [event.user_id],
    told: { event_id, event_link_id: event.link_id, comment_id: null },
    preconditions: [requireReadableEvent(context, event_id)],
    isNew: sql<boolean>`NOT EXISTS (SELECT 1 FROM event_likes WHERE event_id = ${event_id} AND liker = ${who.liker})`,
    insertion: database
      .insertInto("event_likes")
      .values({ event_id, liker: who.liker, created_at: isoTime(now_ms) })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    removal: database
      .deleteFrom("event_likes")
      .where("event_id", "=", event_id)
      .where("liker", "=", who.liker)
      .compile(),
  });
}

/**
 * Adds the caller's like to a comment or removes it; idempotent. Throws what {@link likeEvent} throws; `blocked`
 * applies to the comment's writer and to the post's owner.
 */
export async function likeEventComment(
  context: RequestContext,
  { event_id, comment_id }: { event_id: string; comment_id: string },
  wish: LikeInput,
): Promise<LikeAnswer> {
  const { database, now_ms } = context;
  const who = await likerOf(context, wish.guest_token);
  const event = await findReadableEvent(context, event_id);
  const comment = event && (await findComment(context, event_id, comment_id, who.liker));
  if (!comment) throw new Problem("not_found");
  return saveLike(context, who, wish, {
    likes_count: comment.likes_count,
    is_liked: comment.is_liked,
    owners: [comment.user_id, event.user_id],
    told: { event_id, event_link_id: event.link_id, comment_id },
    preconditions: [requireReadableEvent(context, event_id), requireVisibleComment(comment_id)],
    isNew: sql<boolean>`NOT EXISTS (
      SELECT 1 FROM event_comment_likes WHERE comment_id = ${comment_id} AND liker = ${who.liker})`,
    insertion: database
      .insertInto("event_comment_likes")
      .values({ comment_id, liker: who.liker, created_at: isoTime(now_ms) })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    removal: database
      .deleteFrom("event_comment_likes")
      .where("comment_id", "=", comment_id)
      .where("liker", "=", who.liker)
      .compile(),
  });
}

/**
 * Adds the caller's like to the recording of a radio or removes it; idempotent. Throws `not_found` for a radio that the
 * caller may not hear or that has no finished recording, and otherwise what {@link likeEvent} throws.
 */
export async function likeRadioRecording(
  context: RequestContext,
  radio_id: string,
  wish: LikeInput,
): Promise<LikeAnswer> {
  const { database, now_ms } = context;
  const who = await likerOf(context, wish.guest_token);
  const radio = await findHearableRadio(context, radio_id, who.liker);
  if (radio?.status !== "finished" || radio.recording_state !== "completed") throw new Problem("not_found");
  return saveLike(context, who, wish, {
    likes_count: radio.likes_count,
    is_liked: radio.is_liked,
    owners: [radio.user_id],
    preconditions: [requireHearableRadio(context, radio_id)],
    isNew: sql<boolean>`NOT EXISTS (
      SELECT 1 FROM radio_recording_likes WHERE radio_id = ${radio_id} AND liker = ${who.liker})`,
    insertion: database
      .insertInto("radio_recording_likes")
      .values({ radio_id, liker: who.liker, created_at: isoTime(now_ms) })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    removal: database
      .deleteFrom("radio_recording_likes")
      .where("radio_id", "=", radio_id)
      .where("liker", "=", who.liker)
      .compile(),
  });
}

/**
 * Adds the caller's like to a comment on a radio or removes it; idempotent. Throws what {@link likeEvent} throws;
 * `blocked` applies to the comment's writer and to the radio's owner.
 */
export async function likeRadioComment(
  context: RequestContext,
  { radio_id, comment_id }: { radio_id: string; comment_id: string },
  wish: LikeInput,
): Promise<LikeAnswer> {
  const { database, now_ms } = context;
  const who = await likerOf(context, wish.guest_token);
  const radio = await findHearableRadio(context, radio_id);
  const comment = radio && (await findRadioComment(context, radio_id, comment_id, who.liker));
  if (!comment) throw new Problem("not_found");
  return saveLike(context, who, wish, {
    likes_count: comment.likes_count,
    is_liked: comment.is_liked,
    owners: [comment.user_id, radio.user_id],
    preconditions: [requireHearableRadio(context, radio_id), requireVisibleRadioComment(comment_id)],
    isNew: sql<boolean>`NOT EXISTS (
      SELECT 1 FROM radio_comment_likes WHERE comment_id = ${comment_id} AND liker = ${who.liker})`,
    insertion: database
      .insertInto("radio_comment_likes")
      .values({ comment_id, liker: who.liker, created_at: isoTime(now_ms) })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    removal: database
      .deleteFrom("radio_comment_likes")
      .where("comment_id", "=", comment_id)
      .where("liker", "=", who.liker)
      .compile(),
  });
}

/**
 * Turns a guest's likes into the caller's own. Deletes the likes on what people wrote or said who blocked the caller or
 * whom the caller blocked. Calling it again claims what the guest has liked since. A token that we did not sign has
 * no likes.
 */
export async function claimGuestLikes(context: RequestContext, token: string): Promise<{ claimed_count: number }> {
  const { database } = context;
  const user_id = memberId(context);
  const guest_id = await guestOf(token, context.media_key);
  if (guest_id === null) return commitAnswer(context, { statements: [] }, { claimed_count: 0 });
  const guest = guestLiker(guest_id);
  const events = sql`FROM event_likes l JOIN events ON events.event_id = l.event_id
    WHERE l.liker = ${guest} AND ${isNotBlocked(user_id, sql.ref("events.user_id"))}
      AND NOT EXISTS (SELECT 1 FROM event_likes own WHERE own.event_id = l.event_id AND own.liker = ${user_id})`;
  const comments = sql`FROM event_comment_likes l
      JOIN event_comments c ON c.comment_id = l.comment_id JOIN events ON events.event_id = c.event_id
    WHERE l.liker = ${guest} AND ${isNotBlocked(user_id, sql.ref("events.user_id"))} AND ${isNotBlocked(user_id, sql.ref("c.user_id"))}
      AND NOT EXISTS (SELECT 1 FROM event_comment_likes own WHERE own.comment_id = l.comment_id AND own.liker = ${user_id})`;
  const recordings = sql`FROM radio_recording_likes l JOIN radios ON radios.radio_id = l.radio_id
    WHERE l.liker = ${guest} AND ${isNotBlocked(user_id, sql.ref("radios.user_id"))}
      AND NOT EXISTS (SELECT 1 FROM radio_recording_likes own WHERE own.radio_id = l.radio_id AND own.liker = ${user_id})`;
  const radioComments = sql`FROM radio_comment_likes l
      JOIN radio_comments c ON c.comment_id = l.comment_id JOIN radios ON radios.radio_id = c.radio_id
    WHERE l.liker = ${guest} AND ${isNotBlocked(user_id, sql.ref("radios.user_id"))} AND ${isNotBlocked(user_id, sql.ref("c.user_id"))}
      AND NOT EXISTS (SELECT 1 FROM radio_comment_likes own WHERE own.comment_id = l.comment_id AND own.liker = ${user_id})`;
  const { rows } = await sql<{ claimed_count: number }>`
    SELECT (SELECT COUNT(*) ${events}) + (SELECT COUNT(*) ${comments}) + (SELECT COUNT(*) ${recordings})
      + (SELECT COUNT(*) ${radioComments}) AS claimed_count`.execute(database);
  const statements = [
    sql`INSERT INTO event_likes (event_id, liker, created_at) SELECT l.event_id, ${user_id}, l.created_at ${events}`,
    sql`DELETE FROM event_likes WHERE liker = ${guest}`,
    sql`INSERT INTO event_comment_likes (comment_id, liker, created_at)
      SELECT l.comment_id, ${user_id}, l.created_at ${comments}`,
    sql`DELETE FROM event_comment_likes WHERE liker = ${guest}`,
    sql`INSERT INTO radio_recording_likes (radio_id, liker, created_at)
      SELECT l.radio_id, ${user_id}, l.created_at ${recordings}`,
    sql`DELETE FROM radio_recording_likes WHERE liker = ${guest}`,
    sql`INSERT INTO radio_comment_likes (comment_id, liker, created_at)
      SELECT l.comment_id, ${user_id}, l.created_at ${radioComments}`,
    sql`DELETE FROM radio_comment_likes WHERE liker = ${guest}`,
  ].map((statement) => statement.compile(database));
  return commitAnswer(context, { statements }, { claimed_count: rows[0]?.claimed_count ?? 0 });
}
