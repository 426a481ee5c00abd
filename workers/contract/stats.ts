import * as z from "zod";
import { count, day } from "./fields.ts";
import { defineOperation, planOperation } from "./operation.ts";

/** The span over which figures are added up. Source: product decisions, "Words of the spec made exact". */
export const aggPeriod = z.enum(["day", "week", "month"]);

/**
 * Figures for the first page. They never exceed the truth: beyond two digits they are rounded down (`1,234` becomes
 * `1,200`).
 */
export const getTopStats = defineOperation({
  id: "getTopStats",
  method: "GET",
  path: "/v4/stats/top",
  auth: "none",
  summary: "トップページの統計（上から2けたに切り捨て）",
  status: 200,
  answer: z.object({
    creators_count: count.meta({ description: "クリエイターの人数", examples: [120] }),
    events_count: count.meta({ description: "だれでも読める投稿の数", examples: [3400] }),
    ofuses_count: count.meta({ description: "届いたofuseの数", examples: [56_000] }),
  }),
  errors: [],
});
export type TopStats = z.output<typeof getTopStats.answer>;

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
