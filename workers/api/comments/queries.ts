import { sql } from "kysely";
import type { EventComment } from "../../contract/comments.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import { readUser, userJson } from "../users/queries.ts";

/**
 * The comments of a post that are in view: newest thread first, a comment before the replies to it. Whether the caller
 * may read the post is asked before (`isEventReadable`).
 */
export async function listEventComments(context: RequestContext, event_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, context.caller === null);
  const fetched = await context.database
    .selectFrom("event_comments")
    .select(["comment_id", "message", "amount", "parent_comment_id", "created_at"])
    .select(userJson("event_comments.user_id").as("writer"))
    .where("event_id", "=", event_id)
    .where("hidden_at", "is", null)
    .where(
      sql<boolean>`NOT EXISTS (SELECT 1 FROM event_comments parent
        WHERE parent.comment_id = event_comments.parent_comment_id AND parent.hidden_at IS NOT NULL)`,
    )
    .orderBy(sql`coalesce(parent_comment_id, comment_id)`, "desc")
    .orderBy("comment_id")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  const comments = rows.map(
    ({ writer, ...row }): EventComment => ({ ...row, user: readUser(writer), paid: row.amount > 0, currency: "jpy" }),
  );
  return { comments, ...closing };
}
