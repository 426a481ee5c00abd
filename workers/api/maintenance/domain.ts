import type { Domain } from "../domain.ts";
import { maintenanceRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: maintenanceRoutes,
  tables: {
    maintenance: {
      people: [],
      expires: "no: one row",
      exported: "no: only says when the site was closed",
      erased: "no: identifies nobody",
      on_pages: [],
    },
  },
};
