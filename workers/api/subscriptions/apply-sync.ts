import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { type Change, commit } from "../storage/commit.ts";

/** Commits what the gateway said. Nothing is lost when another change came between: the clock asks again. */
export async function commitSync(context: RequestContext, change: Change): Promise<void> {
  const { d1, database, now_ms } = context;
  if (change.statements.length === 0) return;
  try {
    context.announce(await commit({ d1, database, now_ms, idempotency: null }, change));
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
}

/**
 * Whether another request or the clock wrote the same news first. Two subscriptions of one person to one plan are no such news:
 * the error of their index is thrown, so that an operator sees it.
 */
export function isOvertaken(error: unknown): boolean {
  if (error instanceof Problem) return error.code === "unavailable" || /^transfer_already_/.test(error.code);
  return error instanceof Error && /UNIQUE constraint failed: (invoices|payments)\./.test(error.message);
}
