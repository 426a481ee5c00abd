import type { Domain } from "../domain.ts";
import { SAVES } from "./commands.ts";
import { erasures, exportProfile } from "./personal-data.ts";
import { draftRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: draftRoutes,
  tables: {
    event_drafts: {
      people: ["user_id"],
      expires: "no: words nobody published are never thrown away",
      exported: { parts: ["profile"], except: ["upload_ids", "revision"] },
      erased: true,
      on_pages: [],
    },
  },
  limits: [SAVES],
  erasures,
  profile: exportProfile,
};
