import type { Domain } from "../domain.ts";
import { referenceRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: referenceRoutes,
  tables: {
    donation_campaigns: {
      people: [],
      expires: "no: letters and the ledger name the campaign",
      exported: "no: campaigns are the operator's",
      erased: "no: campaigns are the operator's",
      on_pages: [],
    },
  },
};
