import { sql } from "kysely";
import type * as z from "zod";
import type { news, newsSummary } from "../../contract/news.ts";
import type { OperatedNews } from "../../contract/operator.ts";
import { Problem } from "../../kernel/problem.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";

type Reading = Pick<RequestContext, "database">;

/** Lists what is published, the newest day first. */
export async function listPublishedNews({ database }: Reading, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, true);
  const found: z.output<typeof newsSummary>[] = await database
    .selectFrom("news")
    .select(["news_id", "title", "category", "day"])
    .where("is_published", "=", sql.lit(1))
    .orderBy("day", "desc")
    .orderBy("news_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(found, page.page_number, page_size);
  return { news: rows, ...closing };
}

/** Lists everything with its state, for operators. */
export async function listAllNews({ database }: Reading, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const found = await database
    .selectFrom("news")
    .select(["news_id", "title", "category", "day", "is_published", "updated_at"])
    .orderBy("day", "desc")
    .orderBy("news_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(found, page.page_number, page_size);
  return { news: rows.map((row) => ({ ...row, is_published: row.is_published === 1 })), ...closing };
}

/** Returns a published piece of news. Throws `not_found`. */
export async function findNews(context: Reading, news_id: string): Promise<z.output<typeof news>> {
  const { is_published, updated_at: _, ...shown } = await findAnyNews(context, news_id);
  if (!is_published) throw new Problem("not_found");
  return shown;
}

/** Returns a piece of news, also a draft. Throws `not_found`. */
export async function findAnyNews({ database }: Reading, news_id: string): Promise<OperatedNews> {
  const row = await database
    .selectFrom("news")
    .select(["news_id", "title", "category", "day", "document", "is_published", "updated_at"])
    .where("news_id", "=", news_id)
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  return { ...row, document: JSON.parse(row.document), is_published: row.is_published === 1 };
}
