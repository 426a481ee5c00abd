import type { DependencyState, DependencyStates } from "../contract/health.ts";
import { TimeLimitExceeded, withTimeLimit } from "../kernel/time-limit.ts";

/** How long a dependency may take to answer a question that costs it nothing. */
const LIMIT_MS = 2000;

/** Asks every dependency at the same time, each within its own limit, and answers their states. Never throws. */
export async function answerDependencies(asks: Readonly<Record<string, () => Promise<unknown>>>): Promise<Response> {
  const stateOf = async (ask: () => Promise<unknown>): Promise<DependencyState> => {
    try {
      await withTimeLimit(ask(), LIMIT_MS);
      return "ok";
    } catch (error) {
      return error instanceof TimeLimitExceeded ? "silent" : "failed";
    }
  };
  const states = await Promise.all(Object.entries(asks).map(async ([name, ask]) => [name, await stateOf(ask)]));
  return Response.json(Object.fromEntries(states) as DependencyStates);
}
