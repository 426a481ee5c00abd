import type { RequestContext } from "../http/request-context.ts";

/** The one maintenance record; both moments null when nothing is planned. */
export async function findMaintenance({ database }: RequestContext) {
  const record = await database
    .selectFrom("maintenance")
    .select(["started_at", "finished_at"])
    .where("singleton", "=", 1)
    .executeTakeFirst();
  return record ?? { started_at: null, finished_at: null };
}
