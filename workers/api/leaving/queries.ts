import { sql } from "kysely";
import type { ExportPart } from "../../contract/leaving.ts";
import type { Domain } from "../domain.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { ExportItem } from "../storage/personal-data.ts";

/** How many items one page of a data export has, unless its part sets another number. */
const EXPORT_PAGE_SIZE = 200;

/**
 * Returns a page of one part of the caller's own data. `next` is the key to continue after, null at the end. Addresses
 * of pictures and files are valid for an hour.
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
  const page_size = pages.page_size ?? EXPORT_PAGE_SIZE;
  const { rows } = await pages.select(user_id, after, sql`LIMIT ${page_size}`).execute(context.database);
  const read = rows.map(({ item }) => JSON.parse(item) as ExportItem);
  const items = pages.complete ? await Promise.all(read.map((item) => pages.complete?.(context, item) ?? item)) : read;
  return { items, next: rows.length < page_size ? null : (rows.at(-1)?.key ?? null) };
}

/** Returns the `profile` part of a data export: one item with the fields that each domain adds. */
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
