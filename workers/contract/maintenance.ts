import { z } from "zod";
import { time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** Source: spec section 3, Maintenance record; section 7. */
export const getMaintenance = defineOperation({
  id: "getMaintenance",
  method: "GET",
  path: "/api/maintenance",
  auth: "none",
  summary: "メンテナンスの予定",
  status: 200,
  answer: z.object({ started_at: time.nullable(), finished_at: time.nullable() }),
  errors: [],
});
