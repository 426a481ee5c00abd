/**
 * A whole turn of the event loop. workerd closes a connection that rested for five seconds; a process that was busy for so
 * long (or had no core) has not heard of it yet, and would send its next request into the closed connection.
 */
export async function hearOfClosedConnections(): Promise<void> {
  for (let phase = 0; phase < 2; phase++) await new Promise((done) => setImmediate(done));
}

const ASKS: ReadonlySet<string | symbol> = new Set(["all", "first", "raw", "run"]);

/** The same database; before each request, this process hears which connections were closed while it was busy. */
export function hearFirst(d1: D1Database): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>();
  const hold = (statement: D1PreparedStatement): D1PreparedStatement => {
    const held = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => hold(target.bind(...values));
        if (!ASKS.has(name)) return target[name as keyof D1PreparedStatement];
        return async (...given: unknown[]) => {
          await hearOfClosedConnections();
          return (target[name as "all"] as (...given: unknown[]) => unknown)(...given);
        };
      },
    });
    originals.set(held, statement);
    return held;
  };
  return new Proxy(d1, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => hold(target.prepare(sql));
      if (name !== "batch") return target[name as keyof D1Database];
      return async (statements: D1PreparedStatement[]) => {
        await hearOfClosedConnections();
        return target.batch(statements.map((each) => originals.get(each) ?? each));
      };
    },
  });
}
