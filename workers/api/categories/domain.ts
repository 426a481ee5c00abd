import type { Domain } from "../domain.ts";
import { erasures, exportProfile } from "./personal-data.ts";
import { categoryRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: categoryRoutes,
  tables: {
    event_categories: {
      people: ["user_id"],
      expires: "no: until its creator deletes it",
      exported: { parts: ["profile"], except: ["position", "created_at"] },
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
  },
  erasures,
  profile: exportProfile,
};
