import { sql } from "kysely";
import type { ExportPart } from "../../contract/leaving.ts";
import type { Domain } from "../domain.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { ExportItem } from "../storage/personal-data.ts";

/** Items in one page of a copy, unless the part says otherwise. */
const PAGE = 200;

/**
 * A page of one part of the caller's own data; `next` is the key to continue after, null at the end. Pictures and files come
 * with addresses that are valid for an hour.
 */
export async function exportPage(
  context: RequestContext,
  domains: readonly Domain[],
  part: ExportPart,
  after: string | undefined,
): Promise<{ items: ExportItem[]; next: string | null }> {
  const user_id = memberId(context);
  if (part === "profile") return { items: [await exportProfile(context, domains, user_id)], next: null };
  const pages = domains.map(({ exports }) => exports?.[part]).find((each) => each !== undefined);
  if (!pages) throw new Error(`no domain exports ${part}`);
  const page_size = pages.page_size ?? PAGE;
  const { rows } = await pages.select(user_id, after, sql`LIMIT ${page_size}`).execute(context.database);
  const read = rows.map(({ item }) => JSON.parse(item) as ExportItem);
  const items = pages.complete ? await Promise.all(read.map((item) => pages.complete?.(context, item) ?? item)) : read;
  return { items, next: rows.length < page_size ? null : (rows.at(-1)?.key ?? null) };
}

/** The part that is one item: the fields that each domain adds to it. */
async function exportProfile(
  { database }: RequestContext,
  domains: readonly Domain[],
  user_id: string,
): Promise<ExportItem> {
  const fields = await Promise.all(
    domains.flatMap(({ profile }) => (profile ? [profile(user_id).execute(database)] : [])),
  );
  return Object.assign({}, ...fields.map(({ rows }) => JSON.parse(rows[0]?.item ?? "{}")));
}
