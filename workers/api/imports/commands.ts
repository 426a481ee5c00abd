import { type CompiledQuery, sql } from "kysely";
import { IMPORT_TEXT_BYTES, ITEMS_OF_AN_IMPORT } from "../../contract/bounds.ts";
import type { Import } from "../../contract/imports.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { ArrivingFile } from "../http/receive-file.ts";
import { commitAnswer, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { type Change, commit, type IdempotencyRow, type Precondition } from "../storage/commit.ts";
import type { Tables } from "../storage/database.ts";
import { requireEnabled } from "../storage/disabled.ts";
import { countAct, type Limit, withBounds } from "../storage/limits.ts";
import { requireOpen } from "../storage/paused-features.ts";
import { makeOnce, readFirstBytes, removeObjects, sendToBucket } from "../uploads/commands.ts";
import { toFileName } from "../uploads/rules.ts";
import { ZipFault } from "../zip/reader.ts";
import { findImport, findKnown, type OnceKind, type PlannedItem } from "./queries.ts";
import { type FileKind, importKey, kindOfFile, refusalOfPrice, sourceKeyOf } from "./rules.ts";
import { openSource, openText } from "./sources/open.ts";
import { type Contents, type ProfilePart, type Source, SourceFault } from "./sources/source.ts";
import { ALREADY_HERE } from "./step.ts";

/** Imports that a person may begin in a day. Each may encode thousands of pictures. */
export const IMPORT_LIMIT: Limit = { act: "import", times: 20, window_ms: 24 * 60 * 60 * 1000 };

/** How many rows one statement inserts: D1 takes parameters of two megabytes. */
const ROWS_AT_ONCE = 1000;
const TITLE_LENGTH = 200;
/** The maker of a category has no other title than its row's. No valid one is longer in UTF-16 than its bound in bytes. */
const CATEGORY_LENGTH = 1024;

type Item = Omit<PlannedItem, "position"> & { state: "planned" | "skipped" | "refused"; reason: string | null };

/**
 * Takes a file, and plans what an import of it creates. The file of an archive stays in the bucket until the import is
 * done or deleted. Throws `import_file_unreadable`, `import_file_too_large`, `too_many_requests`.
 */
export async function createImport(
  context: RequestContext,
  { media }: Pick<Services, "media">,
  file: ArrivingFile,
): Promise<{ made: Import; is_replayed: boolean }> {
  return makeOnce(context, file, (same, keep) => readImport(context, media, same, keep));
}

async function readImport(
  context: RequestContext,
  media: R2Bucket,
  file: ArrivingFile,
  keep: (answer: unknown) => Promise<IdempotencyRow | null>,
): Promise<Import> {
  const { database, d1, now_ms } = context;
  const user_id = memberId(context);
  const chunks = file.body[Symbol.asyncIterator]();
  const first = await readFirstBytes(chunks);
  const kind = kindOfFile(first);
  if (kind === null) throw new Problem("import_file_unreadable");
  const import_id = newId(now_ms);
  const row = { import_id, user_id, kind, file_name: toFileName(file.name), created_at: isoTime(now_ms) };
  const begin: Change = {
    preconditions: [...requireEnabled(user_id), requireOpen("uploads")],
    statements: [
      database
        .insertInto("imports")
        .values({ ...row, bytes: 0, status: "reading", completed_at: null })
        .compile(),
    ],
  };
  const write = (change: Change, idempotency: IdempotencyRow | null = null) =>
    commit({ database, d1, now_ms, idempotency }, change);
  await write(withBounds(begin, countAct(context, IMPORT_LIMIT, user_id)));
  try {
    const { bytes, source } = await storeSource(media, { import_id, kind }, first, chunks);
    const items = await planItems(context, kind, source);
    const counts = countItems(items);
    const { user_id: _, ...shown } = row;
    const unset = { restores_status: false, overwrites_profile: false, completed_at: null };
    const made: Import = { ...shown, ...unset, bytes, status: "ready", counts };
    const ready = database.updateTable("imports").set({ status: "ready", bytes }).where("import_id", "=", import_id);
    const planned: Change = {
      preconditions: [{ code: "unavailable", holds: hasStatus(import_id, "reading") }],
      statements: [ready.compile(), ...insertItems(context, import_id, items)],
    };
    await write(planned, await keep(made));
    return made;
  } catch (error) {
    const failed = database.deleteFrom("imports").where("import_id", "=", import_id).where("status", "=", "reading");
    const isGone = sql`NOT EXISTS (SELECT 1 FROM imports WHERE import_id = ${import_id})`;
    const removed = removeObjects(database, `imports/${import_id}/`, now_ms, isGone);
    await write({ statements: [failed.compile(), removed] });
    // The plan may have been written although D1's answer was lost.
    const found = await findImport(context, user_id, import_id);
    if (found) return found;
    throw error instanceof ZipFault || error instanceof SourceFault
      ? new Problem("import_file_unreadable", { cause: error })
      : error;
  }
}

/** Keeps the file where a step of the import finds it, and opens it. A list of members is read here and not kept. */
async function storeSource(
  media: R2Bucket,
  { import_id, kind }: { import_id: string; kind: FileKind },
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ bytes: number; source: Source }> {
  const key = importKey(import_id);
  if (kind === "archive") {
    const bytes = await sendToBucket(media, key, "application/zip", first, chunks);
    return { bytes, source: await openSource(kind, media, { key, bytes }) };
  }
  const held: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk: Uint8Array | undefined = first; chunk; ) {
    bytes += chunk.byteLength;
    if (bytes > IMPORT_TEXT_BYTES) throw new Problem("import_file_too_large");
    held.push(chunk);
    const next: IteratorResult<Uint8Array> = await chunks.next();
    chunk = next.done ? undefined : next.value;
  }
  const whole = await new Blob(held as Uint8Array<ArrayBuffer>[]).arrayBuffer();
  const source = openText(kind, whole);
  if (kind !== "members") await media.put(key, whole);
  return { bytes, source };
}

/**
 * Lists the items of an import: profile, categories and plans first, then each newsletter, post and radio after its
 * files. A plan whose price is not possible is refused here, so that its creator knows before the import begins.
 */
async function planItems(context: RequestContext, kind: FileKind, source: Source): Promise<Item[]> {
  const contents = await source.contents();
  const { posts, newsletters = [], radios = [], profile = [] } = contents;
  const size = [...posts, ...newsletters, ...radios].reduce(
    (sum, { files }) => sum + files.length + 1,
    contents.categories.length + contents.plans.length + profile.length,
  );
  if (size > ITEMS_OF_AN_IMPORT) throw new Problem("import_file_too_large");
  const items: Item[] = [];
  const named = new Set<string>();
  const addItem = (item: Item) => {
    const name = `${item.kind} ${item.item_key}`;
    if (named.has(name)) return;
    named.add(name);
    const length = item.kind === "category" ? CATEGORY_LENGTH : TITLE_LENGTH;
    items.push({ ...item, title: item.title.slice(0, length).toWellFormed() });
  };
  const planned = { state: "planned", reason: null } as const;
  for (const part of profile) addItem({ kind: "profile", item_key: part, title: PROFILE_WORDS[part], ...planned });
  for (const { key, title } of contents.categories) addItem({ kind: "category", item_key: key, title, ...planned });
  for (const { key, title } of contents.plans) {
    const reason = refusalOfPrice(source.readPlan?.(key).amount ?? null);
    addItem({ kind: "plan", item_key: key, title, state: reason === null ? "planned" : "refused", reason });
  }
  const addWithFiles = async (once: OnceKind, all: Contents["posts"]) => {
    const keys = all.map(({ key }) => ({ source_key: sourceKeyOf(kind, key), key }));
    const known = await findKnown(context.database, memberId(context), once, keys);
    for (const { key, title, files } of all) {
      const item = { kind: once, item_key: key, title };
      if (known.has(sourceKeyOf(kind, key))) {
        addItem({ ...item, state: "skipped", reason: ALREADY_HERE });
        continue;
      }
      for (const file of files) addItem({ kind: "file", item_key: file.key, title: file.title, ...planned });
      addItem({ ...item, ...planned });
    }
  };
  await addWithFiles("newsletter", newsletters);
  await addWithFiles("post", posts);
  await addWithFiles("radio", radios);
  return items;
}

const PROFILE_WORDS: Record<ProfilePart, string> = {
  name: "表示名",
  bio: "自己紹介",
  icon: "アイコン",
  cover: "カバー画像",
  links: "外部リンク",
  genres: "ジャンル",
};

function countItems(items: readonly Item[]): Import["counts"] {
  const countsOf = (kind: Item["kind"]) => {
    const of = (state: Item["state"]) => items.filter((item) => item.kind === kind && item.state === state).length;
    return { planned: of("planned"), done: 0, skipped: of("skipped"), refused: of("refused") };
  };
  return {
    profile: countsOf("profile"),
    category: countsOf("category"),
    plan: countsOf("plan"),
    file: countsOf("file"),
    post: countsOf("post"),
    newsletter: countsOf("newsletter"),
    radio: countsOf("radio"),
  };
}

function insertItems({ database }: RequestContext, import_id: string, items: readonly Item[]): CompiledQuery[] {
  const parts = Array.from({ length: Math.ceil(items.length / ROWS_AT_ONCE) }, (_, part) => part * ROWS_AT_ONCE);
  return parts.map((from) =>
    sql`INSERT INTO import_items (import_id, position, kind, item_key, title, state, reason)
      SELECT ${import_id}, ${from} + key, value ->> 'kind', value ->> 'item_key', value ->> 'title', value ->> 'state',
        value ->> 'reason' FROM json_each(${JSON.stringify(items.slice(from, from + ROWS_AT_ONCE))})`.compile(database),
  );
}

/**
 * Begins an import of the caller's that waits. Only an archive of ours restores the public state of its posts, and
 * overwrites the profile. Changes nothing when it has begun. Throws `not_found`.
 */
export async function startImport(
  context: RequestContext,
  import_id: string,
  asked: Pick<Import, "restores_status" | "overwrites_profile">,
): Promise<{ import: Import }> {
  const { database } = context;
  const user_id = memberId(context);
  const found = await findImport(context, user_id, import_id);
  if (!found) throw new Problem("not_found");
  const is_archive = found.kind === "archive";
  const restores_status = asked.restores_status && is_archive;
  const overwrites_profile = asked.overwrites_profile && is_archive;
  const is_waiting = hasStatus(import_id, "ready");
  const set = {
    status: "importing" as const,
    restores_status: Number(restores_status),
    overwrites_profile: Number(overwrites_profile),
  };
  const change: Change = {
    preconditions: [requireOwnImport(user_id, import_id)],
    announcements: [{ event: { kind: "import_continues", payload: { import_id, round: 1 } }, only_if: is_waiting }],
    statements: [
      database
        .updateTable("imports")
        .set(set)
        .where("import_id", "=", import_id)
        .where("status", "=", "ready")
        .compile(),
    ],
  };
  const begun = { status: "importing" as const, restores_status, overwrites_profile };
  const after = found.status === "ready" ? { ...found, ...begun } : found;
  return commitAnswer(context, change, { import: after });
}

/** Forgets an import of the caller's with its file. The cron job deletes the file. Throws `not_found`. */
export function deleteImport(context: RequestContext, import_id: string): Promise<null> {
  const user_id = memberId(context);
  const change: Change = {
    preconditions: [requireOwnImport(user_id, import_id)],
    statements: [context.database.deleteFrom("imports").where("import_id", "=", import_id).compile()],
  };
  return commitAnswer(context, change, null);
}

const hasStatus = (import_id: string, status: Tables["imports"]["status"]) =>
  sql`EXISTS (SELECT 1 FROM imports WHERE import_id = ${import_id} AND status = ${status})`;

const requireOwnImport = (user_id: string, import_id: string): Precondition => ({
  code: "not_found",
  holds: sql`EXISTS (SELECT 1 FROM imports WHERE import_id = ${import_id} AND user_id = ${user_id})`,
});
