import { d1 } from "./context.ts";

/** Wraps D1 to be reset before the first write arrives. */
export function resetOnce(): D1Database {
  let is_reset = false;
  const batch: D1Database["batch"] = async (statements) => {
    if (is_reset || statements.length < 2) return d1.batch(statements);
    is_reset = true;
    throw new Error("D1_ERROR: D1 DB reset because its code was updated.");
  };
  return Object.assign(Object.create(d1), { prepare: d1.prepare.bind(d1), batch });
}
