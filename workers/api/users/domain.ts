import type { Domain } from "../domain.ts";
import { departUser, erasures, exportProfile } from "./personal-data.ts";
import { userRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: userRoutes,
  tables: {
    users: {
      people: ["user_id", "identity_id"],
      expires: "no: letters and reports refer to the row permanently",
      exported: {
        parts: ["profile"],
        except: ["identity_id", "email_invalid", "followers_count", "followings_count", "disabled_at", "left_at"],
      },
      erased: "no: the row becomes 「退会したユーザー」",
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
    external_links: {
      people: ["user_id"],
      expires: "no: the profile shows them",
      exported: { parts: ["profile"], except: ["position"] },
      erased: true,
      on_pages: ["INSERT", "UPDATE", "DELETE"],
    },
    user_genres: {
      people: ["user_id"],
      expires: "no: the profile shows them",
      exported: { parts: ["profile"] },
      erased: true,
      on_pages: ["INSERT", "DELETE"],
    },
    // Triggers alone write this table (0061_name_endings.sql).
    name_endings: {
      people: ["user_id"],
      expires: "no: kept as long as the name",
      exported: "no: a copy of the name, for searching it",
      erased: "no: a trigger deletes the rows when the name becomes 「退会したユーザー」",
      on_pages: [],
    },
    link_id_changes: {
      people: ["user_id"],
      expires: { since: "held_until", days: 0 },
      exported: { parts: ["profile"], except: ["held_until"] },
      erased: "no: stops others from taking the leaver's link_id until it expires",
      on_pages: [],
    },
    left_identities: {
      people: ["identity_id"],
      // Rows are kept longer than any token or session of a deleted account is valid.
      expires: { since: "left_at", days: 90 },
      exported: "no: people who left cannot request an export",
      erased: "no: needed to reject the leaver's tokens",
      on_pages: [],
    },
  },
  departure: departUser,
  erasures,
  profile: exportProfile,
};
