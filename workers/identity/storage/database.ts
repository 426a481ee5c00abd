import { type Compilable, Kysely } from "kysely";
import { D1Dialect } from "kysely-d1";
import { isoTime } from "../../kernel/clock.ts";
import type { IdentityTables } from "./schema.ts";

/** What one request or one scheduled run works with. */
export interface Identity {
  env: IdentityEnv;
  db: Kysely<IdentityTables>;
  client: Client;
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

export function openIdentity(env: IdentityEnv, now_ms: number, client: Client = NOBODY): Identity {
  const db = new Kysely<IdentityTables>({ dialect: new D1Dialect({ database: env.DB }) });
  return { env, db, client, now_ms, now: isoTime(now_ms) };
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
