import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure } from "../storage/personal-data.ts";

const isAnswered = sql`EXISTS (
  SELECT 1 FROM event_comments reply WHERE reply.parent_comment_id = event_comments.comment_id)`;
const isUnderOwnPost = ({ user_id }: { user_id: string }) =>
  sql`event_id IN (SELECT event_id FROM events WHERE user_id = ${user_id})`;

/** Erases replies before the comments they answer. Paid comments stay with the creator who received them. */
export const erasures: Erasure[] = [
  deleteByKey(
    "event_comments",
    ["comment_id"],
    (leaver) => sql`${isUnderOwnPost(leaver)} AND parent_comment_id IS NOT NULL`,
  ),
  deleteByKey("event_comments", ["comment_id"], isUnderOwnPost, () => sql`NOT ${isAnswered}`),
  // Erases other people's deleted comments whose rows were kept only for the leaver's replies.
  {
    table: "event_comments",
    erase: ({ user_id }, limit) => sql`DELETE FROM event_comments WHERE deleted_at IS NOT NULL AND comment_id IN (
        SELECT parent_comment_id FROM event_comments mine
          WHERE mine.user_id = ${user_id} AND mine.parent_comment_id IS NOT NULL AND mine.amount = 0 ${limit})
      AND NOT EXISTS (SELECT 1 FROM event_comments reply
        WHERE reply.parent_comment_id = event_comments.comment_id
          AND (reply.user_id <> ${user_id} OR reply.amount > 0))`,
  },
  // When a comment has replies by others, its row stays and only its words are deleted.
  {
    table: "event_comments",
    erase: ({ user_id }, limit) => sql`UPDATE event_comments
      SET deleted_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), message = '-'
      WHERE comment_id IN (SELECT comment_id FROM event_comments
        WHERE user_id = ${user_id} AND amount = 0 AND deleted_at IS NULL AND ${isAnswered} ${limit})`,
  },
  {
    ...deleteByKey(
      "event_comments",
      ["comment_id"],
      ({ user_id }) => sql`user_id = ${user_id} AND amount = 0`,
      () => sql`NOT ${isAnswered}`,
    ),
    rows: ({ user_id }) => sql`user_id = ${user_id} AND amount = 0 AND (deleted_at IS NULL OR NOT ${isAnswered})`,
  },
];

export const exports: Domain["exports"] = {
  comments: {
    select: (me, after, limit) => sql`SELECT comment_id AS key, json_object('comment_id', comment_id,
        'event_id', event_id, 'message', message, 'amount', amount, 'parent_comment_id', parent_comment_id,
        'created_at', created_at) AS item
      FROM event_comments WHERE user_id = ${me} AND deleted_at IS NULL AND comment_id > ${after ?? ""}
      ORDER BY comment_id ${limit}`,
  },
};
