import { z } from "zod";
import { day } from "./fields.ts";
import { planOperation } from "./operation.ts";

/** Over which span numbers are added up. Source: decisions, "Words of the spec made exact". */
export const aggPeriod = z.enum(["day", "week", "month"]);

export const getTopStats = planOperation({
  id: "getTopStats",
  method: "GET",
  path: "/v4/stats/top",
  auth: "none",
  summary: "トップページの統計",
});

export const getMembershipStats = planOperation({
  id: "getMembershipStats",
  method: "GET",
  path: "/v4/my/stats/membership",
  auth: "required",
  summary: "自分のメンバーシップの統計",
  query: z.object({
    start_date: day.optional(),
    end_date: day.optional(),
    agg_period: aggPeriod.default("month"),
  }),
});
