import type { ReactNode } from "react";
import { Link, NavLink } from "react-router";
import { sideMenuRole } from "../browser/stored-keys.ts";
import { useStored } from "../browser/use-stored.ts";
import { Avatar } from "../ui/avatar.tsx";
import { UnreadDot } from "../ui/badge.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { CloseButton, Sheet } from "../ui/dialog.tsx";
import {
  BellIcon,
  HeartIcon,
  HomeIcon,
  LetterIcon,
  NewsletterIcon,
  PeopleIcon,
  PlanIcon,
  PostIcon,
  RadioIcon,
  SearchIcon,
  SettingsIcon,
  ShareIcon,
  TicketIcon,
  ToolsIcon,
  YenIcon,
} from "../ui/icons.tsx";
import { Brand } from "./brand.tsx";
import type { ShellViewer } from "./shell-viewer.ts";
import type { SiteLinks } from "./site-links.ts";

/** The id of the sheet that the header's button opens. */
export const DRAWER = "drawer";

interface DrawerProps {
  viewer: ShellViewer | null;
  /** Null where the page itself could not be made. */
  site: SiteLinks | null;
}

/**
 * All the ways through the service: a fixed column where the window is 1200 wide, a sheet elsewhere. It stands in the page
 * twice, and only one of the two is ever laid out. Source: spec section 2, Shell; section 9.
 */
export function Drawer(props: DrawerProps & { is_plain: boolean }) {
  return (
    <>
      {!props.is_plain && (
        <div className="drawer drawer-fixed">
          <Ways {...props} />
        </div>
      )}
      <Sheet id={DRAWER} aria-label="メニュー" onClick={closeOnLink}>
        <div className="drawer">
          <div className="drawer-top">
            <Brand />
            <CloseButton dialog={DRAWER} />
          </div>
          <Ways {...props} />
        </div>
      </Sheet>
    </>
  );
}

/** Where a link loads a document the sheet goes with the page; where the page stays, it has to be closed. */
function closeOnLink(event: React.MouseEvent<HTMLDialogElement>): void {
  if ((event.target as Element).closest("a")) event.currentTarget.close();
}

function Ways({ viewer, site }: DrawerProps) {
  return (
    <>
      {viewer ? <MemberWays viewer={viewer} /> : <VisitorWays />}
      {site && (
        <nav className="drawer-more" aria-label="サービスについて">
          <ul>
            {site.siblings.map(({ name, url }) => (
              <Outside key={url} href={url}>
                {name}
              </Outside>
            ))}
            <Outside href={site.guide_url}>サービスガイド</Outside>
            <Outside href={site.faq_url}>よくある質問</Outside>
            <Outside href={site.feedback_url}>ご意見・ご要望</Outside>
          </ul>
        </nav>
      )}
    </>
  );
}

function Outside({ href, children }: { href: string; children: ReactNode }) {
  return (
    <li>
      <a href={href} rel="noopener">
        {children}
      </a>
    </li>
  );
}

function Way({
  to,
  icon,
  is_exact,
  children,
}: {
  to: string;
  icon: ReactNode;
  is_exact?: boolean;
  children: ReactNode;
}) {
  return (
    <li>
      <NavLink to={to} end={is_exact}>
        {icon}
        {children}
      </NavLink>
    </li>
  );
}

function VisitorWays() {
  return (
    <>
      <p className="drawer-entry">
        <ButtonLink to="/login#signup" is_block>
          新規登録
        </ButtonLink>
        <ButtonLink to="/login" variant="gray-outline" is_block>
          ログイン
        </ButtonLink>
      </p>
      <nav aria-label="メインメニュー">
        <ul>
          <Way to="/" icon={<HomeIcon />} is_exact>
            トップ
          </Way>
          <Way to="/search" icon={<SearchIcon />}>
            クリエイターを探す
          </Way>
          <Way to="/usecases" icon={<HeartIcon />}>
            活用事例
          </Way>
          <Way to="/kit" icon={<ToolsIcon />}>
            クリエイターキット
          </Way>
        </ul>
      </nav>
    </>
  );
}

function MemberWays({ viewer }: { viewer: ShellViewer }) {
  if (!viewer.link_id) return null;
  return (
    <>
      <Link to={`/${viewer.link_id}`} className="drawer-user">
        <Avatar image={viewer.icon_image} size={48} />
        <span>
          <b>{viewer.name}</b>
          <small>@{viewer.link_id}</small>
        </span>
      </Link>
      <nav aria-label="メインメニュー">
        <ul>
          <Way to="/" icon={<HomeIcon />} is_exact>
            ホーム
          </Way>
          <Way to="/my/box" icon={<LetterIcon />}>
            レターボックス
          </Way>
          <Way to="/my/notifications" icon={<BellIcon />}>
            お知らせ
            {viewer.has_unread && (
              <>
                <span className="visually-hidden">（未読あり）</span>
                <UnreadDot />
              </>
            )}
          </Way>
          <Way to="/my/followings" icon={<HeartIcon />}>
            フォロー中
          </Way>
          <Way to="/my/subscriptions" icon={<TicketIcon />}>
            加入中のプラン
          </Way>
        </ul>
      </nav>
      <CreatorWays />
      <nav aria-label="アカウントの設定">
        <ul>
          <Way to="/my/settings" icon={<SettingsIcon />}>
            設定
          </Way>
        </ul>
      </nav>
    </>
  );
}

/** What a creator works with. Somebody who is here as a fan may fold it away; this browser remembers it. */
function CreatorWays() {
  const [role, setRole] = useStored(sideMenuRole);
  const is_open = role !== "fan";
  return (
    <nav aria-label="クリエイター">
      <details
        open={is_open}
        onToggle={({ currentTarget: { open } }) => {
          if (open !== is_open) setRole(open ? "creator" : "fan");
        }}
      >
        <summary className="drawer-heading">クリエイター</summary>
        <ul>
          <Way to="/my/posts" icon={<PostIcon />}>
            投稿
          </Way>
          <Way to="/my/radio" icon={<RadioIcon />}>
            ラジオ
          </Way>
          <Way to="/my/news_letters" icon={<NewsletterIcon />}>
            ニュースレター
          </Way>
          <Way to="/my/memberships" icon={<PlanIcon />}>
            メンバーシップ
          </Way>
          <Way to="/my/members" icon={<PeopleIcon />}>
            フォロワー
          </Way>
          <Way to="/my/transactions" icon={<YenIcon />}>
            売上
          </Way>
          <Way to="/my/share" icon={<ShareIcon />}>
            シェア
          </Way>
          <Way to="/my/streaming" icon={<ToolsIcon />}>
            その他のツール
          </Way>
        </ul>
      </details>
    </nav>
  );
}
