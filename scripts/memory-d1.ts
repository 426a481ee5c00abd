/** A D1 database in this process, in memory or in a file. A statement takes microseconds here, and milliseconds through Miniflare. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { listMigrations, type MigratedDatabase, migrationsFolder } from "./migrations.ts";

/** Source: Cloudflare's documentation, D1, "Limits". */
const MAX_PARAMETERS = 100;

/** What may happen around each statement or batch: a test counts them, and kills a process in the middle. */
type Around = <T>(work: () => T) => Promise<T>;

/** A statement that changed something. */
export interface Written {
  text: string;
  values: SQLInputValue[];
}

interface Prepared {
  statement: StatementSync;
  /** Whether it answers rows. */
  has_rows: boolean;
}

/** One SQLite database, by default in memory, with the part of D1's interface that the workers use. */
export class MemoryDatabase {
  /** What changed something, in order. Only a recording database keeps it. {@link writeRecorded} repeats it on a file. */
  readonly written: Written[] = [];
  readonly #sqlite: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  readonly #countChanges: StatementSync | null;

  /** @param content the database whose migrations to apply, what {@link copy} returned, or an open file. */
  constructor(content: MigratedDatabase | Uint8Array | DatabaseSync, { is_recording = false } = {}) {
    this.#sqlite = content instanceof DatabaseSync ? content : new DatabaseSync(":memory:");
    if (content instanceof Uint8Array) this.#sqlite.deserialize(content);
    else if (typeof content === "string") {
      for (const file of listMigrations(content))
        this.#sqlite.exec(readFileSync(join(migrationsFolder(content), file), "utf8"));
    }
    this.#countChanges = is_recording ? this.#sqlite.prepare("SELECT total_changes() AS changes") : null;
  }

  /** Returns the whole database as bytes. */
  copy(): Uint8Array {
    return this.#sqlite.serialize();
  }

  /** Runs statements that are not recorded. */
  exec(text: string): void {
    this.#sqlite.exec(text);
  }

  /** Frees the memory. */
  close(): void {
    this.#sqlite.close();
  }

  run(text: string, values: readonly unknown[]): D1Result<Record<string, unknown>> {
    if (values.length > MAX_PARAMETERS) throw new Error("D1_ERROR: too many SQL variables");
    const { statement, has_rows } = this.#prepare(text);
    const bound = values.map((value) => (typeof value === "boolean" ? Number(value) : value) as SQLInputValue);
    const before = this.#changes();
    const results = has_rows ? (statement.all(...bound) as Record<string, unknown>[]) : [];
    const { changes, lastInsertRowid } = has_rows ? { changes: 0, lastInsertRowid: 0 } : statement.run(...bound);
    if (this.#changes() !== before) this.written.push({ text, values: bound });
    const meta = { changes: Number(changes), last_row_id: Number(lastInsertRowid) };
    return { success: true, results, meta } as unknown as D1Result<Record<string, unknown>>;
  }

  /** Returns a connection to the database, as a worker has it. */
  connect(around: Around = async (work) => work()): D1Database {
    const attempt = <T>(work: () => T): T => {
      try {
        return work();
      } catch (error) {
        throw new Error(`D1_ERROR: ${(error as Error).message}`, { cause: error });
      }
    };
    const execute = (text: string, values: readonly unknown[]) => around(() => attempt(() => this.run(text, values)));
    const prepare = (text: string, values: readonly unknown[] = []) => ({
      text,
      values,
      bind: (...given: unknown[]) => prepare(text, given),
      all: () => execute(text, values),
      run: () => execute(text, values),
      first: async (column?: string) => {
        const [row] = (await execute(text, values)).results;
        return row === undefined ? null : column === undefined ? row : row[column];
      },
    });
    const batch = (list: ReturnType<typeof prepare>[]) =>
      around(() => attempt(() => this.#transact(() => list.map(({ text, values }) => this.run(text, values)))));
    return { prepare, batch } as unknown as D1Database;
  }

  #prepare(text: string): Prepared {
    let prepared = this.#prepared.get(text);
    if (!prepared) {
      const statement = this.#sqlite.prepare(text);
      prepared = { statement, has_rows: statement.columns().length > 0 };
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }

  #changes(): unknown {
    return this.#countChanges?.get()?.changes;
  }

  /** Runs all of the work, or none. */
  #transact<T>(work: () => T): T {
    const before = this.written.length;
    this.#sqlite.exec("BEGIN");
    try {
      const result = work();
      this.#sqlite.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
      this.written.length = before;
      throw error;
    }
  }
}

/** Repeats what was written on the file of a database that nothing else has open. */
export function writeRecorded(file: string, written: readonly Written[]): void {
  const sqlite = new DatabaseSync(file);
  const prepared = new Map<string, StatementSync>();
  sqlite.exec("BEGIN");
  for (const { text, values } of written) {
    const statement = prepared.get(text) ?? sqlite.prepare(text);
    prepared.set(text, statement);
    statement.run(...values);
  }
  sqlite.exec("COMMIT");
  sqlite.close();
}
