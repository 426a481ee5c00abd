import type { Domain } from "../domain.ts";
import { departCreator, erasures, exportProfile } from "./personal-data.ts";
import { membershipRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: membershipRoutes,
  tables: {
    memberships: {
      people: ["user_id"],
      expires: "no: until its creator leaves",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
    subscriptions: {
      people: ["user_id"],
      expires: "no: until the creator or the subscriber leaves",
      exported: { parts: ["profile"], except: ["subscription_id"] },
      erased: true,
      on_pages: [],
    },
  },
  departure: departCreator,
  erasures,
  profile: exportProfile,
};
