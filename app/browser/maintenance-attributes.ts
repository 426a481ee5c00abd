import type { MaintenanceReading } from "../../workers/contract/maintenance-status.ts";

/** Writes the maintenance status into attributes of the root element, where `watchMaintenance` reads it. */
export function maintenanceAttributes({ status, started_at, finished_at }: MaintenanceReading) {
  if (status === "NO_MAINTENANCE_SCHEDULED") return {};
  return {
    "data-maintenance": status,
    "data-started-at": started_at ?? undefined,
    "data-finished-at": finished_at ?? undefined,
  };
}
