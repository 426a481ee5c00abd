import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { LEFT_LINK_ID, LEFT_NAME, LINK_ID_HELD_DAYS } from "../../contract/bounds.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Rows of each table that one batch deletes; each may touch others by its triggers. */
export const DELETED_AT_ONCE = 300;

/**
 * Ends the caller's account. In one batch the person becomes 「退会したユーザー」, everything they published is out of view, their
 * tokens are refused, and of each table so many rows go as one batch takes; what is left goes by the outbox. Throws
 * `account_has_subscribers` while somebody has paid for a plan of theirs.
 *
 * Their link_id leads nowhere, and for a while nobody can take it.
 */
export async function unsubscribe(context: RequestContext): Promise<null> {
  const user_id = memberId(context);
  const { database, now_ms, caller } = context;
  if (!caller) throw new Problem("unauthenticated");
  const now = isoTime(now_ms);
  const identity_id = caller.claims.sub;
  const held_until = isoTime(now_ms + LINK_ID_HELD_DAYS * DAY_MS);
  const statements = [
    sql`INSERT INTO link_id_changes (link_id, changed_at, user_id, held_until)
      SELECT link_id, ${now}, user_id, ${held_until} FROM users WHERE user_id = ${user_id}`.compile(database),
    database.insertInto("left_identities").values({ identity_id, left_at: now }).compile(),
    // Out of view at once, however many there are; a post that was to be published is not.
    database
      .updateTable("events")
      .set({ status: "private" })
      .where("user_id", "=", user_id)
      .where("status", "<>", "private")
      .compile(),
    database
      .updateTable("users")
      .set({
        identity_id: `${LEFT_LINK_ID}${user_id}`,
        link_id: `${LEFT_LINK_ID}${user_id}`,
        name: LEFT_NAME,
        default_name: null,
        email: null,
        email_invalid: 0,
        is_creator: 0,
        bio: "",
        icon_image_id: null,
        cover_image_id: null,
        accepts_free_ofuses: 0,
        birth_year: null,
        guardian_consented_at: null,
        left_at: now,
      })
      .where("user_id", "=", user_id)
      .compile(),
    ...tracesRemoved(database, { user_id, identity_id }),
  ];
  const preconditions = [
    {
      code: "account_has_subscribers" as const,
      holds: sql`NOT EXISTS (SELECT 1 FROM memberships JOIN subscriptions USING (membership_id)
        WHERE memberships.user_id = ${user_id} AND subscriptions.user_id <> ${user_id}
          AND (subscriptions.paid_until > ${now} OR subscriptions.status = 'active'))`,
    },
    // Two that ask at once: the second finds nobody.
    {
      code: "account_left" as const,
      holds: sql`EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND left_at IS NULL)`,
    },
  ];
  const event = { kind: "account_left" as const, payload: { user_id, identity_id, round: 1 } };
  return commitAnswer(context, { preconditions, statements, announcements: [{ event }] }, null);
}

interface Leaver {
  user_id: string;
  identity_id: string;
}

/**
 * Deletes the next rows of each table that are somebody's who left. Replies before what they answer, likes before what is liked,
 * posts once nothing hangs on them any more: no row drags thousands along. Of a comment that others answered the place stays.
 */
export function tracesRemoved(database: Database, { user_id, identity_id }: Leaver): CompiledQuery[] {
  const some = sql`LIMIT ${DELETED_AT_ONCE}`;
  const own_posts = sql`(SELECT event_id FROM events WHERE user_id = ${user_id})`;
  const own_plans = sql`(SELECT membership_id FROM memberships WHERE user_id = ${user_id})`;
  const remove = (table: string, key: string, which: RawBuilder<unknown>) => {
    const keys = sql.join(key.split(" ").map((column) => sql.ref(column)));
    return sql`DELETE FROM ${sql.table(table)} WHERE (${keys}) IN (
      SELECT ${keys} FROM ${sql.table(table)} WHERE ${which} ${some})`;
  };
  const is_answered = sql`EXISTS (
    SELECT 1 FROM event_comments reply WHERE reply.parent_comment_id = event_comments.comment_id)`;
  return [
    remove("notifications", "notification_id", sql`user_id = ${user_id}`),
    remove("notifications", "notification_id", sql`actor_user_id = ${user_id}`),
    remove("event_likes", "event_id liker", sql`liker = ${user_id}`),
    remove("event_comment_likes", "comment_id liker", sql`liker = ${user_id}`),
    remove("event_likes", "event_id liker", sql`event_id IN ${own_posts}`),
    remove("event_visits", "event_id visit_id", sql`event_id IN ${own_posts}`),
    remove("event_comments", "comment_id", sql`event_id IN ${own_posts} AND parent_comment_id IS NOT NULL`),
    remove("event_comments", "comment_id", sql`event_id IN ${own_posts} AND NOT ${is_answered}`),
    // Places under other people's posts that were kept for nobody's replies but theirs.
    sql`DELETE FROM event_comments WHERE deleted_at IS NOT NULL AND comment_id IN (
        SELECT parent_comment_id FROM event_comments mine
          WHERE mine.user_id = ${user_id} AND mine.parent_comment_id IS NOT NULL AND mine.amount = 0 ${some})
      AND NOT EXISTS (SELECT 1 FROM event_comments reply
        WHERE reply.parent_comment_id = event_comments.comment_id
          AND (reply.user_id <> ${user_id} OR reply.amount > 0))`,
    sql`UPDATE event_comments SET deleted_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), message = '-'
      WHERE comment_id IN (SELECT comment_id FROM event_comments
        WHERE user_id = ${user_id} AND amount = 0 AND deleted_at IS NULL AND ${is_answered} ${some})`,
    remove("event_comments", "comment_id", sql`user_id = ${user_id} AND amount = 0 AND NOT ${is_answered}`),
    remove("relationships", "follower_id following_id", sql`follower_id = ${user_id}`),
    remove("relationships", "follower_id following_id", sql`following_id = ${user_id}`),
    remove("blocks", "blocker_id blocking_id", sql`blocker_id = ${user_id}`),
    remove("blocks", "blocker_id blocking_id", sql`blocking_id = ${user_id}`),
    sql`DELETE FROM event_drafts WHERE user_id = ${user_id}`,
    sql`DELETE FROM external_links WHERE user_id = ${user_id}`,
    sql`DELETE FROM user_genres WHERE user_id = ${user_id}`,
    sql`DELETE FROM reaction_settings WHERE user_id = ${user_id}`,
    sql`DELETE FROM subscriptions WHERE user_id = ${user_id}`,
    remove(
      "events",
      "event_id",
      sql`user_id = ${user_id}
        AND NOT EXISTS (SELECT 1 FROM event_comments WHERE event_comments.event_id = events.event_id)
        AND NOT EXISTS (SELECT 1 FROM event_likes WHERE event_likes.event_id = events.event_id)
        AND NOT EXISTS (SELECT 1 FROM event_visits WHERE event_visits.event_id = events.event_id)`,
    ),
    remove("newsletters", "newsletter_id", sql`user_id = ${user_id}`),
    remove("subscriptions", "subscription_id", sql`membership_id IN ${own_plans}`),
    sql`DELETE FROM memberships WHERE user_id = ${user_id}
      AND NOT EXISTS (SELECT 1 FROM events WHERE publish_target_membership_id = memberships.membership_id)
      AND NOT EXISTS (SELECT 1 FROM newsletters WHERE newsletters.membership_id = memberships.membership_id)
      AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE subscriptions.membership_id = memberships.membership_id)`,
    sql`DELETE FROM event_categories WHERE user_id = ${user_id}
      AND NOT EXISTS (SELECT 1 FROM events WHERE events.event_category_id = event_categories.event_category_id)`,
    remove("images", "image_id", sql`owner_user_id = ${user_id}`),
    remove("media_files", "media_id", sql`owner_user_id = ${user_id}`),
    sql`DELETE FROM storage_used WHERE user_id = ${user_id} AND bytes <= 0`,
    // Answers kept for retries hold what was sent. Source of the scope: http/app.ts.
    sql`DELETE FROM idempotency_keys WHERE scope > ${`${identity_id} `} AND scope < ${`${identity_id}!`}`,
  ].map((statement) => statement.compile(database));
}

/** The row that has the next round done; the same one however often it is written. */
export function nextRound(database: Database, leaver: Leaver, round: number, now_ms: number): CompiledQuery {
  const payload = JSON.stringify({ ...leaver, round: round + 1 });
  return database
    .insertInto("outbox")
    .values({
      outbox_id: `left-${leaver.user_id}-${round + 1}`,
      kind: "account_left",
      payload,
      created_at: isoTime(now_ms),
      processed_at: null,
      attempts: 0,
      last_error: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .compile();
}
