import { data, redirect } from "react-router";
import { BYTE_ORDER_MARK, cellOf, csvLine } from "../../../../workers/contract/csv.ts";
import {
  type CreatorStats,
  getCreatorStats,
  getMembershipStats,
  type MembershipStats,
} from "../../../../workers/contract/stats.ts";
import { v4Context } from "../../../request/context.ts";
import { sendFile } from "../send-file.ts";
import type { Route } from "./+types/figures-csv.ts";
import { rangeOf, STATS_PATH } from "./range.ts";
import { referrerText } from "./rankings.tsx";

/** Answers the figures of a range as a CSV file: those of each period, or the posts and hosts. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const table = url.searchParams.get("table");
  if (table !== "periods" && table !== "posts") throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const { query } = rangeOf(url);
  const [sent, plans] = await Promise.all([
    v4.send(getCreatorStats, { query }),
    table === "periods" ? v4.send(getMembershipStats, { query }) : null,
  ]);
  // The page says what is wrong with the days.
  if (!sent.ok && sent.refusal.status === 422) return redirect(STATS_PATH + url.search, 303);
  if (!sent.ok) throw v4.failure(sent.refusal);
  if (plans && !plans.ok) throw v4.failure(plans.refusal);
  const { start_date, end_date } = sent.answer;
  const lines = plans ? linesOfPeriods(sent.answer, plans.answer) : linesOfPosts(sent.answer);
  async function* texts() {
    yield BYTE_ORDER_MARK + lines.map(csvLine).join("");
  }
  return sendFile(context, texts(), { name: `ofuse-stats-${table}-${start_date}-${end_date}.csv`, type: "text/csv" });
}

type Line = (string | number)[];

function linesOfPeriods(stats: CreatorStats, plans: MembershipStats): Line[] {
  const names = ["読まれた数", "届いた手紙", "新しく応援した人", "新しいフォロワー"];
  const kinds = ["ofuse", "ファンレター", "メンバーシップ", "コメント", "返金など", "売上"];
  const ofPlans = ["入った人", "やめた人", "続けている人", "1か月の支払い"];
  return [
    ["始まりの日", "終わりの日", ...names, ...kinds, ...ofPlans],
    ...stats.periods.map(({ start_date, end_date, figures }, index): Line => {
      const { revenue } = figures;
      const plan = plans.periods[index];
      return [
        ...[start_date, end_date, figures.reads_count, figures.letters_count],
        ...[figures.supporters_count, figures.followers_count],
        ...[revenue.ofuse_v3, revenue.fan_letter_support, revenue.membership, revenue.comment_support],
        ...[revenue.corrections, revenue.earned],
        ...(plan ? [plan.joined_count, plan.left_count, plan.kept_count, plan.monthly_value] : []),
      ];
    }),
  ];
}

const linesOfPosts = (stats: CreatorStats): Line[] => [
  ["種類", "名前", "読まれた数", "いいね", "コメント"],
  ...stats.best_events.map((event): Line => {
    const { title, reads_count, likes_count, comments_count } = event;
    return ["投稿", cellOf(title), reads_count, likes_count, comments_count];
  }),
  ...stats.referrers.map((each): Line => ["どこから来たか", cellOf(referrerText(each)), each.reads_count, "", ""]),
];
