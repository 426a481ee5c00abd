import { DEPENDENCIES_PATH, type DependencyState, type DependencyStates } from "../contract/health.ts";
import { TimeLimitExceeded, withTimeLimit } from "../kernel/time-limit.ts";
import type { Incoming } from "./incoming.ts";

/** How long a worker may take: each of its dependencies has two seconds. */
const LIMIT_MS = 3000;
/** All callers of one second get the same answer, so that asking makes no load. */
const SHARED_MS = 1000;
const RETRY_AFTER_S = 10;

/** The workers, and the names of what each of them tells. A worker without names is itself what is asked for. */
const workers = [
  ["API", { database: "database", search: "search", media: "media" }],
  ["IDENTITY", { database: "identity" }],
  ["MAILS", { database: "mails" }],
  ["RADIO", { sound: "radio" }],
] as const satisfies readonly (readonly [keyof WebEnv, Readonly<Record<string, string>>])[];

/** Answers that this worker works. Asks nobody: a site must not be restarted because a dependency is away. */
export function answerLiveness(): Response {
  return toResponse(200, { status: "alive" });
}

/** Answers whether everything that the site depends on works: 200, or 503 with the state of each. */
export class Readiness {
  #known: { states: DependencyStates; asked_at: number } | undefined;
  #asking: { states: Promise<DependencyStates>; asked_at: number } | undefined;

  async answer({ env, execution }: Incoming): Promise<Response> {
    const states = await this.#read(env, (work) => execution.waitUntil(work));
    const is_ready = Object.values(states).every((state) => state === "ok");
    const body = { status: is_ready ? "ready" : "not_ready", checks: states };
    return is_ready ? toResponse(200, body) : toResponse(503, body, { "retry-after": String(RETRY_AFTER_S) });
  }

  async #read(env: WebEnv, waitUntil: (work: Promise<unknown>) => void): Promise<DependencyStates> {
    const now_ms = Date.now();
    if (this.#known && Math.abs(now_ms - this.#known.asked_at) < SHARED_MS) return this.#known.states;
    // The request that asked may have been aborted. Its question usually continues, but the runtime may have ended it.
    const is_asked = this.#asking && Math.abs(now_ms - this.#asking.asked_at) < 2 * LIMIT_MS;
    if (this.#asking && is_asked) {
      return withTimeLimit(this.#asking.states, LIMIT_MS).catch(() => stateAll("silent"));
    }
    const asking = { states: askAll(env), asked_at: now_ms };
    this.#asking = asking;
    const learning = asking.states.then((states) => {
      this.#known = { states, asked_at: Date.now() };
      if (this.#asking === asking) this.#asking = undefined;
    });
    waitUntil(learning);
    return asking.states;
  }
}

function stateAll(state: DependencyState): DependencyStates {
  return Object.fromEntries(workers.flatMap(([, names]) => Object.values(names)).map((name) => [name, state]));
}

/** Asks all workers at the same time. Never throws. */
async function askAll(env: WebEnv): Promise<DependencyStates> {
  const told = await Promise.all(
    workers.map(async ([binding, names]) => {
      const states = await askWorker(env[binding]);
      return Object.entries(names).map(([name, shown]) => [shown, stateIn(states, name)] as const);
    }),
  );
  return Object.fromEntries(told.flat());
}

const stateIn = (states: DependencyStates | DependencyState, name: string): DependencyState =>
  typeof states === "string" ? states : (states[name] ?? "failed");

/** Returns what a worker tells of its dependencies, or one state for all of them when it does not answer. */
async function askWorker(worker: Fetcher): Promise<DependencyStates | DependencyState> {
  try {
    const answer = await withTimeLimit(worker.fetch(`http://worker.internal${DEPENDENCIES_PATH}`), LIMIT_MS);
    return answer.ok ? ((await withTimeLimit(answer.json(), LIMIT_MS)) as DependencyStates) : "failed";
  } catch (error) {
    return error instanceof TimeLimitExceeded ? "silent" : "failed";
  }
}

function toResponse(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers },
  });
}
