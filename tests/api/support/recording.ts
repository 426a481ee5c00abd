import { d1 } from "./context.ts";

/** A statement as it was bound. */
export interface Statement {
  sql: string;
  parameters: unknown[];
}

/** D1 that remembers what it was asked. */
export function recording(statements: Statement[]): D1Database {
  return new Proxy(d1, {
    get(target, name) {
      if (name !== "prepare") {
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (sql: string) => {
        const statement = target.prepare(sql);
        return new Proxy(statement, {
          get(inner, property) {
            if (property !== "bind") {
              const value = Reflect.get(inner, property);
              return typeof value === "function" ? value.bind(inner) : value;
            }
            return (...parameters: unknown[]) => {
              statements.push({ sql, parameters });
              return inner.bind(...parameters);
            };
          },
        });
      };
    },
  });
}
