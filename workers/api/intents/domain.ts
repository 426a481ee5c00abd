import type { Domain } from "../domain.ts";
import { intentRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: intentRoutes,
  tables: {
    intents: {
      people: ["redeemed_by_user_id"],
      expires: { since: "expires_at", days: 0 },
      exported: "no: expires within half an hour",
      erased: "no: expires within half an hour",
      on_pages: [],
    },
  },
};
