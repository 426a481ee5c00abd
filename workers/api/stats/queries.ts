import { type RawBuilder, sql } from "kysely";
import type {
  AggPeriod,
  CreatorFigures,
  CreatorStats,
  MembershipStats,
  StatsScope,
  TopStats,
} from "../../contract/stats.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { Database, FigureMeasure } from "../storage/database.ts";
import { type Days, dayAfter, foldReferrers, periodsOf, previousOf, roundDown, spansOf } from "./rules.ts";

/**
 * Returns the site's totals, rounded down. Triggers keep them in three rows (migration 0007), in which disabled creators
 * still count. Few accounts are disabled, so the read takes their creators away.
 */
export async function findTopStats({ database }: RequestContext, scope: StatsScope): Promise<TopStats> {
  const wanted = scope === "all" ? (["creators", "events", "ofuses"] as const) : [scope];
  const rows = await database
    .selectFrom("totals")
    .select("scope")
    .select(
      sql<number>`max(0, total - iif(scope = 'creators', (SELECT COUNT(*) FROM users INDEXED BY users_disabled
        WHERE disabled_at IS NOT NULL AND is_creator = 1), 0))`.as("total"),
    )
    .where("scope", "in", wanted)
    .execute();
  const shownOf = (name: (typeof rows)[number]["scope"]) =>
    wanted.some((each) => each === name) ? roundDown(rows.find((row) => row.scope === name)?.total ?? 0) : null;
  return {
    creators_count: shownOf("creators"),
    events_count: shownOf("events"),
    ofuses_count: shownOf("ofuses"),
  };
}

/** A range of days under a number, by which its sums are found again. */
interface NumberedDays extends Days {
  n: number;
}
interface Sum {
  n: number;
  measure: FigureMeasure;
  subject: string;
  count: number;
  amount: number;
}

/** SQL for the ranges as `asked`. Materialized, so that their JSON is read once and not again for each figure. */
function askedFor(ranges: readonly NumberedDays[]) {
  const spans = ranges.flatMap(({ n, ...days }) => spansOf(days).map((span) => ({ n, ...span })));
  return sql`WITH asked AS MATERIALIZED (SELECT value ->> 'n' AS n, value ->> 'grain' AS grain, value ->> 'first' AS first,
      value ->> 'last' AS last, value ->> 'sign' AS sign FROM json_each(${JSON.stringify(spans)}))`;
}

/** SQL for a creator's rows of some measures in the ranges. `sign` says which are added and which are taken away. */
const figuresAsked = (user_id: string, measures: readonly FigureMeasure[]) =>
  sql`asked CROSS JOIN creator_figures AS figure
    ON figure.user_id = ${user_id} AND figure.measure IN (${sql.join(measures.map((measure) => sql.lit(measure)))})
      AND figure.grain = asked.grain AND figure.period BETWEEN asked.first AND asked.last`;

async function sumFigures(
  database: Database,
  user_id: string,
  measures: readonly FigureMeasure[],
  ranges: readonly NumberedDays[],
): Promise<Sum[]> {
  const { rows } = await sql<Sum>`${askedFor(ranges)}
    SELECT n, measure, subject, SUM(count * sign) AS count, SUM(amount * sign) AS amount
    FROM ${figuresAsked(user_id, measures)} GROUP BY n, measure, subject`.execute(database);
  return rows;
}

const COUNTED = ["letters", "supporters", "followers", "reads"] as const;
const EARNED = ["ofuse_v3", "fan_letter_support", "membership", "comment_support", "corrections"] as const;

/** The sums of a range. Null where it has no figures. */
type Series = { n: number; earned: number | null } & Record<(typeof COUNTED | typeof EARNED)[number], number | null>;

/** Returns one row for each range that has figures: a row for each figure would be five times as many. */
async function sumSeries(database: Database, user_id: string, ranges: readonly NumberedDays[]): Promise<Series[]> {
  const sums = [
    ...COUNTED.map(
      (measure) => sql`SUM(count * sign) FILTER (WHERE measure = ${sql.lit(measure)}) AS ${sql.ref(measure)}`,
    ),
    ...EARNED.map(
      (kind) =>
        sql`SUM(amount * sign) FILTER (WHERE measure = 'revenue' AND subject = ${sql.lit(kind)}) AS ${sql.ref(kind)}`,
    ),
    sql`SUM(amount * sign) FILTER (WHERE measure = 'revenue') AS earned`,
  ];
  const { rows } = await sql<Series>`${askedFor(ranges)} SELECT n, ${sql.join(sums)}
    FROM ${figuresAsked(user_id, [...COUNTED, "revenue"])} GROUP BY n`.execute(database);
  return rows;
}

/** Returns the figures of the caller by period, and the same of the time before. */
export async function findCreatorStats(
  context: RequestContext,
  days: Days,
  agg_period: AggPeriod,
): Promise<CreatorStats> {
  const { database } = context;
  const user_id = memberId(context);
  const periods = periodsOf(days, agg_period);
  const before = previousOf(periods, agg_period);
  const ranges = [...periods, ...before].map((each, n) => ({ n, ...each }));
  const [sums, best_events, hosts] = await Promise.all([
    sumSeries(database, user_id, ranges),
    listBestEvents(database, user_id, days),
    sumFigures(database, user_id, ["referrers"], [{ n: 0, ...days }]),
  ]);
  const size = periods.length;
  const sums_by_range = new Map(sums.map((each) => [each.n, [each]]));
  const figuresOf = (n: number) => toFigures(sums_by_range.get(n) ?? []);
  return {
    ...days,
    agg_period,
    totals: toFigures(sums.filter(({ n }) => n < size)),
    previous: {
      start_date: before[0]?.start_date ?? days.start_date,
      end_date: before.at(-1)?.end_date ?? days.end_date,
      totals: toFigures(sums.filter(({ n }) => n >= size)),
    },
    periods: periods.map((period, index) => ({
      ...period,
      figures: figuresOf(index),
      previous: { ...(before[index] ?? period), figures: figuresOf(index + size) },
    })),
    best_events,
    referrers: foldReferrers(hosts),
  };
}

function toFigures(sums: readonly Series[]): CreatorFigures {
  const sumOf = (name: Exclude<keyof Series, "n">) => sums.reduce((sum, each) => sum + (each[name] ?? 0), 0);
  // A reaction to a deletion may come before the one to what was deleted.
  const countOf = (measure: (typeof COUNTED)[number]) => Math.max(0, sumOf(measure));
  return {
    letters_count: countOf("letters"),
    supporters_count: countOf("supporters"),
    followers_count: countOf("followers"),
    reads_count: countOf("reads"),
    revenue: {
      ofuse_v3: sumOf("ofuse_v3"),
      fan_letter_support: sumOf("fan_letter_support"),
      membership: sumOf("membership"),
      comment_support: sumOf("comment_support"),
      corrections: sumOf("corrections"),
      earned: sumOf("earned"),
    },
  };
}

const BEST_EVENTS = 10;
/** So many posts are looked up, because some of the most read may have been deleted. */
const BEST_EVENTS_LOOKED_UP = 30;

async function listBestEvents(database: Database, user_id: string, days: Days): Promise<CreatorStats["best_events"]> {
  const { rows } = await sql<CreatorStats["best_events"][number]>`${askedFor([{ n: 0, ...days }])}
    SELECT events.event_id, events.title, reads_count,
      coalesce(likes_count, 0) AS likes_count, coalesce(comments_count, 0) AS comments_count
    FROM (SELECT figure.subject, SUM(figure.count * sign) AS reads_count
      FROM ${figuresAsked(user_id, ["post_reads"])}
      GROUP BY figure.subject HAVING reads_count > 0 ORDER BY reads_count DESC, figure.subject DESC LIMIT ${sql.lit(BEST_EVENTS_LOOKED_UP)}) AS found
    CROSS JOIN events ON events.event_id = found.subject AND events.user_id = ${user_id}
    LEFT JOIN event_counts ON event_counts.event_id = events.event_id
    ORDER BY reads_count DESC, events.event_id DESC LIMIT ${sql.lit(BEST_EVENTS)}`.execute(database);
  return rows;
}

const PLANS = ["plan_joined", "plan_left", "plan_moved"] as const;
/** The number of the range that holds everything before the periods. */
const BEFORE = -1;

/** Returns who joined and left the caller's plans by period, and who was in them at the end of each. */
export async function findMembershipStats(
  context: RequestContext,
  days: Days,
  agg_period: AggPeriod,
): Promise<MembershipStats> {
  const { database } = context;
  const user_id = memberId(context);
  const periods = periodsOf(days, agg_period);
  const ranges = [
    { n: BEFORE, start_date: "2000-01-01", end_date: dayAfter(days.start_date, -1) },
    ...periods.map((period, n) => ({ n, ...period })),
  ];
  const [sums, plans] = await Promise.all([
    sumFigures(database, user_id, PLANS, ranges),
    database
      .selectFrom("memberships")
      .select(["membership_id", "title"])
      .where("user_id", "=", user_id)
      .orderBy("position")
      .execute(),
  ]);
  const last = periods.length - 1;
  return {
    ...days,
    agg_period,
    totals: toPlanFigures(sums, { first: 0, last }),
    periods: periods.map((period, n) => ({ ...period, ...toPlanFigures(sums, { first: n, last: n }) })),
    plans: plans.map((plan) => {
      const own = sums.filter(({ subject }) => subject === plan.membership_id);
      return { ...plan, ...toPlanFigures(own, { first: 0, last }) };
    }),
  };
}

/** Adds up the periods from `first` to `last`, and what was before them for those who are in a plan at the end. */
function toPlanFigures(sums: readonly Sum[], { first, last }: { first: number; last: number }) {
  const sumOf = (value: "count" | "amount", measure: FigureMeasure, from: number) =>
    sums.reduce(
      (sum, each) => (each.measure === measure && each.n >= from && each.n <= last ? sum + each[value] : sum),
      0,
    );
  const keptOf = (value: "count" | "amount") =>
    Math.max(
      0,
      sumOf(value, "plan_joined", BEFORE) - sumOf(value, "plan_left", BEFORE) + sumOf(value, "plan_moved", BEFORE),
    );
  return {
    joined_count: Math.max(0, sumOf("count", "plan_joined", first)),
    left_count: Math.max(0, sumOf("count", "plan_left", first)),
    kept_count: keptOf("count"),
    monthly_value: keptOf("amount"),
  };
}

/** A figure that is not what the tables say. */
export interface FigureDifference {
  user_id: string;
  measure: FigureMeasure;
  grain: "day" | "month";
  period: string;
  subject: string;
  /** How much the figure lacks of what the tables say; negative when it has too much. */
  missing_count: number;
  missing_amount: number;
}

/** Source: events/domain.ts keeps visits for 90 days. The day that is ending may be partly deleted. */
const VISIT_DAYS = 89;
const MOST_DIFFERENCES = 20;

/**
 * Counts the figures of the people after `after` up to `last` over the tables, and returns the first that differ. Each
 * measure is a trip of its own. Rows of the outbox that wait are counted with the figures.
 */
export async function recountFigures(
  database: Database,
  { after, last, today }: { after: string; last: string; today: string },
): Promise<FigureDifference[]> {
  const isOne = (column: string) => sql`${sql.ref(column)} > ${after} AND ${sql.ref(column)} <= ${last}`;
  const tableOf = (view: "recounted_people" | "recounted_reads" | "earned_figures", since = "") =>
    sql`SELECT user_id, measure, date(happened_at, '+9 hours') AS period, subject, count, amount
      FROM ${sql.table(view)} AS found
      WHERE ${isOne("user_id")} AND date(happened_at, '+9 hours') >= ${since}`;
  const figures = (measures: readonly FigureMeasure[], since = "") => sql`
    SELECT user_id, measure, period, subject, -count, -amount FROM creator_figures
      WHERE ${isOne("user_id")} AND measure IN (${sql.join(measures)}) AND grain = 'day' AND period >= ${since}`;
  const isWaiting = (kind: "figure_changed" | "event_visited") => sql`processed_at IS NULL AND kind = ${sql.lit(kind)}
    AND NOT EXISTS (SELECT 1 FROM figure_changes WHERE figure_changes.outbox_id = outbox.outbox_id) AND payload ->> 'user_id' > ${after}
    AND payload ->> 'user_id' <= ${last}`;
  const waiting = (measures: readonly FigureMeasure[]) => sql`
    SELECT payload ->> 'user_id', payload ->> 'measure', payload ->> 'day', payload ->> 'subject',
      -(payload ->> 'count'), -(payload ->> 'amount') FROM outbox
      WHERE ${isWaiting("figure_changed")} AND payload ->> 'measure' IN (${sql.join(measures)})`;
  const waitingVisits = (since: string) => sql`
    SELECT payload ->> 'user_id', 'post_reads', payload ->> 'day', payload ->> 'event_id', -1, 0 FROM outbox
      WHERE ${isWaiting("event_visited")} AND payload ->> 'day' >= ${since}`;
  const since = dayAfter(today, -(VISIT_DAYS - 1));
  const people: FigureMeasure[] = ["letters", "followers", "supporters", ...PLANS];
  const compared = [
    sql`${tableOf("recounted_people")} UNION ALL ${figures(people)} UNION ALL ${waiting(people)}`,
    sql`${tableOf("earned_figures")} UNION ALL ${figures(["revenue"])} UNION ALL ${waiting(["revenue"])}`,
    // A deleted post leaves its reads.
    sql`SELECT * FROM (${tableOf("recounted_reads", since)} UNION ALL ${figures(["post_reads"], since)}
        UNION ALL ${waitingVisits(since)})
      WHERE EXISTS (SELECT 1 FROM events WHERE event_id = subject)`,
    ...(["reads", "referrers"] as const).map(
      (measure) => sql`SELECT user_id, ${sql.lit(measure)} AS measure, period, '' AS subject,
          iif(measure = 'post_reads', count, -count) AS count, 0 AS amount FROM creator_figures
        WHERE ${isOne("user_id")} AND measure IN ('post_reads', ${sql.lit(measure)}) AND grain = 'day'`,
    ),
  ];
  const months = sql`SELECT user_id, measure, substr(period, 1, 7) AS period, subject,
      iif(grain = 'day', count, -count) AS count, iif(grain = 'day', amount, -amount) AS amount
    FROM creator_figures WHERE ${isOne("user_id")}`;
  const found: FigureDifference[] = [];
  const compare = async (rows: RawBuilder<unknown>, grain: "day" | "month") => {
    const differing = await sql<FigureDifference>`SELECT user_id, measure, ${sql.lit(grain)} AS grain, period, subject,
        SUM(count) AS missing_count, SUM(amount) AS missing_amount FROM (${rows}) AS chosen
      GROUP BY user_id, measure, period, subject HAVING (SUM(count) <> 0 OR SUM(amount) <> 0)
        AND EXISTS (SELECT 1 FROM users WHERE users.user_id = chosen.user_id AND left_at IS NULL)
      ORDER BY user_id, measure, period, subject LIMIT ${sql.lit(MOST_DIFFERENCES)}`.execute(database);
    found.push(...differing.rows);
  };
  for (const rows of compared) await compare(rows, "day");
  await compare(months, "month");
  return found;
}

/** Returns the last of the next `limit` people after one; null at the end. */
export async function findLastOfPart(database: Database, after: string, limit: number): Promise<string | null> {
  const rows = await database
    .selectFrom("users")
    .select("user_id")
    .where("user_id", ">", after)
    .orderBy("user_id")
    .limit(limit)
    .execute();
  return rows.at(-1)?.user_id ?? null;
}
