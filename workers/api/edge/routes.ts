import * as contract from "../../contract/edge.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { answerRead } from "./batch.ts";
import { findEdgeState, listSitemapEntries, listSitemapFiles } from "./queries.ts";

const HOUR_MS = 60 * 60 * 1000;
/**
 * Each worker instance caches the list of sitemap files for an hour, because finding it reads every creator and post.
 */
let cached_sitemap: { files: Awaited<ReturnType<typeof listSitemapFiles>>; found_at: number } | undefined;

export const edgeRoutes = [
  bindEndpoint(contract.getEdgeState, ({ query }, context) => findEdgeState(context, query.link_id)),
  bindEndpoint(contract.batchReads, async ({ body }, { request_id }, read) => ({
    answers: await Promise.all(body.reads.map((asked) => answerRead(asked, request_id, read))),
  })),
  bindEndpoint(contract.listSitemapFiles, async (_input, context) => {
    if (!cached_sitemap || Math.abs(context.now_ms - cached_sitemap.found_at) > HOUR_MS) {
      cached_sitemap = { files: await listSitemapFiles(context), found_at: context.now_ms };
    }
    return { files: cached_sitemap.files };
  }),
  bindEndpoint(contract.listSitemapEntries, async ({ query }, context) => ({
    entries: await listSitemapEntries(context, query.kind, query.after),
  })),
];
