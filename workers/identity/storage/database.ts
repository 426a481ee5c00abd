import { type Compilable, Kysely } from "kysely";
import { D1Dialect } from "kysely-d1";
import { isoTime } from "../../kernel/clock.ts";
import { logUnexpected } from "../../kernel/log.ts";
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

type Rows<S extends readonly Compilable[]> = { [K in keyof S]: S[K] extends Compilable<infer Row> ? Row[] : never };

/** Does all the statements or none, in their order (one D1 batch); gives the rows each returned. */
export async function commit<const S extends readonly Compilable[]>(
  { env }: Identity,
  ...statements: S
): Promise<Rows<S>> {
  const results = await env.DB.batch(
    statements.map((statement) => {
      const { sql, parameters } = statement.compile();
      return env.DB.prepare(sql).bind(...parameters);
    }),
  );
  return results.map(({ results: rows }) => rows) as Rows<S>;
}
