import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { newsletterRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: newsletterRoutes,
  tables: {
    newsletters: {
      people: ["user_id"],
      expires: "no: until its writer deletes it",
      exported: { parts: ["newsletters"], except: ["updated_at"] },
      erased: true,
      on_pages: [],
    },
  },
  erasures,
  exports,
};
