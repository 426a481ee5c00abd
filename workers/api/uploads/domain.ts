import type { Domain } from "../domain.ts";
import { collectUploads } from "./commands.ts";
import { erasures, exports } from "./personal-data.ts";
import { uploadRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: uploadRoutes,
  tables: {
    images: {
      people: ["owner_user_id"],
      expires: "no: the clock collects those that nothing shows (commands.ts)",
      exported: {
        parts: ["images"],
        except: ["access", "content_type", "placeholder", "widths"],
      },
      erased: true,
      on_pages: ["UPDATE", "DELETE"],
    },
    media_files: {
      people: ["owner_user_id"],
      expires: "no: the clock collects those that nothing shows (commands.ts)",
      exported: { parts: ["media_files"], except: ["access"] },
      erased: true,
      on_pages: [],
    },
    storage_used: {
      people: ["user_id"],
      expires: "no: triggers keep it at the sum of the person's files",
      exported: "no: a sum of what the copy holds",
      erased: true,
      on_pages: [],
    },
    removed_media: {
      people: [],
      expires: "no: the clock deletes the objects, then the row",
      exported: "no: names of objects that are being deleted",
      erased: "no: goes with the objects",
      on_pages: [],
    },
    swept_uploads: {
      people: [],
      expires: "no: one row a kind",
      exported: "no: how far the clock has looked",
      erased: "no: names nobody",
      on_pages: [],
    },
  },
  upkeep: [collectUploads],
  erasures,
  exports,
};
