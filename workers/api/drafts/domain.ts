import type { Domain } from "../domain.ts";
import { DRAFT_SAVE_LIMIT } from "./commands.ts";
import { erasures, exportProfile } from "./personal-data.ts";
import { draftRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: draftRoutes,
  tables: {
    event_drafts: {
      people: ["user_id"],
      expires: "no: unpublished words are never deleted automatically",
      exported: { parts: ["profile"], except: ["upload_ids", "revision"] },
      erased: true,
      on_pages: [],
    },
  },
  limits: [DRAFT_SAVE_LIMIT],
  erasures,
  profile: exportProfile,
};
