import type { Domain } from "../domain.ts";
import { statsRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: statsRoutes,
  tables: {
    totals: {
      people: [],
      expires: "no: one row for each total",
      exported: "no: counts of everybody's rows",
      erased: "no: triggers subtract what is deleted",
      on_pages: ["UPDATE"],
    },
  },
};
