import { Outlet } from "react-router";
import styles from "../../styles/operator.css?inline";
import { type Place, SidePage } from "../../ui/side-page.tsx";
import type { Route } from "./+types/layout.ts";
import { admitOperator, refuseForm } from "./operator-page.ts";

const places: readonly Place[] = [
  { to: "/operator", label: "概要", is_exact: true },
  { to: "/operator/reports", label: "通報" },
  { to: "/operator/appeals", label: "異議" },
  { to: "/operator/removals", label: "公開の停止" },
  { to: "/operator/people", label: "人" },
  { to: "/operator/payments", label: "支払い" },
  { to: "/operator/payouts", label: "振込" },
  { to: "/operator/ledger", label: "帳簿" },
  { to: "/operator/outbox", label: "止まった出来事" },
  { to: "/operator/mails", label: "メール" },
  { to: "/operator/maintenance", label: "メンテナンス" },
  { to: "/operator/news", label: "お知らせ" },
  { to: "/operator/features", label: "機能の休止" },
  { to: "/operator/limits", label: "上限" },
  { to: "/operator/campaigns", label: "寄付キャンペーン" },
  { to: "/operator/search", label: "検索の索引" },
  { to: "/operator/acts", label: "操作の記録" },
];

export async function loader({ context }: Route.LoaderArgs) {
  await admitOperator(context);
  return null;
}

/** The address of the overview without `?index` is the layout's. */
export const action = refuseForm;

/** The operators' pages. Their styles are here, so that no other page loads them. React replaces the page of another case. */
export default function OperatorLayout({ params }: Route.ComponentProps) {
  return (
    <div className="page page-reading">
      <style>{styles}</style>
      <SidePage label="運営" list="運営のページ" places={places}>
        <Outlet key={String(Object.values(params))} />
      </SidePage>
    </div>
  );
}
