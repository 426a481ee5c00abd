import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { blockRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    person_blocked: { blocker_id: string; blocking_id: string };
  }
}

export const domain: Domain = {
  endpoints: blockRoutes,
  tables: {
    blocks: {
      people: ["blocker_id", "blocking_id"],
      expires: "no: until the blocker ends it",
      exported: { parts: ["blocks"] },
      erased: true,
      on_pages: [],
    },
  },
  erasures,
  exports,
};
