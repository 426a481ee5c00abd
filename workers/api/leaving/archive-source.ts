import type { ArchivedFile } from "../../contract/archive.ts";
import { fileEnding } from "../../contract/file-endings.ts";
import type { ExportPart } from "../../contract/leaving.ts";
import type { Domain } from "../domain.ts";
import type { RequestContext } from "../http/request-context.ts";
import { recordingKey } from "../radios/rules.ts";
import type { ExportItem } from "../storage/personal-data.ts";
import type { StoredFile } from "../uploads/queries.ts";
import { exportPage, type PageLimits } from "./queries.ts";
import type { ArchivePart } from "./rules.ts";

/** What the writers of an archive's files share: the person's data page by page, and the names of files. */

export interface Archiving {
  context: RequestContext;
  domains: readonly Domain[];
  /** Null for a whole archive. */
  part: ArchivePart | null;
}

const encoder = new TextEncoder();
export const encode = (text: string): Uint8Array[] => [encoder.encode(text)];

export async function* encodeAll(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield encoder.encode(text);
}

/**
 * An archive reads larger pages than the export, because D1 takes 1,000 queries of one request (storage/query-count.ts): a
 * creator may have 300,000 followers. A page is in memory several times, so pages of texts are smaller, and those of
 * documents and transcripts end with the item that makes them 12 MB: twenty of the longest posts.
 */
const LINES: PageLimits = { rows: 2000 };
const TEXTS: PageLimits = { rows: 500 };
const LONG_TEXTS: PageLimits = { rows: 100, bytes: 12_000_000 };
/** The parts whose items have no long text. */
const PARTS_OF_LINES: ReadonlySet<ExportPart> = new Set<ExportPart>([
  ...(["followings", "followers", "blocks", "liked_posts", "liked_comments", "liked_recordings"] as const),
  ...(["liked_radio_comments", "radio_chat_messages", "radio_captions", "notifications"] as const),
  ...(["transactions", "figures", "payouts", "payments", "invoices"] as const),
]);

const PARTS_OF_LONG_TEXTS: ReadonlySet<ExportPart> = new Set<ExportPart>(["posts", "newsletters", "radios"]);

/** Yields the pages of a part of the caller's data, and the items of all of them. */
export async function* pagesOf(
  { context, domains }: Archiving,
  part: ExportPart,
  begin_after?: string,
): AsyncGenerator<ExportItem[]> {
  const limits = PARTS_OF_LINES.has(part) ? LINES : PARTS_OF_LONG_TEXTS.has(part) ? LONG_TEXTS : TEXTS;
  let after = begin_after;
  do {
    const { items, next } = await exportPage(context, domains, part, after, limits);
    if (items.length > 0) yield items;
    after = next ?? undefined;
  } while (after !== undefined);
}

export function toArchivedFile(stored: StoredFile): ArchivedFile {
  const { id, kind, content_type, file_name, alt, width, height } = stored;
  return { id, kind, file: pathOf(stored), file_name, content_type, alt, width, height };
}

/** Returns the name of a file in the archive. The recordings of broadcasts have a folder of their own. */
export function pathOf({ id, key, content_type }: Pick<StoredFile, "id" | "key" | "content_type">): string {
  return `${key === recordingKey(id) ? "recordings" : "media"}/${id}${fileEnding(content_type)}`;
}

/** The files of a post, newsletter or radio, as the manifest lists them. */
export const listedFiles = ({ files }: { files: readonly ArchivedFile[] }) =>
  files.map(({ id, kind, file, file_name }) => ({ id, kind, file, file_name }));
