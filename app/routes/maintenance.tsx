import { data } from "react-router";
import { retryAfterSeconds } from "../../workers/contract/maintenance-status.ts";
import { pageDefaults } from "../crawlers/page-meta.ts";
import { keptContext, maintenanceContext, retryAfterContext } from "../request/context.ts";
import type { Handle } from "../shell/layout.ts";
import MaintenanceView from "../shell/maintenance-view.tsx";
import type { Route } from "./+types/maintenance.ts";

export const meta: Route.MetaFunction = ({ matches }) => [
  { title: "ただいまメンテナンス中です｜ofuse" },
  { name: "robots", content: "noindex" },
  ...pageDefaults(matches[0].loaderData?.origin ?? ""),
];

export const handle: Handle = { hides_maintenance_banner: "always" };

/** Under maintenance, the worker renders this route in place of every closed page. At other times it answers 404. */
export function loader({ context }: Route.LoaderArgs) {
  const { status, ...record } = context.get(maintenanceContext);
  if (status !== "UNDER_MAINTENANCE") throw data(null, { status: 404 });
  context.set(retryAfterContext, retryAfterSeconds(record, Date.now()));
  return data({ finished_at: record.finished_at, kept: context.get(keptContext) }, { status: 503 });
}

export default function MaintenancePage({ loaderData }: Route.ComponentProps) {
  return <MaintenanceView finished_at={loaderData.finished_at} kept={loaderData.kept} />;
}
