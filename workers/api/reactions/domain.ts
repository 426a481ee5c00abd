import type { Domain } from "../domain.ts";
import { erasures, exportProfile } from "./personal-data.ts";
import { reactionRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: reactionRoutes,
  tables: {
    reaction_settings: {
      people: ["user_id"],
      expires: "no: the settings of an account",
      exported: { parts: ["profile"], except: ["updated_at"] },
      erased: true,
      on_pages: [],
    },
  },
  erasures,
  profile: exportProfile,
};
