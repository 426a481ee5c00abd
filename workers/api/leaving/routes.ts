import * as contract from "../../contract/leaving.ts";
import { endpoint } from "../http/endpoint.ts";
import { commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Limit } from "../storage/limits.ts";
import { unsubscribe } from "./commands.ts";
import { exportPage } from "./queries.ts";

/** A copy of everything begins each part anew: ten an hour are more than anybody needs. */
const COPIES: Limit = { act: "export", times: 10 * contract.EXPORT_PARTS.length, window_ms: 60 * 60 * 1000 };

async function exportAccount(context: RequestContext, { part, after }: { part: contract.ExportPart; after?: string }) {
  const page = await exportPage(context, part, after);
  // What follows a beginning is a list as any other.
  return after === undefined ? commitLimited(context, COPIES, memberId(context), { statements: [] }, page) : page;
}

export const leavingRoutes = [
  endpoint(contract.unsubscribe, (_input, context) => unsubscribe(context)),
  endpoint(contract.exportAccount, ({ query }, context) => exportAccount(context, query)),
];
