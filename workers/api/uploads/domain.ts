import type { Domain } from "../domain.ts";
import { collectUploads } from "./commands.ts";
import { erasures, exports } from "./personal-data.ts";
import { uploadRoutes } from "./routes.ts";

export const domain: Domain = {
  endpoints: uploadRoutes,
  tables: {
    images: {
      people: ["owner_user_id"],
      expires: "no: the cron job deletes unused ones (commands.ts)",
      exported: {
        parts: ["images"],
        except: ["access", "content_type", "placeholder", "widths"],
      },
      erased: true,
      on_pages: ["UPDATE", "DELETE"],
    },
    media_files: {
      people: ["owner_user_id"],
      expires: "no: the cron job deletes unused ones (commands.ts)",
      exported: { parts: ["media_files"], except: ["access"] },
      erased: true,
      on_pages: [],
    },
    storage_used: {
      people: ["user_id"],
      expires: "no: triggers keep it at the sum of the person's files",
      exported: "no: the total size of exported files",
      erased: true,
      on_pages: [],
    },
    removed_media: {
      people: [],
      expires: "no: the cron job deletes the objects, then the row",
      exported: "no: names of objects that are being deleted",
      erased: "no: deleted after the objects",
      on_pages: [],
    },
    swept_uploads: {
      people: [],
      expires: "no: one row for each kind",
      exported: "no: how far the cron job has searched",
      erased: "no: identifies nobody",
      on_pages: [],
    },
  },
  upkeep: { collectUploads },
  erasures,
  exports,
};
