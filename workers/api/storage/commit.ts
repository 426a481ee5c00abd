import type { ErrorCode } from "../../contract/errors.ts";
import { isoTime } from "../../kernel/clock.ts";
import { isDatabaseOutage } from "../../kernel/database-outage.ts";
import { Problem } from "../../kernel/problem.ts";
import {
  commitChange,
  type Change as GenericChange,
  type Precondition as GenericPrecondition,
} from "../../storage/commit.ts";
import type { Database } from "./database.ts";
import type { OutboxEvent } from "./outbox.ts";

/** Something that must hold at the moment of the write; otherwise nothing is written and `code` is thrown. */
export type Precondition = GenericPrecondition<ErrorCode>;

/** One change of the product: its preconditions, its statements, and the announcements to other domains. */
export type Change = GenericChange<OutboxEvent, ErrorCode>;

/** The answer given once under an idempotency key, to be given again. */
export interface IdempotencyRow {
  /** Person and operation. */
  scope: string;
  key: string;
  /** Rows with this key that were written before this time no longer count. Absent if all rows count. */
  counts_from?: string;
  body_hash: string;
  status: number;
  answer: unknown;
}

/** Another request with this scope and key was written first: its answer is the answer. */
export class IdempotencyRace extends Error {
  override name = "IdempotencyRace";
}

export interface Committer {
  d1: D1Database;
  database: Database;
  now_ms: number;
  idempotency: IdempotencyRow | null;
}

const TRIES = 3;
const LONGEST_PAUSE_MS = 100;

/**
 * Writes a change and its idempotency row in one batch. Returns the ids of the outbox rows (some may not exist, where
 * `only_if` was false). After an error that passes it tries again, if there is a key: a batch that was written although
 * its answer was lost is then met as a race.
 *
 * @throws `Problem` with a precondition's code, {@link IdempotencyRace}, `unavailable` after an error that did not pass, or D1's
 * own error.
 */
export async function commit(committer: Committer, change: Change): Promise<string[]> {
  for (let tried = 1; ; tried += 1) {
    try {
      // The key comes first: the request that lost a race must not be refused for what its twin has just changed.
      const { outbox_ids } = await commitChange(committer, change, keyRow(committer));
      return outbox_ids;
    } catch (error) {
      const message = error instanceof Error ? error.message : "";
      if (message.includes("UNIQUE constraint failed: idempotency_keys.")) throw new IdempotencyRace();
      if (!isDatabaseOutage(error)) throw error;
      if (!committer.idempotency || tried === TRIES) throw new Problem("unavailable", { cause: error });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS * tried));
    }
  }
}

function keyRow({ database, now_ms, idempotency }: Committer) {
  if (!idempotency) return [];
  const { scope, key: idempotency_key, counts_from, body_hash, status, answer } = idempotency;
  const row = {
    scope,
    idempotency_key,
    body_hash,
    status,
    answer: JSON.stringify(answer),
    created_at: isoTime(now_ms),
  };
  const written = database.insertInto("idempotency_keys").values(row);
  if (counts_from === undefined) return [written];
  const outdated = database
    .deleteFrom("idempotency_keys")
    .where("scope", "=", scope)
    .where("idempotency_key", "=", idempotency_key)
    .where("created_at", "<", counts_from);
  return [outdated, written];
}
