import { Link, useFetcher } from "react-router";
import { groupDigits } from "../../workers/contract/group-digits.ts";
import { Avatar } from "../people/avatar.tsx";
import { contentTypes } from "../post/content-types.ts";
import { UnreadDot } from "../ui/badge.tsx";
import { ButtonLink, buttonClass } from "../ui/button.tsx";
import { DialogButton } from "../ui/dialog.tsx";
import { ImageIcon, VideoIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Brand } from "./brand.tsx";
import { DRAWER } from "./drawer.tsx";
import { useEntryPaths } from "./entry-paths.ts";
import { BellIcon, HelpIcon, MenuIcon, NewsletterIcon, PlusIcon, PostIcon, RadioIcon } from "./icons.tsx";
import { LogOutMenuButtons } from "./log-out-buttons.tsx";
import { NewsletterNote } from "./newsletter-note.tsx";
import { OneTimeHint } from "./one-time-hint.tsx";
import { SearchBox } from "./search-box.tsx";
import type { ShellViewer } from "./shell-viewer.ts";

/** The header: menu button, home link, search, and the member's shortcuts. Under maintenance only the home link. */
export function Header(props: { viewer: ShellViewer | null; is_plain: boolean; is_closed: boolean }) {
  const { viewer, is_plain, is_closed } = props;
  return (
    <header className={is_plain ? "header header-plain" : "header"}>
      {!is_closed && (
        <DialogButton
          dialog={DRAWER}
          command="show-modal"
          className="icon-button menu-button"
          aria-label="メニューを開く"
        >
          <MenuIcon />
        </DialogButton>
      )}
      <Brand />
      {!is_plain && <SearchBox />}
      {viewer ? <MemberNav viewer={viewer} /> : !is_plain && <VisitorNav />}
    </header>
  );
}

/** Both buttons lead to the sign-in page. Source: spec section 2, `/login`. */
function VisitorNav() {
  const { login, sign_up } = useEntryPaths();
  return (
    <nav className="header-nav" aria-label="アカウント">
      <ButtonLink to={login} size="sm" variant="gray-outline">
        ログイン
      </ButtonLink>
      <ButtonLink to={sign_up} size="sm">
        新規登録
      </ButtonLink>
    </nav>
  );
}

const typeIcons = { post: PostIcon, image: ImageIcon, video: VideoIcon };

/**
 * The accessible name of the account menu. Begins with the text visible on the button, so that voice control finds it.
 */
function labelOf({ name, link_id }: ShellViewer, followings: string): string {
  if (!name) return "アカウントのメニュー";
  return link_id ? `${name} ${followings}のメニュー` : `${name}のメニュー`;
}

/** The account menu. In wide windows, its button also shows the name and the number of followed creators. */
function MemberNav({ viewer }: { viewer: ShellViewer }) {
  const { Form } = useFetcher();
  const followings = `フォロー中 ${groupDigits(viewer.followings_count)}人`;
  return (
    <nav className="header-nav" aria-label="メニュー">
      {viewer.link_id && <CreateMenu viewer={viewer} />}
      {viewer.link_id && (
        <Link
          to="/my/notifications"
          className="icon-button"
          aria-label={viewer.has_unread ? "お知らせ（未読あり）" : "お知らせ"}
        >
          <BellIcon />
          {viewer.has_unread && <UnreadDot />}
        </Link>
      )}
      <Menu
        id="user-menu"
        label={labelOf(viewer, followings)}
        button_class="icon-button user-button"
        button={
          <>
            <Avatar image={viewer.icon_image} size={32} />
            {viewer.link_id && (
              <span className="header-user">
                <b title={viewer.name}>
                  <bdi>{viewer.name}</bdi>
                </b>
                <small>{followings}</small>
              </span>
            )}
          </>
        }
      >
        <p className="menu-name">{viewer.name || "登録の途中です"}</p>
        {viewer.link_id && (
          <>
            <p className="menu-note">
              <Link to="/my/followings">{followings}</Link>
            </p>
            <Link to={`/${viewer.link_id}`}>マイページ</Link>
            <Link to="/my/box">レターボックス</Link>
            <Link to="/my/settings">設定</Link>
            {viewer.is_operator && <Link to="/operator">運営のページ</Link>}
            <hr />
          </>
        )}
        <Form method="post" action="/logout">
          <LogOutMenuButtons />
        </Form>
      </Menu>
    </nav>
  );
}

/**
 * The menu to create posts and other content. Only creators send newsletters. Source: spec section 2, Shell; section 6.
 */
function CreateMenu({ viewer }: { viewer: ShellViewer }) {
  return (
    <Menu
      id="create-menu"
      label="新規作成"
      button_class={`${buttonClass({ size: "sm" })} create-button`}
      button={
        <>
          <PlusIcon />
          <span>新規作成</span>
        </>
      }
    >
      {contentTypes.map(({ id, title, icon }) => {
        const TypeIcon = typeIcons[icon];
        return (
          <Link key={id} to={`/my/posts/new?content_type=${id}`}>
            <TypeIcon />
            {title}
          </Link>
        );
      })}
      <Link to="/my/radio/new">
        <RadioIcon />
        ラジオ
      </Link>
      {viewer.is_creator ? (
        <Link to="/my/news_letters/new">
          <NewsletterIcon />
          ニュースレター
          {viewer.newsletters_left !== null && <small>今月残り {viewer.newsletters_left}回</small>}
        </Link>
      ) : (
        <>
          <span className="menu-off" aria-disabled="true">
            <NewsletterIcon />
            ニュースレター
          </span>
          <NewsletterNote />
        </>
      )}
      <OneTimeHint id="create">
        投稿は、全員・フォロワー・プランのメンバーの中から、公開する相手を選べます。
      </OneTimeHint>
      <hr />
      <Link to="/kit">
        <HelpIcon />
        コンテンツについて
      </Link>
    </Menu>
  );
}
