import { sql } from "kysely";
import type { NewsBody } from "../../contract/news.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Change, Precondition } from "../storage/commit.ts";

/** Changes of news. Only operators make them (operator/commands.ts). */

type Writing = Pick<RequestContext, "database" | "now_ms">;

const rowOf = ({ now_ms }: Writing, { document, is_published, ...given }: NewsBody) => ({
  ...given,
  document: JSON.stringify(document),
  is_published: is_published ? 1 : 0,
  updated_at: isoTime(now_ms),
});

export function addNews(context: Writing, news_id: string, given: NewsBody): Change {
  const row = { ...rowOf(context, given), news_id, created_at: isoTime(context.now_ms) };
  return { statements: [context.database.insertInto("news").values(row).compile()] };
}

/** Replaces a piece of news. The batch throws `not_found`, and `news_conflict` when it was changed after `seen_updated_at`. */
export function replaceNews(context: Writing, news_id: string, given: NewsBody, seen_updated_at: string): Change {
  const seen = sql`EXISTS (SELECT 1 FROM news WHERE news_id = ${news_id} AND updated_at = ${seen_updated_at})`;
  const written = context.database.updateTable("news").set(rowOf(context, given)).where("news_id", "=", news_id);
  return {
    preconditions: [requireNews(news_id), { code: "news_conflict", holds: seen }],
    statements: [written.compile()],
  };
}

/** Deletes a piece of news. The batch throws `not_found`. */
export function removeNews({ database }: Writing, news_id: string): Change {
  return {
    preconditions: [requireNews(news_id)],
    statements: [database.deleteFrom("news").where("news_id", "=", news_id).compile()],
  };
}

const requireNews = (news_id: string): Precondition => ({
  code: "not_found",
  holds: sql`EXISTS (SELECT 1 FROM news WHERE news_id = ${news_id})`,
});
