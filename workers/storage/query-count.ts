/**
 * Counts the queries that one invocation of a worker sends to D1. D1 refuses all after the first 1,000, also those that record
 * what was done. So long work ends before them, and the next invocation continues.
 *
 * A batch counts as one query here: workerd's client of D1 sends it in one request, and the limit is one of requests. The
 * documentation does not say so.
 */
export interface QueryCount {
  sent: number;
  /** How many D1 takes. */
  most: number;
}

/** Source: Cloudflare D1, "Limits", "Queries per Worker invocation (read subrequest limits)". */
const MAX_QUERIES = 1000;
/** After this share an invocation begins nothing more. The rest is for what has begun, and for its record. */
const SPENT_SHARE = 0.9;

/** Begins to count an invocation. workerd on one machine takes any number. */
export const beginCount = (is_local: boolean): QueryCount => ({
  sent: 0,
  most: is_local ? Number.POSITIVE_INFINITY : MAX_QUERIES,
});

/** Returns the database with `batch` and `all` counted, by which our code sends its queries. */
export function countQueries(d1: D1Database, count: QueryCount): D1Database {
  const counted = (statement: D1PreparedStatement): D1PreparedStatement => {
    const bind = statement.bind.bind(statement);
    const all = statement.all.bind(statement);
    return Object.assign(statement, {
      bind: (...parameters: unknown[]) => counted(bind(...parameters)),
      all: () => {
        count.sent++;
        return all();
      },
    });
  };
  const batch: D1Database["batch"] = (statements) => {
    count.sent++;
    return d1.batch(statements);
  };
  return { prepare: (sql: string) => counted(d1.prepare(sql)), batch } as unknown as D1Database;
}

/** Whether the invocation has sent this share of its queries; without a share, whether it must begin nothing more. */
export const isSpent = ({ sent, most }: QueryCount, share = SPENT_SHARE): boolean => sent >= share * most;

/**
 * Returns a check whether half of the queries that are left now has been sent. A step of a clock that ends by it leaves
 * something to each step after it.
 */
export function halfOfRest(count: QueryCount): () => boolean {
  const last = (count.sent + SPENT_SHARE * count.most) / 2;
  return () => count.sent >= last;
}
