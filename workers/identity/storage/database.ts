import { Kysely } from "kysely";
import { D1Dialect } from "kysely-d1";
import { isoTime } from "../../kernel/clock.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { type RowsOf, runBatch, type Statement } from "../../storage/commit.ts";
import type { IdentityTables } from "./schema.ts";

/** What one request or one scheduled run works with. */
export interface Identity {
  env: IdentityEnv;
  db: Kysely<IdentityTables>;
  client: Client;
  /** Holds the worker until the work is done, which the answer does not wait for. */
  afterAnswer(work: Promise<unknown>): void;
  now_ms: number;
  /** `now_ms` as it is stored. */
  now: string;
}

/** Who asks; a client that names no address is not limited by it. */
export interface Client {
  address: string | null;
  /** Its User-Agent, cut to what is kept. */
  device: string;
}
const NOBODY: Client = { address: null, device: "" };

/** `context`: of the request that is answered. */
export function openIdentity(
  env: IdentityEnv,
  now_ms: number,
  client: Client = NOBODY,
  context?: Pick<ExecutionContext, "waitUntil">,
): Identity {
  const db = new Kysely<IdentityTables>({ dialect: new D1Dialect({ database: env.DB }) });
  const afterAnswer = (work: Promise<unknown>) =>
    context?.waitUntil(work.catch((error: unknown) => logUnexpected(error, "after-answer")));
  return { env, db, client, afterAnswer, now_ms, now: isoTime(now_ms) };
}

/** Runs all of the statements or none, in their order. Returns the rows of each. */
export function commit<const S extends readonly Statement[]>({ env }: Identity, ...statements: S): Promise<RowsOf<S>> {
  return runBatch(env.DB, statements);
}
