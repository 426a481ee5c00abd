import { SqliteAdapter } from "kysely";
import { D1Dialect } from "kysely-d1";
import { letOthersRun } from "../kernel/heavy-work.ts";
import { endOfTurn } from "../kernel/turn.ts";

/**
 * Joins the reads of one request: statements that begin in the same turn of the event loop travel to D1 in one batch, and
 * equal ones travel once. Each trip to the database costs more than most of our statements.
 */

/** How many trips the reads of a request made to the database, and how many statements they carried. */
export interface ReadCount {
  trips: number;
  statements: number;
  /** Statements that the request had read before, in an earlier trip. */
  repeats: number;
}

/** Kysely runs one query at a time on SQLite. D1 takes any number. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

/** A dialect for the reads of one request. */
export class ReadDialect extends D1Dialect {
  /** @param count is increased by each read. */
  constructor(d1: D1Database, count?: ReadCount) {
    super({ database: joinReads(d1, count) });
  }

  override createAdapter() {
    return new ConcurrentAdapter();
  }
}

/** The number of trips after which long work lets others run. The requests of a page make fewer. */
const TRIPS_OF_A_TURN = 6;

interface Waiting {
  statement: D1PreparedStatement;
  answered: PromiseWithResolvers<D1Result>;
}

/** Returns the part of a database that kysely-d1 uses: `prepare(sql).bind(...).all()`. */
function joinReads(d1: D1Database, count?: ReadCount): D1Database {
  let waiting = new Map<string, Waiting>();
  let trips = 0;
  const known = new Set<string>();

  function countTrip(counted: ReadCount, keys: string[]): void {
    counted.trips++;
    counted.statements += keys.length;
    counted.repeats += keys.filter((key) => known.has(key)).length;
    for (const key of keys) known.add(key);
  }

  async function send(): Promise<void> {
    if (++trips % TRIPS_OF_A_TURN === 0) await letOthersRun();
    const sent = [...waiting.values()];
    if (count) countTrip(count, [...waiting.keys()]);
    waiting = new Map();
    const results = sent.length > 1 ? await d1.batch(sent.map(({ statement }) => statement)).catch(() => null) : null;
    // A single statement, or a batch of which one statement failed: only its own reader gets the error.
    sent.forEach(({ statement, answered }, index) => {
      const result = results?.[index];
      if (result) answered.resolve(result);
      else statement.all().then(answered.resolve, answered.reject);
    });
  }

  const read = (sql: string, parameters: unknown[]): Promise<D1Result> => {
    const key = JSON.stringify([sql, parameters]);
    const earlier = waiting.get(key);
    if (earlier) return earlier.answered.promise;
    if (waiting.size === 0) endOfTurn().then(send);
    const answered = Promise.withResolvers<D1Result>();
    waiting.set(key, { statement: d1.prepare(sql).bind(...parameters), answered });
    return answered.promise;
  };
  const prepare = (sql: string) => ({ bind: (...parameters: unknown[]) => ({ all: () => read(sql, parameters) }) });
  return { prepare } as unknown as D1Database;
}
