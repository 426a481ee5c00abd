import type { RequestContext } from "../http/request-context.ts";

/** Returns the one maintenance record. Both moments are null when no maintenance is planned. */
export async function findMaintenance({ database }: RequestContext) {
  const record = await database
    .selectFrom("maintenance")
    .select(["started_at", "finished_at"])
    .where("singleton", "=", 1)
    .executeTakeFirst();
  return record ?? { started_at: null, finished_at: null };
}
