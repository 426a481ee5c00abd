import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { captionRoutes } from "./routes.ts";
import { CAPTION_LIMIT } from "./rules.ts";

export const domain: Domain = {
  endpoints: captionRoutes,
  tables: {
    // The page with captions is never a shared copy, so no write changes the version of a page.
    radio_captions: {
      people: ["user_id"],
      expires: "no: until their writer deletes them, or their radio",
      exported: { parts: ["radio_captions"] },
      erased: true,
      on_pages: [],
    },
  },
  limits: [CAPTION_LIMIT],
  erasures,
  exports,
};
