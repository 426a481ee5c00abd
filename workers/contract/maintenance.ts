import { z } from "zod";
import { time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** What the record means at a moment. Source: spec section 4, Maintenance. */
export const maintenanceStatus = z.enum(["NO_MAINTENANCE_SCHEDULED", "MAINTENANCE_SCHEDULED", "UNDER_MAINTENANCE"]);

/** Source: spec section 3, Maintenance record; section 7. */
export const getMaintenance = defineOperation({
  id: "getMaintenance",
  method: "GET",
  path: "/api/maintenance",
  auth: "none",
  summary: "メンテナンスの予定",
  status: 200,
  answer: z.object({
    started_at: time.nullable().meta({ description: "始まる日時", examples: ["2026-12-01T17:00:00.000Z"] }),
    finished_at: time.nullable().meta({ description: "終わる日時", examples: ["2026-12-01T20:00:00.000Z"] }),
  }),
  errors: [],
});
