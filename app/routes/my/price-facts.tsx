import type { ReactNode } from "react";
import { Link } from "react-router";
import { DateTime } from "../../ui/date-time.tsx";
import { Price } from "../../ui/price.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import { monthlyDay } from "./subscription-words.ts";

/** A list of facts: names and values side by side, below each other on a phone. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="price-facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What a plan contains. Source: 特定商取引法 第12条の6, as below. */
export const contentsRow = (description: string) =>
  ["内容", <Paragraphs key="text" text={description || "このプランのメンバー限定の投稿を読めます。"} />] as const;

/** The later charges of a plan, its renewal and its end. Source: 特定商取引法 第12条の6, the last page before an order. */
export function renewalRows({ amount, charge_at }: { amount: number; charge_at: string }) {
  return [
    [
      "次回以降のお支払い",
      <>
        <DateTime iso={charge_at} format="date" /> に <Price amount={amount} />
        <br />
        {monthlyDay(charge_at)}に同じ金額をお支払いいただきます。
      </>,
    ],
    ["契約の期間", "1か月ごとに自動で更新します。回数の定めはなく、解約されるまで続きます。"],
    [
      "解約",
      "「加入中のプラン」から、次回のお支払いの日時（「読める期間」の終わり）の前なら、いつでも解約できます。解約しても、お支払い済みの期間の終わりまで読めます。日割りの返金はありません。",
    ],
    ["18歳未満の方", "保護者の方の同意を得てから、お申し込みください。"],
    [
      "返品・返金",
      <>
        デジタルコンテンツのため、お支払い後のキャンセルと返品はお受けできません。くわしくは
        <Link to="/transactions">特定商取引法に基づく表記</Link>と<Link to="/terms">利用規約</Link>をご覧ください。
      </>,
    ],
  ] as const;
}
