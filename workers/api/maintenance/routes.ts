import { getMaintenance } from "../../contract/maintenance.ts";
import { endpoint } from "../http/endpoint.ts";

export const maintenanceRoutes = [
  endpoint(getMaintenance, async (_input, context) => {
    const record = await context.database
      .selectFrom("maintenance")
      .select(["started_at", "finished_at"])
      .executeTakeFirst();
    return record ?? { started_at: null, finished_at: null };
  }),
];
