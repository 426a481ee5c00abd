import * as contract from "../../contract/leaving.ts";
import type { Domain } from "../domain.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { requireRecentSignIn } from "../http/recent-sign-in.ts";
import { commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Limit } from "../storage/limits.ts";
import { unsubscribe } from "./commands.ts";
import { exportPage } from "./queries.ts";

/** Ten data exports in an hour, more than any person needs. An export requests the first page of each part once. */
export const EXPORT_LIMIT: Limit = {
  act: "export",
  times: 10 * contract.EXPORT_PARTS.length,
  window_ms: 60 * 60 * 1000,
};

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
];
