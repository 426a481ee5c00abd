import type { Domain } from "../domain.ts";
import { statsRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: statsRoutes,
  tables: {
    totals: {
      people: [],
      expires: "no: one row a total",
      exported: "no: counts of everybody's rows",
      erased: "no: triggers count what goes",
      on_pages: ["UPDATE"],
    },
  },
};
