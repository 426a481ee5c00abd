import { z } from "zod";
import { time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** What the record means at a moment. Source: spec section 4, Maintenance. */
export const maintenanceStatus = z.enum(["NO_MAINTENANCE_SCHEDULED", "MAINTENANCE_SCHEDULED", "UNDER_MAINTENANCE"]);
export type MaintenanceStatus = z.output<typeof maintenanceStatus>;

/** Source: spec section 3, Maintenance record. */
export const maintenanceRecord = z
  .object({
    started_at: time.nullable().meta({ description: "始まる日時", examples: ["2026-12-01T17:00:00.000Z"] }),
    finished_at: time.nullable().meta({ description: "終わる日時", examples: ["2026-12-01T20:00:00.000Z"] }),
  })
  .meta({ id: "Maintenance", description: "メンテナンスの予定" });
export type MaintenanceRecord = z.output<typeof maintenanceRecord>;

/** Where a moment stands against the record. Source: spec section 4, Maintenance. */
export function statusAt({ started_at, finished_at }: MaintenanceRecord, now_ms: number): MaintenanceStatus {
  if (started_at === null) return "NO_MAINTENANCE_SCHEDULED";
  if (now_ms < Date.parse(started_at)) return "MAINTENANCE_SCHEDULED";
  if (finished_at !== null && now_ms > Date.parse(finished_at)) return "NO_MAINTENANCE_SCHEDULED";
  return "UNDER_MAINTENANCE";
}

/** Source: spec section 7. */
export const getMaintenance = defineOperation({
  id: "getMaintenance",
  method: "GET",
  path: "/api/maintenance",
  auth: "none",
  summary: "メンテナンスの予定",
  status: 200,
  answer: maintenanceRecord,
  errors: [],
});
