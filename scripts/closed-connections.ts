/**
 * Waits for a whole turn of the event loop, so that this process learns which connections workerd has closed. workerd
 * closes a connection after five idle seconds. A process that was busy for longer has not noticed yet, and its next
 * request would fail on the closed connection.
 */
async function waitForClosedConnections(): Promise<void> {
  for (let phase = 0; phase < 2; phase++) await new Promise((done) => setImmediate(done));
}

const ASKS: ReadonlySet<string | symbol> = new Set(["all", "first", "raw", "run"]);

/** Returns the same database, which calls {@link waitForClosedConnections} before each request. */
export function wrapForClosedConnections(d1: D1Database): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>();
  const holdStatement = (statement: D1PreparedStatement): D1PreparedStatement => {
    const held = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => holdStatement(target.bind(...values));
        if (!ASKS.has(name)) return target[name as keyof D1PreparedStatement];
        return async (...given: unknown[]) => {
          await waitForClosedConnections();
          return (target[name as "all"] as (...given: unknown[]) => unknown)(...given);
        };
      },
    });
    originals.set(held, statement);
    return held;
  };
  return new Proxy(d1, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => holdStatement(target.prepare(sql));
      if (name !== "batch") return target[name as keyof D1Database];
      return async (statements: D1PreparedStatement[]) => {
        await waitForClosedConnections();
        return target.batch(statements.map((each) => originals.get(each) ?? each));
      };
    },
  });
}
