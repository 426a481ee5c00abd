import { IMPORT_FILE_BYTES } from "../../contract/bounds.ts";
import * as contract from "../../contract/leaving.ts";
import type { Domain } from "../domain.ts";
import { bindEndpoint, fileEndpoint } from "../http/endpoint.ts";
import { requireRecentSignIn } from "../http/recent-sign-in.ts";
import { commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Limit } from "../storage/limits.ts";
import { streamZip } from "../zip/writer.ts";
import { archiveEntries, archiveParts, findPart } from "./archive.ts";
import { unsubscribe } from "./commands.ts";
import { exportPage } from "./queries.ts";
import { type ArchivePart, PART_LIMITS } from "./rules.ts";

/** Ten data exports in an hour, more than any person needs. An export requests the first page of each part once. */
export const EXPORT_LIMIT: Limit = {
  act: "export",
  times: 10 * contract.EXPORT_PARTS.length,
  window_ms: 60 * 60 * 1000,
};

/** Ten archives in an hour: a download that breaks off begins again. */
export const ARCHIVE_LIMIT: Limit = { act: "archive", times: 10, window_ms: 60 * 60 * 1000 };

/** More parts than an account has whose storage is full. */
export const ARCHIVE_PART_LIMIT: Limit = { act: "archive_part", times: 200, window_ms: 60 * 60 * 1000 };

const presentPart = ({ number, bytes, ids, posts_from, posts_to }: ArchivePart) => ({
  ...{ number, bytes, posts_from, posts_to },
  posts_count: ids.post.size,
  newsletters_count: ids.newsletter.size,
  radios_count: ids.radio.size,
  is_importable: bytes <= IMPORT_FILE_BYTES,
});

async function exportAccount(
  context: RequestContext,
  domains: readonly Domain[],
  { part, after }: { part: contract.ExportPart; after?: string },
) {
  const page = await exportPage(context, domains, part, after);
  // Only the first page of a part counts towards the limit on exports.
  return after === undefined ? commitLimited(context, EXPORT_LIMIT, memberId(context), { statements: [] }, page) : page;
}

export const leavingRoutes = (domains: readonly Domain[]) => [
  bindEndpoint(contract.unsubscribe, async (_input, context) => {
    requireRecentSignIn(context);
    return unsubscribe(context, domains);
  }),
  bindEndpoint(contract.exportAccount, ({ query }, context) => exportAccount(context, domains, query)),
  fileEndpoint(contract.getArchive, async ({ query: { part: number } }, context) => {
    const limit = number === undefined ? ARCHIVE_LIMIT : ARCHIVE_PART_LIMIT;
    await commitLimited(context, limit, memberId(context), { statements: [] }, null);
    const chosen = number === undefined ? null : await findPart(context, number, PART_LIMITS);
    const file_name = chosen ? `ofuse-archive-${chosen.part.number}-of-${chosen.count}.zip` : "ofuse-archive.zip";
    return { body: streamZip(archiveEntries(context, domains, chosen), context.request_id), file_name };
  }),
  bindEndpoint(contract.listArchiveParts, async (_input, context) => {
    const parts = [];
    for await (const part of archiveParts(context, PART_LIMITS)) parts.push(presentPart(part));
    return { parts };
  }),
];
