import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { workHourly } from "./hourly.ts";
import { retryEndedRows } from "./outbox.ts";
import type { Erasure } from "./personal-data.ts";

/**
 * Deletes the answers stored for idempotent retries, which contain what the person sent. One batch deletes all of them.
 * http/app.ts defines the format of `scope`.
 */
const answersErasure: Erasure = {
  table: "idempotency_keys",
  erase: ({ identity_id }) =>
    sql`DELETE FROM idempotency_keys WHERE scope > ${`${identity_id} `} AND scope < ${`${identity_id}!`}`,
};

/** The tables of the storage layer, which belong to no other domain. */
export const domain: Domain = {
  tables: {
    idempotency_keys: {
      people: ["scope"],
      // Stored answers are kept longer than any person or browser retries.
      expires: { since: "created_at", days: 2 },
      exported: "no: the caller has already received the answers",
      erased: true,
      on_pages: [],
    },
    outbox: {
      people: [],
      expires: { since: "processed_at", days: 7 },
      exported: "no: only ids of exported rows",
      erased: "no: expires after a week",
      on_pages: [],
    },
    limited_acts: {
      people: ["scope"],
      // A day more than the longest window of a rate limit, which is a week (PAYMENT_LIMIT).
      expires: { since: "acted_at", days: 8 },
      exported: "no: only counts acts of the last eight days",
      erased: "no: expires after eight days",
      on_pages: [],
    },
    clock_runs: {
      people: [],
      expires: "no: one row for each step of the clock",
      exported: "no: identifies nobody",
      erased: "no: identifies nobody",
      on_pages: [],
    },
  },
  waits: [{ table: "limited_acts", column: "acted_at", longest_ms: 0 }],
  erasures: [answersErasure],
  upkeep: {
    retryEndedRows: (services) => workHourly(services, "retryEndedRows", () => retryEndedRows(services.database)),
  },
};
