import type { Domain } from "../domain.ts";
import { newsRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: newsRoutes,
  tables: {
    news: {
      people: [],
      expires: "no: news stay readable",
      exported: "no: the site's own texts",
      erased: "no: the site's own texts",
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
  },
};
