import { type RawBuilder, sql } from "kysely";
import type { Import, ImportItem } from "../../contract/imports.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";

/** How many imports the list of a person has. */
const LATEST_IMPORTS = 20;

const STATES = ["planned", "done", "skipped", "refused"] as const;
const KINDS = ["profile", "category", "plan", "file", "post", "newsletter", "radio"] as const;

/** SQL for the numbers of an import's items as JSON: `{"post planned": 12}`. */
const countsJson = sql<string>`(SELECT json_group_object(named, number) FROM (
  SELECT kind || ' ' || state AS named, COUNT(*) AS number FROM import_items
  WHERE import_items.import_id = imports.import_id GROUP BY kind, state))`;

type Row = Omit<Import, "restores_status" | "overwrites_profile" | "counts"> & {
  restores_status: number;
  overwrites_profile: number;
  counts: string;
};

function toImport({ restores_status, overwrites_profile, counts, ...row }: Row): Import {
  const found = JSON.parse(counts) as Record<string, number>;
  const countsOf = (kind: (typeof KINDS)[number]) =>
    Object.fromEntries(STATES.map((state) => [state, found[`${kind} ${state}`] ?? 0]));
  return {
    ...row,
    restores_status: restores_status === 1,
    overwrites_profile: overwrites_profile === 1,
    counts: Object.fromEntries(KINDS.map((kind) => [kind, countsOf(kind)])) as Import["counts"],
  };
}

/** Selects a person's imports whose file has been read. */
const selectImports = (user_id: string, rest: RawBuilder<unknown>) => sql<Row>`SELECT import_id, kind, file_name, bytes,
    status, restores_status, overwrites_profile, created_at, completed_at, ${countsJson} AS counts
  FROM imports WHERE user_id = ${user_id} AND status <> 'reading' AND ${rest}`;

/** Lists the latest imports of a person. */
export async function listImports({ database }: RequestContext, user_id: string): Promise<Import[]> {
  const latest = sql`TRUE ORDER BY created_at DESC, import_id DESC LIMIT ${LATEST_IMPORTS}`;
  return (await selectImports(user_id, latest).execute(database)).rows.map(toImport);
}

/** Returns an import of the person's own; null for any other. */
export async function findImport(
  { database }: { database: Database },
  user_id: string,
  import_id: string,
): Promise<Import | null> {
  const { rows } = await selectImports(user_id, sql`import_id = ${import_id}`).execute(database);
  return rows[0] ? toImport(rows[0]) : null;
}

/** Lists what an import creates, in its order. */
export async function listImportItems(
  { database }: RequestContext,
  import_id: string,
  { state, ...page }: Page & { state?: ImportItem["state"] | undefined },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const isWanted = state === undefined ? sql`TRUE` : sql`state = ${state}`;
  const { rows } = await sql<ImportItem>`SELECT position, kind, title, state, reason,
      iif(kind = 'post', result_id, NULL) AS event_id, iif(kind = 'radio', result_id, NULL) AS radio_id FROM import_items
    WHERE import_id = ${import_id} AND ${isWanted} ORDER BY position LIMIT ${limit} OFFSET ${offset}`.execute(database);
  const { rows: items, closing } = pageOf(rows, page.page_number, page_size);
  return { items, ...closing };
}

/** What comes once, whatever file it is in: where it is, and where an import notes that it came. */
const ONCE = {
  post: { table: "events", imported: "imported_posts", id: "event_id" },
  newsletter: { table: "newsletters", imported: "imported_newsletters", id: "newsletter_id" },
  radio: { table: "radios", imported: "imported_radios", id: "radio_id" },
} as const;
export type OnceKind = keyof typeof ONCE;

/** Returns which of these keys name something that the person has: it came with an import, or the key is its own id. */
export async function findKnown(
  database: Database,
  user_id: string,
  kind: OnceKind,
  named: readonly { source_key: string; key: string }[],
): Promise<Set<string>> {
  const { table, imported, id } = ONCE[kind];
  const { rows } = await sql<{ source_key: string }>`SELECT json_each.value ->> 'source_key' AS source_key
    FROM json_each(${JSON.stringify(named)})
    WHERE EXISTS (SELECT 1 FROM ${sql.table(imported)} came
        WHERE came.user_id = ${user_id} AND came.source_key = json_each.value ->> 'source_key')
      OR EXISTS (SELECT 1 FROM ${sql.table(table)} own
        WHERE own.${sql.ref(id)} = json_each.value ->> 'key' AND own.user_id = ${user_id})`.execute(database);
  return new Set(rows.map(({ source_key }) => source_key));
}

export interface PlannedItem {
  position: number;
  kind: ImportItem["kind"];
  item_key: string;
  title: string;
}

/** Returns the next items of an import that are not made yet. */
export async function listPlannedItems(database: Database, import_id: string, limit: number): Promise<PlannedItem[]> {
  return database
    .selectFrom("import_items")
    .select(["position", "kind", "item_key", "title"])
    .where("import_id", "=", import_id)
    .where("state", "=", "planned")
    .orderBy("position")
    .limit(limit)
    .execute();
}

/** Returns what an import has made of these keys: of pictures, files, categories and plans. */
export async function findResults(
  database: Database,
  import_id: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ item_key: string; result_id: string }>`SELECT item_key, result_id
    FROM json_each(${JSON.stringify(keys)}) CROSS JOIN import_items ON import_items.import_id = ${import_id}
      AND import_items.kind IN ('category', 'plan', 'file') AND import_items.item_key = json_each.value
    WHERE result_id IS NOT NULL`.execute(database);
  return new Map(rows.map(({ item_key, result_id }) => [item_key, result_id]));
}

/** The precondition that an item of an import is not made yet. */
export const requirePlanned = (import_id: string, position: number): Precondition => ({
  code: "not_found",
  holds: sql`EXISTS (SELECT 1 FROM import_items
    WHERE import_id = ${import_id} AND position = ${position} AND state = 'planned')`,
});
