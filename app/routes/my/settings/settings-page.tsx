import type { ReactNode } from "react";
import { Link } from "react-router";
import { isReady } from "../../../site/features.ts";
import { type Place, SidePage } from "../../../ui/side-page.tsx";

const places: readonly Place[] = [
  { to: "/my/settings", label: "プロフィール", is_exact: true },
  { to: "/my/settings/email", label: "メールアドレス" },
  { to: "/my/settings/password", label: "パスワード" },
  { to: "/my/settings/providers", label: "ログイン方法" },
  { to: "/my/settings/factors", label: "二段階認証" },
  { to: "/my/settings/sessions", label: "ログイン中の端末" },
  { to: "/my/settings/notifications", label: "お知らせの受け取り方" },
  { to: "/my/settings/display", label: "画面の表示" },
  { to: "/my/settings/payments", label: "お支払い方法" },
  { to: "/my/settings/bank", label: "振込先の口座" },
  { to: "/my/settings/podcasts", label: "ポッドキャスト" },
  { to: "/my/settings/blocks", label: "ブロック" },
  { to: "/my/settings/reactions", label: "リアクション" },
  { to: "/my/settings/archive", label: "データの保存" },
  { to: "/my/settings/import", label: "データの取り込み" },
  ...(isReady("leaving") ? [{ to: "/my/settings/leave", label: "退会" }] : []),
];

interface SettingsPageProps {
  title: string;
  /**
   * The address of the page that completes the account; an incomplete account is redirected there from every other
   * page.
   */
  completing?: string | null;
  children: ReactNode;
}

/** The layout of a settings page, with links to the other settings. */
export function SettingsPage({ title, completing = null, children }: SettingsPageProps) {
  if (completing) {
    return (
      <div className="page-narrow settings-body">
        <p className="back">
          <Link to={completing}>アカウントの登録へ戻る</Link>
        </p>
        <h1 className="page-title">{title}</h1>
        {children}
      </div>
    );
  }
  return (
    <SidePage label="設定" list="設定の一覧" places={places}>
      <h1 className="page-title">{title}</h1>
      {children}
    </SidePage>
  );
}
