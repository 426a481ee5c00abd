import * as contract from "../../contract/leaving.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Domain } from "../domain.ts";
import { endpoint } from "../http/endpoint.ts";
import { commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Limit } from "../storage/limits.ts";
import { unsubscribe } from "./commands.ts";
import { exportPage } from "./queries.ts";

/** A copy of everything begins each part once: ten copies an hour are more than anybody needs. */
export const COPIES: Limit = { act: "export", times: 10 * contract.EXPORT_PARTS.length, window_ms: 60 * 60 * 1000 };

/** Source: docs/decisions/0018, "Sensitive changes". */
const RECENT_SIGN_IN_S = 5 * 60;

/** Throws `recent_sign_in_required` for a token whose person did not prove who they are just now: there is no way back. */
function requireRecentSignIn({ caller, now_ms }: RequestContext): void {
  const { auth_time = 0, firebase } = caller?.claims ?? {};
  const is_recent = auth_time >= Math.floor(now_ms / 1000) - RECENT_SIGN_IN_S;
  // Whoever holds an ID token can have a custom one made: it proves nothing.
  if (!is_recent || firebase?.sign_in_provider === "custom") throw new Problem("recent_sign_in_required");
}

async function exportAccount(
  context: RequestContext,
  domains: readonly Domain[],
  { part, after }: { part: contract.ExportPart; after?: string },
) {
  const page = await exportPage(context, domains, part, after);
  // Only the first page of a part counts as a copy.
  return after === undefined ? commitLimited(context, COPIES, memberId(context), { statements: [] }, page) : page;
}

export const leavingRoutes = (domains: readonly Domain[]) => [
  endpoint(contract.unsubscribe, async (_input, context) => {
    requireRecentSignIn(context);
    return unsubscribe(context, domains);
  }),
  endpoint(contract.exportAccount, ({ query }, context) => exportAccount(context, domains, query)),
];
