import { continueImport } from "../../../workers/api/imports/reactions.ts";
import { runBatch } from "../../../workers/storage/commit.ts";
import { d1, dispatcherOf, NOW_MS } from "./context.ts";

/** Runs an import that has begun, and kills it between any two batches: each attempt gets one batch further. */
export async function importWithKills(import_id: string): Promise<void> {
  const reacting = { ...dispatcherOf(), happened_ms: NOW_MS, attempts: 0, outbox_id: "import", tell: () => {} };
  for (let killed_at = 1; ; killed_at++) {
    let batches = 0;
    const dying = new Proxy(d1, {
      get: (target, name) =>
        name === "batch"
          ? (statements: D1PreparedStatement[]) => {
              if (++batches >= killed_at) throw new Error("killed");
              return target.batch(statements);
            }
          : Reflect.get(target, name).bind(target),
    });
    try {
      await runBatch(d1, await continueImport({ ...reacting, d1: dying }, { import_id, round: 1 }));
      return;
    } catch {}
  }
}
