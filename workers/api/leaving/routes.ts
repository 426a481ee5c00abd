import * as contract from "../../contract/leaving.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Domain } from "../domain.ts";
import { bindEndpoint } from "../http/endpoint.ts";
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

/** Deleting an account requires a sign-in within this time. Source: docs/decisions/0018, "Sensitive changes". */
const RECENT_SIGN_IN_S = 5 * 60;

/**
 * Throws `recent_sign_in_required` unless the person has just proven who they are, because leaving cannot be undone.
 */
function requireRecentSignIn({ caller, now_ms }: RequestContext): void {
  const { auth_time = 0, firebase } = caller?.claims ?? {};
  const is_recent = auth_time >= Math.floor(now_ms / 1000) - RECENT_SIGN_IN_S;
  // An ID token is enough to obtain a custom token, so signing in with a custom token proves nothing.
  if (!is_recent || firebase?.sign_in_provider === "custom") throw new Problem("recent_sign_in_required");
}

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
