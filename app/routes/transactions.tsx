import { groupDigits } from "../../workers/contract/group-digits.ts";
import {
  MINOR_LIMITS,
  PAID_OFUSE_MAX_YEN,
  PAID_OFUSE_MIN_YEN,
  PAYOUT_FEE_YEN,
  PAYOUT_MIN_YEN,
  PLAN_MAX_YEN,
  PLAN_MIN_YEN,
  PLATFORM_FEE_PERCENT,
} from "../../workers/contract/limits.ts";
import { pageMeta } from "../crawlers/page-meta.ts";
import type { Handle } from "../shell/layout.ts";
import { NoMoney, useTakesMoney } from "../site/money.tsx";
import { type NoticeField, noticeHeadings } from "../site/site.ts";
import { siteContext } from "../site/site-context.ts";
import { DateTime } from "../ui/date-time.tsx";
import { Paragraphs } from "../ui/text.tsx";
import type { Route } from "./+types/transactions.ts";

const TITLE = "特定商取引法に基づく表記";

/** This page is readable under maintenance, so it shows no warning of planned maintenance. */
export const handle: Handle = { hides_maintenance_banner: "planned" };

export const meta: Route.MetaFunction = (args) =>
  pageMeta(
    args,
    args.loaderData && {
      title: TITLE,
      description: `${args.loaderData.notice.seller}が提供するofuseの、販売価格、お支払い方法と時期、引き渡し時期、キャンセルなど、特定商取引法に基づく表記です。`,
    },
  );

export function loader({ context }: Route.LoaderArgs) {
  const { notice, revised_on } = context.get(siteContext);
  // Computed here, so that the limits are not in the scripts that pages share.
  const minor_limits = MINOR_LIMITS.map(({ until_age, yen }) => `${until_age}歳未満の方は${formatYen(yen)}まで`);
  return { notice, revised_on, minor_limits: minor_limits.join("、") };
}

const formatYen = (amount: number) => `${groupDigits(amount)}円`;

/** The prices to list, computed from the limits that the code enforces. */
const prices = [
  ["有料のofuse・有料コメント", `1通・1件 ${formatYen(PAID_OFUSE_MIN_YEN)}〜${formatYen(PAID_OFUSE_MAX_YEN)}（税込）`],
  ["メンバーシップ", `月額 ${formatYen(PLAN_MIN_YEN)}〜${formatYen(PLAN_MAX_YEN)}（税込）`],
  ["クリエイターの手数料", `受け取った金額の${PLATFORM_FEE_PERCENT}%（税込、決済手数料を含む、1円未満切り捨て）`],
  ["報酬の振込", `残高${formatYen(PAYOUT_MIN_YEN)}から。振込手数料 ${formatYen(PAYOUT_FEE_YEN)}（税込）`],
] as const;

export default function Transactions({ loaderData }: Route.ComponentProps) {
  const { notice, revised_on, minor_limits } = loaderData;
  const takes_money = useTakesMoney();
  return (
    <article className="page page-reading reading">
      <header className="reading-head">
        <h1 className="page-title">{TITLE}</h1>
        <p className="date-time">
          最終改定日 <DateTime iso={revised_on} format="date" />
        </p>
      </header>
      {!takes_money && <NoMoney />}
      <dl className="card notice-list">
        {(Object.keys(noticeHeadings) as NoticeField[]).map((field) => (
          <div key={field}>
            <dt>{noticeHeadings[field]}</dt>
            <dd>
              {field === "email" ? (
                <a href={`mailto:${notice.email}`}>{notice.email}</a>
              ) : (
                <Paragraphs text={notice[field]} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      <section>
        <h2>価格と手数料の範囲</h2>
        <p className="lead">それぞれの金額は、購入や申請を確定する前の画面に表示します。</p>
        <dl className="card notice-list">
          {[...prices, ["18歳未満の方が1か月に支払える金額", minor_limits] as const].map(([name, price]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{price}</dd>
            </div>
          ))}
        </dl>
      </section>
    </article>
  );
}
