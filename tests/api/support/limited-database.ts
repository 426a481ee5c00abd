/** Source: Cloudflare D1, "Limits", "Queries per Worker invocation". */
const MAX_QUERIES = 1000;

/** Wraps databases to refuse the queries beyond D1's limit for one invocation of a worker, which the local D1 does not have. */
export function limitQueries<Name extends string>(databases: Record<Name, D1Database>): Record<Name, D1Database> {
  let sent = 0;
  const take = () => {
    if (++sent > MAX_QUERIES) throw new Error("D1_ERROR: Too many API requests by single worker invocation.");
  };
  const limited = (statement: D1PreparedStatement): D1PreparedStatement => {
    const bind = statement.bind.bind(statement);
    const all = statement.all.bind(statement);
    return Object.assign(statement, {
      bind: (...parameters: unknown[]) => limited(bind(...parameters)),
      async all() {
        take();
        return all();
      },
    });
  };
  const wrap = (d1: D1Database) => ({
    prepare: (sql: string) => limited(d1.prepare(sql)),
    async batch(statements: D1PreparedStatement[]) {
      take();
      return d1.batch(statements);
    },
  });
  return Object.fromEntries(
    Object.entries<D1Database>(databases).map(([name, d1]) => [name, wrap(d1)]),
  ) as unknown as Record<Name, D1Database>;
}
