import { Link } from "react-router";
import type { Image } from "../../workers/contract/fields.ts";
import { Avatar } from "../ui/avatar.tsx";

export interface HeaderViewer {
  name: string;
  link_id: string | null;
  icon_image: Image | null;
  followings_count: number;
  has_unread: boolean;
}

/** The band on top: home, and for a member the letter box, the notifications and their own menu; nothing to do under maintenance. */
export function Header({ viewer, is_closed }: { viewer: HeaderViewer | null; is_closed: boolean }) {
  return (
    <header className="header">
      <Link to="/" className="header-brand" aria-label="ofuse トップ">
        <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
          <rect x="2" y="6" width="28" height="20" rx="5" className="brand-ground" />
          <path d="M5 10.5 16 18l11-7.5" className="brand-line" />
          <circle cx="25" cy="8" r="4.5" className="brand-seal" />
        </svg>
        <span>ofuse</span>
      </Link>
      {!is_closed && (viewer ? <MemberNav viewer={viewer} /> : <VisitorNav />)}
    </header>
  );
}

function VisitorNav() {
  return (
    <nav className="header-nav" aria-label="アカウント">
      <Link to="/login" className="button button-sm button-gray-outline">
        ログイン
      </Link>
      <Link to="/signup" className="button button-sm">
        新規登録
      </Link>
    </nav>
  );
}

function MemberNav({ viewer }: { viewer: HeaderViewer }) {
  return (
    <nav className="header-nav" aria-label="メニュー">
      <Link to="/my/box" className="icon-button" aria-label="レターボックス">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <rect x="3" y="5" width="18" height="14" rx="3" />
          <path d="m4 8 8 5.5L20 8" />
        </svg>
      </Link>
      <Link
        to="/my/notifications"
        className="icon-button"
        aria-label={viewer.has_unread ? "お知らせ（未読あり）" : "お知らせ"}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15z" />
          <path d="M10 21h4" />
        </svg>
        {viewer.has_unread && <span className="unread-dot" />}
      </Link>
      <button
        type="button"
        className="header-user"
        popoverTarget="user-menu"
        aria-label={viewer.name ? `${viewer.name}のメニュー` : "アカウントのメニュー"}
      >
        <Avatar image={viewer.icon_image} size={32} />
      </button>
      <div id="user-menu" popover="auto" className="menu">
        <p className="menu-name">{viewer.name || "登録の途中です"}</p>
        {viewer.link_id && (
          <>
            <p className="menu-note">フォロー中 {viewer.followings_count}人</p>
            <Link to={`/${viewer.link_id}`}>マイページ</Link>
            <Link to="/my/box">レターボックス</Link>
            <Link to="/my/notifications">お知らせ</Link>
          </>
        )}
        <form method="post" action="/logout">
          <button type="submit">ログアウト</button>
        </form>
      </div>
    </nav>
  );
}
