import * as z from "zod";
import { STATS_DAILY_DAYS, STATS_DAYS } from "./bounds.ts";
import { count, day, id } from "./fields.ts";
import { reportDay, signedYen } from "./ledger.ts";
import { defineOperation } from "./operation.ts";

/** The span over which figures are added up. Source: product decisions, "Words of the spec made exact". */
export const aggPeriod = z
  .enum(["day", "week", "month"])
  .meta({ description: "集計の単位（日、月曜日からの週、月。日本時間）", examples: ["month"] });
export type AggPeriod = z.output<typeof aggPeriod>;

/** Which totals are asked for. Source: spec section 3, search/stat scope; docs/decisions/0001. */
export const statsScope = z
  .enum(["all", "events", "ofuses"])
  .meta({ description: "ほしい数（すべて、投稿、ofuse）", examples: ["all"] });
export type StatsScope = z.output<typeof statsScope>;

/**
 * Figures for the first page. Beyond two digits they are rounded down (`1,234` becomes `1,200`), so that they do not
 * exceed the truth. Those outside the scope are null.
 */
export const getTopStats = defineOperation({
  id: "getTopStats",
  method: "GET",
  path: "/v4/stats/top",
  auth: "none",
  summary: "トップページの統計（上から2けたに切り捨て）",
  query: z.object({ scope: statsScope.default("all") }),
  status: 200,
  answer: z.object({
    creators_count: count.nullable().meta({ description: "クリエイターの人数", examples: [120] }),
    events_count: count.nullable().meta({ description: "だれでも読める投稿の数", examples: [3400] }),
    ofuses_count: count.nullable().meta({ description: "届いたofuseの数", examples: [56_000] }),
  }),
  errors: [],
});
export type TopStats = z.output<typeof getTopStats.answer>;

const DAY_MS = 24 * 60 * 60 * 1000;
const daysOf = ({ start_date, end_date }: { start_date?: string | undefined; end_date?: string | undefined }) =>
  start_date && end_date ? (Date.parse(end_date) - Date.parse(start_date)) / DAY_MS + 1 : 1;

/**
 * The days that are asked for, both included. Without days: the last 28 days, 12 weeks or 12 months, up to today.
 */
const statsQuery = (agg_period: AggPeriod) =>
  z
    .object({
      start_date: reportDay.optional(),
      end_date: reportDay.optional(),
      agg_period: aggPeriod.default(agg_period),
    })
    .refine(({ start_date, end_date }) => (start_date === undefined) === (end_date === undefined), {
      path: ["end_date"],
      error: "始まりの日と終わりの日は、両方を指定してください。",
    })
    .refine((query) => daysOf(query) >= 1, {
      path: ["end_date"],
      error: "終わりの日は、始まりの日以後にしてください。",
    })
    .refine((query) => daysOf(query) <= STATS_DAYS, {
      path: ["end_date"],
      error: `期間は${STATS_DAYS}日以内にしてください。`,
    })
    .refine((query) => query.agg_period !== "day" || daysOf(query) <= STATS_DAILY_DAYS, {
      path: ["agg_period"],
      error: `日ごとの集計は、${STATS_DAILY_DAYS}日以内の期間で使えます。`,
    });

const period = { start_date: day, end_date: day };

const figures = z
  .object({
    letters_count: count.meta({ description: "届いた手紙の数", examples: [24] }),
    supporters_count: count.meta({
      description: "この期間に、はじめて手紙や有料のコメントを送った人と、はじめてプランに入った人の数。ゲストを除く",
      examples: [6],
    }),
    followers_count: count.meta({
      description: "この期間にフォローし、いまもフォローしている人の数",
      examples: [18],
    }),
    reads_count: count.meta({
      description: "投稿がはじめて読まれた回数（1つの投稿に、1つのブラウザーで1回）",
      examples: [420],
    }),
    revenue: z
      .object({
        ofuse_v3: signedYen("ofuseの売上（円）", 3000),
        fan_letter_support: signedYen("ファンレターの売上（円）", 0),
        membership: signedYen("メンバーシップの売上（円）", 1500),
        comment_support: signedYen("コメントの売上（円）", 0),
        corrections: signedYen("返金と、支払いへの異議による増減（円）", 0),
        earned: signedYen("売上の合計（円）", 4500),
      })
      .meta({ id: "RevenueFigures", description: "手数料と寄付を除いた売上。返金は、返金した日の分から引く" }),
  })
  .meta({ id: "CreatorFigures", description: "ある期間の数" });
export type CreatorFigures = z.output<typeof figures>;

const readsCount = count.meta({ description: "この期間にはじめて読まれた回数", examples: [120] });

/** The caller's figures, each period beside the same period before. The spec has no such call: docs/decisions/0047. */
export const getCreatorStats = defineOperation({
  id: "getCreatorStats",
  method: "GET",
  path: "/v4/my/stats",
  auth: "required",
  summary: "自分の手紙、応援した人、フォロワー、読まれた数、売上の統計",
  query: statsQuery("day"),
  status: 200,
  answer: z.object({
    ...period,
    agg_period: aggPeriod,
    totals: figures,
    previous: z.object({ ...period, totals: figures }).meta({ description: "くらべる期間。すぐ前の、同じ長さの期間" }),
    periods: z.array(
      z
        .object({
          ...period,
          figures,
          previous: z.object({ ...period, figures }).meta({ description: "くらべる期間のうち、同じ順番のもの" }),
        })
        .meta({ description: "集計の単位ごとの数" }),
    ),
    best_events: z.array(
      z
        .object({
          event_id: id,
          title: z.string().meta({ description: "タイトル", examples: ["秋の色をためす"] }),
          reads_count: readsCount,
          likes_count: count.meta({ description: "いままでのいいねの数", examples: [12] }),
          comments_count: count.meta({ description: "いままでのコメントの数", examples: [3] }),
        })
        .meta({ description: "よく読まれた投稿。多い順に10件まで" }),
    ),
    referrers: z.array(
      z
        .object({
          kind: z.enum(["host", "direct", "others"]).meta({
            description: "ほかのサイト、直接（ofuseの中と、どこから来たかわからないもの）、少ないサイトのまとめ",
            examples: ["host"],
          }),
          host: z
            .string()
            .nullable()
            .meta({ description: "サイトのホスト名。ほかは null", examples: ["search.example"] }),
          reads_count: readsCount,
        })
        .meta({ description: "読む人がどこから来たか" }),
    ),
  }),
  errors: ["registration_required"],
});
export type CreatorStats = z.output<typeof getCreatorStats.answer>;

const planFigures = {
  joined_count: count.meta({ description: "入った人の数", examples: [3] }),
  left_count: count.meta({ description: "やめた人の数。支払い済みの期間が終わった日に数える", examples: [1] }),
  kept_count: count.meta({
    description: "期間の終わりに入っている人の数。利用を停止された人も、支払い済みの期間が終わるまで数える",
    examples: [12],
  }),
  monthly_value: count.meta({
    description: "期間の終わりに入っている人の、1か月の支払いの合計（円）",
    examples: [6000],
  }),
};

/** The caller's plans: who joined, left and stayed, and what their plans are worth in a month, before fees. */
export const getMembershipStats = defineOperation({
  id: "getMembershipStats",
  method: "GET",
  path: "/v4/my/stats/membership",
  auth: "required",
  summary: "自分のメンバーシップの統計",
  query: statsQuery("month"),
  status: 200,
  answer: z.object({
    ...period,
    agg_period: aggPeriod,
    totals: z.object(planFigures).meta({ description: "期間全体" }),
    periods: z.array(z.object({ ...period, ...planFigures }).meta({ description: "集計の単位ごとの数" })),
    plans: z.array(
      z
        .object({
          membership_id: id,
          title: z.string().meta({ description: "プランの名前", examples: ["アトリエ応援プラン"] }),
          ...planFigures,
        })
        .meta({ description: "プランごとの数" }),
    ),
  }),
  errors: ["registration_required"],
});
export type MembershipStats = z.output<typeof getMembershipStats.answer>;
