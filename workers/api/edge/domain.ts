import type { Domain } from "../domain.ts";
import { edgeRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: edgeRoutes,
  tables: {
    page_versions: {
      people: [],
      expires: "no: one row for each person with pages",
      exported: "no: random tokens",
      erased: "no: random tokens",
      on_pages: [],
    },
  },
};
