import type { MaintenanceReading } from "../../workers/contract/maintenance-status.ts";

/* The constants that every page needs. The page loads the rest of the maintenance watch later. */

export const BEGUN =
  "メンテナンスが始まりました。入力した内容はこのページに残っています。終了まで、このままお待ちください。";
export const OVER = "メンテナンスが終わりました。このまま送信できます。";

/** Writes the maintenance status into attributes of the root element, where `watchMaintenance` reads it. */
export function maintenanceAttributes({ status, started_at, finished_at }: MaintenanceReading) {
  if (status === "NO_MAINTENANCE_SCHEDULED") return {};
  return {
    "data-maintenance": status,
    "data-started-at": started_at ?? undefined,
    "data-finished-at": finished_at ?? undefined,
  };
}
