import { lazy, Suspense } from "react";
import { data, redirect } from "react-router";
import { buttonShape, buttonSize, buttonVariant } from "../../../workers/contract/interface.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Avatar, AvatarLink } from "../../people/avatar.tsx";
import { EventCard } from "../../post/event-card.tsx";
import { EditIcon, NextIcon, PreviousIcon, ShareIcon, ZoomIcon } from "../../post/icons.tsx";
import { edgeContext } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import {
  BellIcon,
  HelpIcon,
  HomeIcon,
  LetterIcon,
  MenuIcon,
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
} from "../../shell/icons.tsx";
import { Badge, UnreadDot } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button, ButtonLink, buttonClass } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useHydrated } from "../../ui/hydrated.ts";
import { CloseIcon, CommentIcon, HeartIcon, ImageIcon, LockIcon, MoreIcon, VideoIcon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Price } from "../../ui/price.tsx";
import { CloseButton, Sheet } from "../../ui/sheet.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import { Progress, Skeleton } from "../../ui/waiting.tsx";
import { PhoneIcon } from "../login/phone-icon.tsx";
import type { Route } from "./+types/styleguide.ts";

/** Named one by one: an import of the whole module would keep every icon's name in the script of all pages. */
const icons = [
  BellIcon,
  CloseIcon,
  CommentIcon,
  EditIcon,
  HeartIcon,
  HelpIcon,
  HomeIcon,
  ImageIcon,
  LetterIcon,
  LockIcon,
  MenuIcon,
  MoreIcon,
  NewsletterIcon,
  NextIcon,
  PeopleIcon,
  PhoneIcon,
  PlanIcon,
  PlusIcon,
  PostIcon,
  PreviousIcon,
  RadioIcon,
  SearchIcon,
  SettingsIcon,
  ShareIcon,
  TicketIcon,
  ToolsIcon,
  VideoIcon,
  YenIcon,
  ZoomIcon,
];

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "スタイルガイド（開発用）", is_unlisted: true });

/**
 * Shows the components in use, to members of a `demo-*` project only, because visitors' pages lack members' styles. The
 * loader sends the lists of variants: they are zod enums, and browsers get no zod.
 */
export function loader({ context }: Route.LoaderArgs) {
  if (!context.get(edgeContext).is_demo) throw data(null, { status: 404 });
  if (!context.get(viewerContext)) throw redirect(loginPath("/styleguide"));
  return { variants: buttonVariant.options, sizes: buttonSize.options, shapes: buttonShape.options };
}

const Toasts = lazy(() => import("../../shell/toasts.tsx"));
/** Load this part lazily, because it needs the form library, which the rest of this page does not. */
const Fields = lazy(() => import("./styleguide-fields.tsx"));

/** The names of the tokens in app/styles/tokens.css. */
const tokens = {
  colours:
    `brand accent accent-soft on-accent teal teal-soft on-teal ground surface sunken text text-soft line control ring
    alert alert-soft on-alert unread like on-like`.split(/\s+/),
  sizes: ["text-xs", "text-sm", "text-md", "text-lg", "text-xl"],
  spaces: ["space-1", "space-2", "space-3", "space-4", "space-5", "space-6", "space-7"],
  radii: ["radius-sm", "radius", "radius-pill"],
  shadows: ["shadow", "shadow-high"],
  motions: ["quick", "gentle"],
};

const post = {
  event_id: "01k7pv3m08xq6ttjqb44twk30e",
  user: { link_id: "natsume", name: "なつめ", icon_image: null },
  title: "雨あがりの帰り道",
  lead: "雨があがると、いつもの帰り道に空がもう一枚ふえたように見えます。",
  kind: "image",
  image: null,
  placeholder: null,
  images_count: 0,
  likes_count: 12,
  comments_count: 3,
  is_locked: true,
  published_at: "2026-11-19T03:00:00.000Z",
  publish_target_type: "fans",
} as const;

export default function Styleguide({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page">
      <h1 className="page-title">スタイルガイド</h1>
      <Tokens />
      <Buttons {...loaderData} />
      <Suspense>
        <Fields />
      </Suspense>
      <section className="card form">
        <h2 className="section-title">人と印</h2>
        <p className="row">
          <Avatar image={null} size={96} />
          <Avatar image={null} size={48} fallback="service" />
          <AvatarLink image={null} link_id="natsume" />
          <Avatar image={null} size={32} />
        </p>
        <p className="row">
          <Badge>フォロワー限定</Badge>
          <Badge tone="new">公開</Badge>
          <Badge tone="quiet">下書き</Badge>
          <Badge tone="alert">振込できませんでした</Badge>
          <Badge>
            お知らせ <UnreadDot />
          </Badge>
          <Price amount={1100} />
          <DateTime iso="2026-11-20T10:05:00.000Z" />
        </p>
        <p className="row">
          {icons.map((Icon) => (
            <Icon key={Icon.name} />
          ))}
        </p>
        <ul className="event-list event-grid">
          <EventCard event={post} />
        </ul>
      </section>
      <section className="form">
        <h2 className="section-title">知らせと待ち時間</h2>
        <Banner>12/1 02:00から05:00まで、メンテナンスを行います。</Banner>
        <Banner tone="support">はじめてのofuseが届きました。</Banner>
        <Banner tone="alert">お支払いが確認できませんでした。</Banner>
        <EmptyState title="まだ投稿がありません">
          <p>最初の作品を公開してみましょう。</p>
        </EmptyState>
        <ToastButtons />
        <Skeleton />
        <Progress label="アップロード" value={62} max={100} />
      </section>
      <section className="form">
        <h2 className="section-title">行き先と開くもの</h2>
        <Tabs
          label="スタイルガイドの中"
          tabs={[
            { to: "/styleguide", label: "すべて" },
            { to: "/login", label: "ログイン" },
          ]}
        />
        <div className="row">
          <DialogButton dialog="guide-dialog" command="show-modal" className={buttonClass()}>
            ダイアログを開く
          </DialogButton>
          <Menu
            id="guide-menu"
            label="メニュー"
            button="メニュー"
            button_class={buttonClass({ variant: "gray-outline" })}
          >
            <a href="/styleguide">最初の項目</a>
            <a href="/styleguide">次の項目</a>
          </Menu>
          <DialogButton dialog="guide-sheet" command="show-modal" className={buttonClass({ variant: "gray" })}>
            シートを開く
          </DialogButton>
          <Tooltip id="guide-tip" label="手数料について">
            手数料は決済手数料を含めて10%です。
          </Tooltip>
        </div>
        <Dialog id="guide-dialog" title="この投稿を削除しますか？" actions={<Button variant="alert">削除する</Button>}>
          <p>削除すると元に戻せません。</p>
        </Dialog>
        <Sheet id="guide-sheet" aria-label="シートの例">
          <div className="drawer">
            <p className="drawer-top">
              ここに並びます。
              <CloseButton dialog="guide-sheet" />
            </p>
          </div>
        </Sheet>
        <Pager page={2} has_next hrefOf={(page) => `/styleguide?page=${page}`} />
      </section>
    </div>
  );
}

function Tokens() {
  const { colours, sizes, spaces, radii, shadows, motions } = tokens;
  return (
    <section className="card form">
      <h2 className="section-title">トークン</h2>
      <ul className="row">
        {colours.map((name) => (
          <li key={name}>
            <div className="card" style={{ background: `var(--${name})` }} />
            <small>{name}</small>
          </li>
        ))}
      </ul>
      {sizes.map((name) => (
        <p key={name} style={{ fontSize: `var(--${name})` }}>
          {name} ひとことの手紙が、つづける力になる。
        </p>
      ))}
      <ul className="row">
        {spaces.map((name) => (
          <li key={name}>
            <div style={{ width: `var(--${name})`, height: "var(--space-4)", background: "var(--accent)" }} />
            <small>{name}</small>
          </li>
        ))}
        {radii.map((name) => (
          <li key={name}>
            <div className="card" style={{ borderRadius: `var(--${name})` }} />
            <small>{name}</small>
          </li>
        ))}
        {shadows.map((name) => (
          <li key={name}>
            <div className="card" style={{ boxShadow: `var(--${name})` }} />
            <small>{name}</small>
          </li>
        ))}
      </ul>
      <p>動き {motions.join("・")}（動きを減らす設定では動きません）</p>
    </section>
  );
}

function ToastButtons() {
  const is_alive = useHydrated();
  const showExample = async (variant: "info" | "alert") => {
    const { showToast } = await import("../../shell/toasts.tsx");
    showToast(variant === "info" ? "保存しました" : "保存できませんでした", variant);
  };
  return (
    <p className="row">
      {(["info", "alert"] as const).map((variant) => (
        <Button key={variant} type="button" variant="gray-outline" onClick={() => showExample(variant)}>
          トースト {variant}
        </Button>
      ))}
      {is_alive && (
        <Suspense>
          <Toasts />
        </Suspense>
      )}
    </p>
  );
}

function Buttons({ variants, sizes, shapes }: Route.ComponentProps["loaderData"]) {
  return (
    <section className="form">
      <h2 className="section-title">ボタン</h2>
      {shapes.map((shape) => (
        <div key={shape} className="form">
          {variants.map((variant) => (
            <p key={variant} className="row">
              {sizes.map((size) =>
                variant === "anchor-disabled" ? (
                  <ButtonLink key={size} to="/" variant={variant} size={size} shape={shape} aria-label={variant}>
                    {size === "icon" ? <PlusIcon /> : variant}
                  </ButtonLink>
                ) : (
                  <Button key={size} type="button" variant={variant} size={size} shape={shape} aria-label={variant}>
                    {size === "icon" ? <PlusIcon /> : variant}
                  </Button>
                ),
              )}
            </p>
          ))}
        </div>
      ))}
    </section>
  );
}
