import type { MaintenanceReading } from "../../workers/contract/maintenance-status.ts";

/* What the page itself needs of the watch over maintenance, which is loaded when the page is alive. */

export const BEGUN =
  "メンテナンスが始まりました。入力した内容はこのページに残っています。終了まで、このままお待ちください。";
export const OVER = "メンテナンスが終わりました。このまま送信できます。";

/** The reading a page was made with, where `watchMaintenance` looks for it: attributes of its root element. */
export function maintenanceAttributes({ status, started_at, finished_at }: MaintenanceReading) {
  if (status === "NO_MAINTENANCE_SCHEDULED") return {};
  return {
    "data-maintenance": status,
    "data-started-at": started_at ?? undefined,
    "data-finished-at": finished_at ?? undefined,
  };
}
