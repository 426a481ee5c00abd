import { type RawBuilder, sql } from "kysely";
import type { ExportPart } from "../../contract/leaving.ts";
import type { Domain } from "../domain.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import type { ExportItem, ExportRow } from "../storage/personal-data.ts";
import { type ArchiveUnit, UNIT_KINDS, type UnitKind } from "./rules.ts";

/** How many items one page of a data export has, unless its part sets another number. */
const EXPORT_PAGE_SIZE = 200;

/** How much one page may have. `bytes` is for parts whose keys ascend: the page ends with the item that reaches it. */
export interface PageLimits {
  rows: number;
  bytes?: number;
}

/**
 * Returns a page of one part of the caller's own data. `next` is the key to continue after, null at the end. Addresses
 * of pictures and files are valid for an hour.
 */
export async function exportPage(
  context: RequestContext,
  domains: readonly Domain[],
  part: ExportPart,
  after: string | undefined,
  limits: PageLimits | null = null,
): Promise<{ items: ExportItem[]; next: string | null }> {
  const user_id = memberId(context);
  if (part === "profile") return { items: [await exportProfile(context, domains, user_id)], next: null };
  const pages = domains.map(({ exports }) => exports?.[part]).find((each) => each !== undefined);
  if (!pages) throw new Error(`no domain exports ${part}`);
  const page_size = limits?.rows ?? pages.page_size ?? EXPORT_PAGE_SIZE;
  const page: RawBuilder<PageRow> = pages.select(user_id, after, sql`LIMIT ${page_size}`);
  const most_bytes = limits?.bytes ?? null;
  const { rows } = await (most_bytes === null ? page : cutAtBytes(page, most_bytes)).execute(context.database);
  const last = rows.at(-1);
  const is_cut = most_bytes !== null && Number(last?.bytes) >= most_bytes;
  const read = rows.map(({ item }) => JSON.parse(item) as ExportItem);
  const items = pages.complete ? await Promise.all(read.map((item) => pages.complete?.(context, item) ?? item)) : read;
  return { items, next: rows.length < page_size && !is_cut ? null : (last?.key ?? null) };
}

/** An item, in a page that is cut at its bytes with the sum of those up to this one. */
type PageRow = ExportRow & { bytes?: number };

const cutAtBytes = (page: RawBuilder<ExportRow>, most_bytes: number): RawBuilder<PageRow> =>
  sql`SELECT * FROM (
      SELECT key, item, SUM(octet_length(item)) OVER (ORDER BY key ROWS UNBOUNDED PRECEDING) AS bytes FROM (${page}))
    WHERE bytes - octet_length(item) < ${most_bytes} ORDER BY key`;

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

/** How many units of an archive one statement reads. */
const UNITS_AT_ONCE = 500;

/** What the files around a text take: names, headers, front matter. */
const OVERHEAD_BYTES = 4096;
/** What JSON has around the words of a caption. */
const CAPTION_OVERHEAD_BYTES = 64;

type UnitRow = Omit<ArchiveUnit, "kind">;

/** Yields what an archive of the caller can be cut at, with the stored sizes. Reads rows and no file. */
export async function* archiveUnits(context: RequestContext): AsyncGenerator<ArchiveUnit> {
  const { database } = context;
  const user_id = memberId(context);
  for (const kind of UNIT_KINDS) {
    let page: UnitRow[] = [];
    do {
      page = await listUnits(database, user_id, { kind, after: page.at(-1) ?? null, limit: UNITS_AT_ONCE });
      for (const unit of page) yield { kind, ...unit };
    } while (page.length === UNITS_AT_ONCE);
  }
}

/** Returns some units of one kind, after the given one, with the oldest first. */
export async function listUnits(
  database: Database,
  user_id: string,
  { kind, after, limit }: { kind: UnitKind; after: UnitRow | null; limit: number },
): Promise<UnitRow[]> {
  const [at, last] = [after?.created_at ?? "", after?.id ?? ""];
  const { rows } = await sql<UnitRow>`${unitsOf[kind](user_id, at, last)} LIMIT ${limit}`.execute(database);
  return rows;
}

/** A post is written three times (Markdown, HTML, JSON), a newsletter and a radio once. */
const unitsOf: Record<UnitKind, (user_id: string, at: string, last: string) => RawBuilder<unknown>> = {
  newsletter: (user_id, _at, last) => sql`SELECT newsletter_id AS id, created_at,
      ${OVERHEAD_BYTES} + octet_length(coalesce(document, body)) + coalesce((SELECT SUM(images.bytes)
        FROM json_each(pictures) CROSS JOIN images ON images.image_id = json_each.value ->> 'image_id'), 0) AS bytes,
      1 + json_array_length(pictures) AS items
    FROM newsletters WHERE user_id = ${user_id} AND newsletter_id > ${last} ORDER BY newsletter_id`,
  post: (user_id, at, last) => sql`SELECT event_id AS id, created_at,
      ${OVERHEAD_BYTES} + 3 * octet_length(coalesce(document, body))
        + coalesce((SELECT SUM(images.bytes) FROM event_images CROSS JOIN images USING (image_id)
          WHERE event_images.event_id = events.event_id), 0)
        + coalesce((SELECT SUM(media_files.bytes) FROM event_media CROSS JOIN media_files USING (media_id)
          WHERE event_media.event_id = events.event_id), 0) AS bytes,
      1 + (SELECT COUNT(*) FROM event_images WHERE event_images.event_id = events.event_id)
        + (SELECT COUNT(*) FROM event_media WHERE event_media.event_id = events.event_id) AS items
    FROM events WHERE user_id = ${user_id} AND (created_at, event_id) > (${at}, ${last}) ORDER BY created_at, event_id`,
  radio: (user_id, _at, last) => sql`SELECT radio_id AS id, created_at,
      ${OVERHEAD_BYTES} + octet_length(description) + octet_length(transcript)
        + iif(recording_state = 'completed', coalesce(bytes, 0), 0)
        + coalesce((SELECT images.bytes FROM images WHERE images.image_id = radios.image_id), 0)
        + coalesce((SELECT SUM(${CAPTION_OVERHEAD_BYTES} + octet_length(words)) FROM radio_captions
          WHERE radio_captions.radio_id = radios.radio_id), 0) AS bytes,
      1 + (image_id IS NOT NULL) + (recording_state = 'completed') AS items
    FROM radios WHERE user_id = ${user_id} AND radio_id > ${last} ORDER BY radio_id`,
  image: (user_id, at, last) => sql`SELECT image_id AS id, created_at, bytes, 1 AS items FROM images
    WHERE owner_user_id = ${user_id} AND (created_at, image_id) > (${at}, ${last}) AND processing_status = 'completed'
      AND NOT EXISTS (SELECT 1 FROM event_images WHERE event_images.image_id = images.image_id)
      AND NOT EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id}
        AND images.image_id IN (icon_image_id, cover_image_id))
      AND NOT EXISTS (SELECT 1 FROM radios WHERE radios.image_id = images.image_id)
      AND image_id NOT IN (SELECT json_each.value ->> 'image_id' FROM newsletters CROSS JOIN json_each(pictures)
        WHERE newsletters.user_id = ${user_id})
    ORDER BY created_at, image_id`,
  media: (user_id, at, last) => sql`SELECT media_id AS id, created_at, bytes, 1 AS items FROM media_files
    WHERE owner_user_id = ${user_id} AND (created_at, media_id) > (${at}, ${last}) AND processing_status = 'completed'
      AND NOT EXISTS (SELECT 1 FROM event_media WHERE event_media.media_id = media_files.media_id)
      AND NOT EXISTS (SELECT 1 FROM radios WHERE radios.recording_media_id = media_files.media_id)
    ORDER BY created_at, media_id`,
};

/** Returns the stored size of the pictures of the caller's profile. */
export async function profileBytes(database: Database, user_id: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`SELECT coalesce(SUM(images.bytes), 0) AS bytes
    FROM users CROSS JOIN images ON images.image_id IN (icon_image_id, cover_image_id)
    WHERE users.user_id = ${user_id}`.execute(database);
  return rows[0]?.bytes ?? 0;
}
