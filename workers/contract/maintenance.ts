import { z } from "zod";
import { time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** Source: spec section 3, Maintenance record; section 7. */
export const maintenanceRecord = z.object({ started_at: time.nullable(), finished_at: time.nullable() });
export type MaintenanceRecord = z.output<typeof maintenanceRecord>;

export type MaintenanceStatus = "NO_MAINTENANCE_SCHEDULED" | "MAINTENANCE_SCHEDULED" | "UNDER_MAINTENANCE";

/** Where a moment stands against the record. Source: spec section 4, Maintenance. */
export function maintenanceStatus({ started_at, finished_at }: MaintenanceRecord, now_ms: number): MaintenanceStatus {
  if (started_at === null) return "NO_MAINTENANCE_SCHEDULED";
  if (now_ms < Date.parse(started_at)) return "MAINTENANCE_SCHEDULED";
  if (finished_at !== null && now_ms > Date.parse(finished_at)) return "NO_MAINTENANCE_SCHEDULED";
  return "UNDER_MAINTENANCE";
}

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
