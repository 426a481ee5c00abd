import { sql } from "kysely";
import { CATEGORIES_OF_A_CREATOR } from "../../contract/bounds.ts";
import type { EventCategory } from "../../contract/events.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { moveItem } from "../../kernel/order.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change, Precondition } from "../storage/commit.ts";
import { oneOf } from "../storage/database.ts";
import { listCategories } from "./queries.ts";
import { toTitleKey } from "./rules.ts";

/** Creates a category after the caller's other categories. Throws `category_title_taken`, `category_limit_reached`. */
export function createCategory(context: RequestContext, { title }: { title: string }): Promise<EventCategory> {
  const event_category_id = newId(context.now_ms);
  return withFreeTitle(context, event_category_id, title, (_, isFree) =>
    insertCategory(context, { event_category_id, title }, isFree),
  );
}

async function insertCategory(
  context: RequestContext,
  { event_category_id, title }: { event_category_id: string; title: string },
  isFree: Precondition[],
): Promise<EventCategory> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const change: Change = {
    preconditions: [
      ...isFree,
      {
        code: "category_limit_reached",
        holds: sql`SELECT COUNT(*) < ${CATEGORIES_OF_A_CREATOR} FROM event_categories WHERE user_id = ${user_id}`,
      },
    ],
    statements: [
      database
        .insertInto("event_categories")
        .values({
          event_category_id,
          user_id,
          title,
          position: sql<number>`(SELECT COALESCE(MAX(position), -1) + 1 FROM event_categories WHERE user_id = ${user_id})`,
          created_at: isoTime(now_ms),
        })
        .compile(),
    ],
  };
  const event_category = { event_category_id, user_id, title };
  return (await commitAnswer(context, change, { event_category })).event_category;
}

/**
 * Renames a category or moves it to `position`, which shifts the others. Throws `not_found`, `category_title_taken`.
 */
export function updateCategory(
  context: RequestContext,
  event_category_id: string,
  given: { title?: string; position?: number },
): Promise<EventCategory> {
  return withFreeTitle(context, event_category_id, given.title, (all, isFree) => {
    const category = all.find((each) => each.event_category_id === event_category_id);
    if (!category) throw new Problem("not_found");
    return changeCategory(context, { category, all }, given, isFree);
  });
}

async function changeCategory(
  context: RequestContext,
  { category, all }: { category: EventCategory; all: EventCategory[] },
  { title, position }: { title?: string; position?: number },
  isFree: Precondition[],
): Promise<EventCategory> {
  const { database } = context;
  const { event_category_id, user_id } = category;
  const order = position === undefined ? [] : moveItem(all, category, position);
  const change: Change = {
    preconditions: [requireOwnCategory(user_id, event_category_id), ...isFree],
    statements: [
      ...(title === undefined
        ? []
        : [
            database
              .updateTable("event_categories")
              .set({ title })
              .where("event_category_id", "=", event_category_id)
              .compile(),
          ]),
      ...(order.length === 0
        ? []
        : [
            sql`UPDATE event_categories SET position = wanted.key
              FROM json_each(${JSON.stringify(order.map((each) => each.event_category_id))}) AS wanted
              WHERE event_category_id = wanted.value AND user_id = ${user_id} AND position <> wanted.key`.compile(
              database,
            ),
          ]),
    ],
  };
  const event_category = { ...category, ...(title === undefined ? {} : { title }) };
  return (await commitAnswer(context, change, { event_category })).event_category;
}

/** Deletes a category. Its posts stay and have no category afterwards. Throws `not_found`. */
export function deleteCategory(context: RequestContext, event_category_id: string): Promise<null> {
  const change: Change = {
    preconditions: [requireOwnCategory(memberId(context), event_category_id)],
    statements: [
      context.database.deleteFrom("event_categories").where("event_category_id", "=", event_category_id).compile(),
    ],
  };
  return commitAnswer(context, change, null);
}

function requireOwnCategory(user_id: string, event_category_id: string): Precondition {
  return {
    code: "not_found",
    holds: sql`EXISTS (SELECT 1 FROM event_categories
      WHERE event_category_id = ${event_category_id} AND user_id = ${user_id})`,
  };
}

/**
 * Writes a title that no other category of the caller's has. JavaScript compares the titles, because SQLite ignores case for
 * ASCII letters only. The batch refuses titles that were not compared, which another request wrote meanwhile: then all are
 * read and compared again. Without a title it only reads. Throws `category_title_taken`, and the problems of `write`.
 */
async function withFreeTitle<T>(
  context: RequestContext,
  event_category_id: string,
  title: string | undefined,
  write: (all: EventCategory[], isFree: Precondition[]) => Promise<T>,
): Promise<T> {
  const user_id = memberId(context);
  for (let tried = 1; ; tried += 1) {
    const all = await listCategories(context, user_id, false);
    if (title === undefined) return write(all, []);
    const others = all.filter((each) => each.event_category_id !== event_category_id).map((each) => each.title);
    if (others.some((other) => toTitleKey(other) === toTitleKey(title))) throw new Problem("category_title_taken");
    const holds = sql`NOT EXISTS (SELECT 1 FROM event_categories WHERE user_id = ${user_id}
      AND event_category_id <> ${event_category_id} AND title NOT IN ${oneOf(others)})`;
    try {
      return await write(all, [{ code: "category_title_taken", holds }]);
    } catch (error) {
      const is_late = error instanceof Problem && error.code === "category_title_taken";
      if (!is_late || tried === CATEGORIES_OF_A_CREATOR) throw error;
    }
  }
}
