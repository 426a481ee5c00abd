/**
 * Opens the databases of a running Miniflare, with one HTTP request for each query. Miniflare's own `getD1Database` sends
 * six for a statement, most of which block the process: it takes seven times as long.
 */
import type { Miniflare, V4WorkerOptions } from "miniflare";
import { askSideWorker, sideWorker } from "./side-worker.ts";

const NAME = "sql";

/** Returns the worker that runs the queries, for {@link openSql}. `databases` are their names, with their ids. */
export function sqlWorker(databases: Record<string, string>): V4WorkerOptions {
  return sideWorker(NAME, { d1Databases: databases });
}

interface Query {
  sql: string;
  values: unknown[];
}

type Row = Record<string, unknown>;

/** The part of D1's statement that scripts and tests use. */
class Statement {
  readonly query: Query;
  readonly #send: (query: Query) => Promise<D1Result<Row>>;

  constructor(query: Query, send: (query: Query) => Promise<D1Result<Row>>) {
    this.query = query;
    this.#send = send;
  }

  /** @throws when JSON would change a value. */
  bind(...values: unknown[]): Statement {
    for (const value of values) {
      const is_kept = value === null || ["string", "number", "boolean"].includes(typeof value);
      if (!is_kept) throw new TypeError(`D1_TYPE_ERROR: ${Object.prototype.toString.call(value)} cannot be bound here`);
    }
    return new Statement({ sql: this.query.sql, values }, this.#send);
  }

  all(): Promise<D1Result<Row>> {
    return this.#send(this.query);
  }

  run(): Promise<D1Result<Row>> {
    return this.#send(this.query);
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.#send(this.query)).results;
    if (!row || column === undefined) return row ?? null;
    if (!(column in row)) throw new Error(`D1_COLUMN_NOTFOUND: ${column}`);
    return row[column];
  }
}

/** Returns a database of {@link sqlWorker}, which Miniflare runs beside its other workers. */
export function openSql(miniflare: Miniflare, database: string): D1Database {
  const send = async (queries: Query[], is_batch: boolean): Promise<D1Result<Row>[]> => {
    const { status, text } = await askSideWorker(miniflare, NAME, JSON.stringify({ database, queries, is_batch }));
    const answer: unknown = JSON.parse(text);
    if (status === 200) return answer as D1Result<Row>[];
    const { message, cause } = answer as { message: string; cause: string };
    throw new Error(message, { cause: new Error(cause) });
  };
  const sendOne = async (query: Query) => (await send([query], false))[0] as D1Result<Row>;
  const opened = {
    prepare: (sql: string) => new Statement({ sql, values: [] }, sendOne),
    batch(statements: Statement[]) {
      const queries = statements.map(({ query }) => query);
      return send(queries, true);
    },
  };
  return opened as unknown as D1Database;
}
