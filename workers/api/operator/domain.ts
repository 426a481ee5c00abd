import type { Domain } from "../domain.ts";
import { operatorRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: operatorRoutes,
  tables: {
    operator_acts: {
      // The id of an account or of a report.
      people: ["subject"],
      expires: "no: what operators did stays known",
      exported: "no: the operators' own record",
      erased: "no: append-only, and it holds ids alone",
      on_pages: [],
    },
    paused_features: {
      people: [],
      expires: "no: at most one row for each feature",
      exported: "no: identifies no member",
      erased: "no: identifies no member",
      on_pages: [],
    },
    changed_limits: {
      people: [],
      expires: "no: at most one row for each limit",
      exported: "no: identifies no member",
      erased: "no: identifies no member",
      on_pages: [],
    },
  },
};
