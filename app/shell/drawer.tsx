import { type ReactNode, useId } from "react";
import { Link, NavLink } from "react-router";
import { sideMenuRole } from "../browser/stored-keys.ts";
import { useStored } from "../browser/use-stored.ts";
import { Avatar } from "../people/avatar.tsx";
import { ShareIcon } from "../post/icons.tsx";
import { useTakesMoney } from "../site/money.tsx";
import type { SiteLinks } from "../site/site-links.ts";
import { UnreadDot } from "../ui/badge.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { HeartIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { CloseButton, Sheet } from "../ui/sheet.tsx";
import { Brand } from "./brand.tsx";
import { useEntryPaths } from "./entry-paths.ts";
import {
  BellIcon,
  HomeIcon,
  LetterIcon,
  NewsletterIcon,
  PeopleIcon,
  PlanIcon,
  PlusIcon,
  PostIcon,
  RadioIcon,
  SearchIcon,
  SettingsIcon,
  TicketIcon,
  ToolsIcon,
  YenIcon,
} from "./icons.tsx";
import { NewsletterNote } from "./newsletter-note.tsx";
import type { ShellViewer } from "./shell-viewer.ts";

/** The id of the drawer's `<dialog>`, which the header's menu button opens. */
export const DRAWER = "drawer";

const NOTIFICATIONS = "/my/notifications";

interface DrawerProps {
  viewer: ShellViewer | null;
  /** The site's links. Null on an error page whose data could not be loaded. */
  site: SiteLinks | null;
}

/**
 * The main navigation: a fixed column in windows from 1200 px, a sheet elsewhere. The page contains both, and CSS shows
 * only one. Source: spec section 2, Shell; section 9.
 */
export function Drawer(props: DrawerProps & { is_plain: boolean }) {
  return (
    <>
      {!props.is_plain && (
        <div className="drawer drawer-fixed">
          <Contents {...props} />
        </div>
      )}
      <Sheet id={DRAWER} aria-label="メニュー" onClick={closeOnLink}>
        <div className="drawer">
          <div className="drawer-top">
            <Brand />
            <CloseButton dialog={DRAWER} />
          </div>
          <Contents {...props} />
        </div>
      </Sheet>
    </>
  );
}

/** Closes the sheet after a client-side navigation. A link that loads a document needs no closing. */
function closeOnLink(event: React.MouseEvent<HTMLDialogElement>): void {
  if ((event.target as Element).closest("a")) event.currentTarget.close();
}

function Contents({ viewer, site }: DrawerProps) {
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

interface Way {
  to: string;
  label: string;
  Icon: () => ReactNode;
  /** The link to create a new post or other content, next to the link to the list. */
  make?: { to: string; label: string; is_for_creators?: boolean };
  /** Whether members who are not creators get a link to become one. */
  invites?: boolean;
}

const visitorWays: Way[] = [
  { to: "/", label: "トップ", Icon: HomeIcon },
  { to: "/search", label: "クリエイターを探す", Icon: SearchIcon },
  { to: "/usecases", label: "活用事例", Icon: HeartIcon },
  { to: "/kit", label: "クリエイターキット", Icon: ToolsIcon },
];
const memberWays: Way[] = [
  { to: "/", label: "ホーム", Icon: HomeIcon },
  { to: "/my/box", label: "レターボックス", Icon: LetterIcon },
  { to: NOTIFICATIONS, label: "お知らせ", Icon: BellIcon },
  { to: "/my/followings", label: "フォロー中", Icon: HeartIcon },
  { to: "/my/subscriptions", label: "加入中のプラン", Icon: TicketIcon },
];
const creatorWays: Way[] = [
  { to: "/my/posts", label: "投稿", Icon: PostIcon, make: { to: "/my/posts/new", label: "投稿を作る" } },
  { to: "/my/radio", label: "ラジオ", Icon: RadioIcon },
  {
    to: "/my/news_letters",
    label: "ニュースレター",
    Icon: NewsletterIcon,
    make: { to: "/my/news_letters/new", label: "ニュースレターを作る", is_for_creators: true },
  },
  { to: "/my/memberships", label: "メンバーシップ", Icon: PlanIcon },
  { to: "/my/members", label: "フォロワー", Icon: PeopleIcon },
  { to: "/my/transactions", label: "売上", Icon: YenIcon, invites: true },
  { to: "/my/share", label: "シェア", Icon: ShareIcon },
  { to: "/my/streaming", label: "その他のツール", Icon: ToolsIcon },
];
const accountWays: Way[] = [{ to: "/my/settings", label: "設定", Icon: SettingsIcon }];

function Ways({ ways, viewer }: { ways: Way[]; viewer?: ShellViewer }) {
  const is_fan = viewer?.is_creator === false;
  return (
    <ul>
      {ways.map(({ to, label, Icon, make, invites }) => (
        <li key={to} className={make || invites ? "drawer-row" : undefined}>
          <NavLink to={to} end={to === "/"}>
            <Icon />
            {label}
            {viewer?.has_unread && to === NOTIFICATIONS && (
              <>
                <span className="visually-hidden">（未読あり）</span>
                <UnreadDot />
              </>
            )}
          </NavLink>
          {make && <Make {...make} is_allowed={!make.is_for_creators || viewer?.is_creator === true} />}
          {invites && is_fan && <MonetizeLink />}
        </li>
      ))}
    </ul>
  );
}

/** The prompt beside the earnings. Source: spec section 6. */
function MonetizeLink() {
  if (!useTakesMoney()) return null;
  return (
    <Link to="/signup/monetize">
      <small>収益化登録</small>
    </Link>
  );
}

/** The link to create a post or other content. If the viewer lacks the right, a menu that says what they need. */
function Make({ to, label, is_allowed }: NonNullable<Way["make"]> & { is_allowed: boolean }) {
  const id = useId();
  if (is_allowed) {
    return (
      <Link to={to} className="icon-button" aria-label={label} title={label}>
        <PlusIcon />
      </Link>
    );
  }
  return (
    <Menu id={id} label={`${label}（収益化登録が必要です）`} button_class="icon-button make-off" button={<PlusIcon />}>
      <NewsletterNote />
    </Menu>
  );
}

function VisitorWays() {
  const { login, sign_up } = useEntryPaths();
  return (
    <>
      <p className="drawer-entry">
        <ButtonLink to={sign_up} is_block>
          新規登録
        </ButtonLink>
        <ButtonLink to={login} variant="gray-outline" is_block>
          ログイン
        </ButtonLink>
      </p>
      <nav aria-label="メインメニュー">
        <Ways ways={visitorWays} />
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
          <b>
            <bdi>{viewer.name}</bdi>
          </b>
          <small>@{viewer.link_id}</small>
        </span>
      </Link>
      <nav aria-label="メインメニュー">
        <Ways ways={memberWays} viewer={viewer} />
      </nav>
      <CreatorWays viewer={viewer} />
      <nav aria-label="アカウントの設定">
        <Ways ways={accountWays} />
      </nav>
    </>
  );
}

/** The links for creators. A fan can collapse them; this browser remembers that. */
function CreatorWays({ viewer }: { viewer: ShellViewer }) {
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
        <Ways ways={creatorWays} viewer={viewer} />
      </details>
    </nav>
  );
}
