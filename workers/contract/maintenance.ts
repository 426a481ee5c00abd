import * as z from "zod";
import { givenTime, time } from "./fields.ts";
import { maintenanceStatuses } from "./maintenance-status.ts";
import { defineOperation } from "./operation.ts";

/** The status of a record at a moment. Source: spec section 4, Maintenance. */
export const maintenanceStatus = z.enum(maintenanceStatuses);

/** Source: spec section 3, Maintenance record. */
export const maintenanceRecord = z
  .object({
    started_at: time.nullable().meta({ description: "始まる日時", examples: ["2026-12-01T17:00:00.000Z"] }),
    finished_at: time.nullable().meta({ description: "終わる日時", examples: ["2026-12-01T20:00:00.000Z"] }),
  })
  .meta({ id: "Maintenance", description: "メンテナンスの予定" });

/**
 * The value of the web worker's variable MAINTENANCE, which an operator sets. It is the second source of spec section
 * 7, and needs neither the API nor the database.
 */
export const statedMaintenance = z.strictObject({
  status: maintenanceStatus,
  started_at: givenTime.nullable().default(null),
  finished_at: givenTime.nullable().default(null),
});

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
