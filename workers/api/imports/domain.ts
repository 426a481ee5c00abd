import { IMPORT_DAYS } from "../../contract/bounds.ts";
import type { Domain } from "../domain.ts";
import { IMPORT_LIMIT } from "./commands.ts";
import { erasures, exportProfile } from "./personal-data.ts";
import { continueImports } from "./reactions.ts";
import { importRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** An import has items to make. `round` counts the steps. */
    import_continues: { import_id: string; round: number };
  }
}

export const domain: Domain = {
  endpoints: importRoutes,
  tables: {
    imports: {
      people: ["user_id"],
      expires: { since: "created_at", days: IMPORT_DAYS },
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: [],
    },
    import_items: {
      people: [],
      expires: "no: deleted with their import",
      exported: "no: what became of each part of a file of the person's own",
      erased: true,
      on_pages: [],
    },
    imported_posts: {
      people: ["user_id"],
      expires: "no: deleted with the post",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: [],
    },
    imported_newsletters: {
      people: ["user_id"],
      expires: "no: deleted with the newsletter",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: [],
    },
    imported_radios: {
      people: ["user_id"],
      expires: "no: deleted with the radio",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: [],
    },
  },
  kinds_of_long_work: ["import_continues"],
  reactions: { import_continues: continueImports },
  limits: [IMPORT_LIMIT],
  erasures,
  profile: exportProfile,
};
