import * as contract from "../../contract/edge.ts";
import { endpoint } from "../http/endpoint.ts";
import { findEdgeState, listSitemapEntries, listSitemapFiles } from "./queries.ts";

export const edgeRoutes = [
  endpoint(contract.getEdgeState, ({ query }, context) => findEdgeState(context, query.link_id)),
  endpoint(contract.listSitemapFiles, async (_input, context) => ({ files: await listSitemapFiles(context) })),
  endpoint(contract.listSitemapEntries, async ({ query }, context) => ({
    entries: await listSitemapEntries(context, query.kind, query.after),
  })),
];
