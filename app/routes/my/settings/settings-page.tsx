import type { ReactNode } from "react";
import { Link, NavLink, useLocation } from "react-router";
import { isReady } from "../../../site/features.ts";

const places: readonly { to: string; label: string; is_exact?: boolean }[] = [
  { to: "/my/settings", label: "プロフィール", is_exact: true },
  { to: "/my/settings/email", label: "メールアドレス" },
  { to: "/my/settings/password", label: "パスワード" },
  { to: "/my/settings/providers", label: "ログイン方法" },
  { to: "/my/settings/factors", label: "二段階認証" },
  { to: "/my/settings/sessions", label: "ログイン中の端末" },
  { to: "/my/settings/notifications", label: "お知らせの受け取り方" },
  { to: "/my/settings/payments", label: "お支払い方法" },
  { to: "/my/settings/bank", label: "振込先の口座" },
  { to: "/my/settings/podcasts", label: "ポッドキャスト" },
  { to: "/my/settings/blocks", label: "ブロック" },
  { to: "/my/settings/reactions", label: "リアクション" },
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

/**
 * The layout of a settings page, with links to the other settings. Wide screens show them beside the page; narrow
 * screens show them in a menu, which closes after a navigation.
 */
export function SettingsPage({ title, completing = null, children }: SettingsPageProps) {
  const { pathname } = useLocation();
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
    <div className="settings">
      <nav className="settings-nav" aria-label="設定">
        <details key={pathname}>
          <summary className="button button-gray-outline">設定の一覧</summary>
          <ul>
            {places.map(({ to, label, is_exact = false }) => (
              <li key={to}>
                <NavLink to={to} end={is_exact}>
                  {label}
                </NavLink>
              </li>
            ))}
          </ul>
        </details>
      </nav>
      <div className="settings-body">
        <h1 className="page-title">{title}</h1>
        {children}
      </div>
    </div>
  );
}
