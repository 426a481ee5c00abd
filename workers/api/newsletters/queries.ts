import { sql } from "kysely";
import type { NewsletterSummary } from "../../contract/newsletters.ts";
import { isoTime, japaneseMonthOf } from "../../kernel/clock.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import { countRemaining } from "./rules.ts";

/**
 * SQL that selects drafts, or scheduled and sent newsletters, or both. It repeats the conditions of the partial
 * indexes, so that SQLite uses them.
 */
function matchesDraftFilter(is_draft: boolean | undefined) {
  if (is_draft === undefined) return sql<boolean>`true`;
  return is_draft ? sql<boolean>`status = 'draft'` : sql<boolean>`status <> 'draft'`;
}

/**
 * Lists a person's own newsletters, newest first, and how many more the person may send this month. It is one statement
 * because every page of a creator asks for it.
 */
export async function listOwnNewsletters(
  context: RequestContext,
  user_id: string,
  { is_draft, ...page }: Page & { is_draft?: boolean },
) {
  const { limit, offset, page_size } = rowsOf(page, context.caller === null);
  const month = japaneseMonthOf(context.now_ms);
  const own = context.database
    .selectFrom("newsletters")
    .select(["newsletter_id", "title", "status", "fan_scope", "membership_id"])
    .select(["publish_at", "published_at", "created_at", "updated_at"])
    .where("user_id", "=", user_id)
    .where(matchesDraftFilter(is_draft))
    .orderBy("newsletter_id", "desc")
    .limit(limit)
    .offset(offset);
  const counted = context.database
    .selectFrom("newsletters")
    .select(({ fn }) => fn.countAll<number>().as("counted"))
    .where("user_id", "=", user_id)
    .where("status", "<>", sql.lit("draft"))
    .where(sql`coalesce(publish_at, published_at)`, ">=", isoTime(month.start_ms))
    .where(sql`coalesce(publish_at, published_at)`, "<", isoTime(month.end_ms));
  const { newsletters, ...of_month } = await context.database
    .selectFrom("users")
    .select([
      sql<string>`(
        SELECT json_group_array(
          json_object('id', newsletter_id, 'title', title, 'status', status, 'fan_scope', fan_scope,
            'membership_id', membership_id, 'publish_at', publish_at, 'published_at', published_at,
            'created_at', created_at, 'updated_at', updated_at)
          ORDER BY newsletter_id DESC)
        FROM ${own})`.as("newsletters"),
      sql<number>`${counted}`.as("counted"),
      "is_creator",
    ])
    .where("user_id", "=", user_id)
    .executeTakeFirstOrThrow();
  const fetched: Omit<NewsletterSummary, "is_draft">[] = JSON.parse(newsletters);
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return {
    news_letters: rows.map((row): NewsletterSummary => ({ ...row, is_draft: row.status === "draft" })),
    ...closing,
    remaining_count: countRemaining({ is_creator: of_month.is_creator === 1, counted: of_month.counted }),
  };
}
