import * as contract from "../../contract/edge.ts";
import { endpoint } from "../http/endpoint.ts";
import { findEdgeState, listSitemapEntries, listSitemapFiles } from "./queries.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Found once an hour by each worker: it takes a walk over everything there is. */
let sitemap: { files: Awaited<ReturnType<typeof listSitemapFiles>>; found_at: number } | undefined;

export const edgeRoutes = [
  endpoint(contract.getEdgeState, ({ query }, context) => findEdgeState(context, query.link_id)),
  endpoint(contract.listSitemapFiles, async (_input, context) => {
    if (!sitemap || Math.abs(context.now_ms - sitemap.found_at) > HOUR_MS) {
      sitemap = { files: await listSitemapFiles(context), found_at: context.now_ms };
    }
    return { files: sitemap.files };
  }),
  endpoint(contract.listSitemapEntries, async ({ query }, context) => ({
    entries: await listSitemapEntries(context, query.kind, query.after),
  })),
];
