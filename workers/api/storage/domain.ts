import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import type { Erasure } from "./personal-data.ts";

/** Answers kept for retries hold what was sent: all of them go in the first batch. Source of the scope: http/app.ts. */
const keptAnswers: Erasure = {
  table: "idempotency_keys",
  erase: ({ identity_id }) =>
    sql`DELETE FROM idempotency_keys WHERE scope > ${`${identity_id} `} AND scope < ${`${identity_id}!`}`,
};

/** The tables of the house itself, which belong to no domain. */
export const domain: Domain = {
  tables: {
    idempotency_keys: {
      people: ["scope"],
      // Longer than any retry of a person or a browser.
      expires: { since: "created_at", days: 2 },
      exported: "no: answers the caller has had already",
      erased: true,
      on_pages: [],
    },
    outbox: {
      people: [],
      expires: { since: "processed_at", days: 7 },
      exported: "no: ids of what the copy holds",
      erased: "no: expires after a week",
      on_pages: [],
    },
    limited_acts: {
      people: ["scope"],
      // Twice the longest window.
      expires: { since: "acted_at", days: 2 },
      exported: "no: counts of the last two days",
      erased: "no: expires after two days",
      on_pages: [],
    },
  },
  erasures: [keptAnswers],
};
