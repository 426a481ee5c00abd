import { data, Link, Outlet, redirect, useLocation } from "react-router";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { FREE_OFUSES_A_DAY } from "../../../workers/contract/limits.ts";
import { listUserMemberships } from "../../../workers/contract/memberships.ts";
import { getUser, LINK_ID } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { sharePicture } from "../../crawlers/share-card.ts";
import { Avatar } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { identityContext, viewerContext } from "../../session/context.ts";
import { lazyPart } from "../../shell/lazy-part.tsx";
import { outboundPath } from "../../site/outbound.ts";
import { ButtonLink, buttonClass } from "../../ui/button.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { labelOf, secondPlanOf } from "../my/subscription-words.ts";
import type { Route } from "./+types/layout.ts";
import type { CreatorContext } from "./creator.ts";
import { FollowForm } from "./follow-form.tsx";
import { aboutCreator } from "./preview.ts";
import { radioPath } from "./radio-path.ts";

const blocking = () => import("./block-menu.tsx");
const BlockedNotice = lazyPart(() => blocking().then((parts) => parts.BlockedNotice));
const BlockMenu = lazyPart(
  () => blocking().then((parts) => parts.BlockMenu),
  <span className={buttonClass({ variant: "gray-outline", size: "icon" })} />,
);

export const meta: Route.MetaFunction = (args) => {
  const { creator, share_picture } = args.loaderData ?? {};
  return pageMeta(args, creator && aboutCreator(creator, share_picture));
};

export async function loader({ url, params, context }: Route.LoaderArgs) {
  // Answer 404 without an API call if the name is not a valid link_id.
  if (!LINK_ID.test(params.link_id)) throw data(null, { status: 404 });
  // One address per page: redirects percent-encoded spellings of the link_id.
  const [, written, ...below] = url.pathname.split("/");
  if (written !== params.link_id) throw redirect(["", params.link_id, ...below].join("/") + url.search, 301);
  const v4 = context.get(v4Context);
  const {
    user: creator,
    free_ofuses_left,
    joined_plans,
    on_air_radio,
  } = await v4.read(getUser, { query: { link_id: params.link_id } });
  // A former link_id redirects for a while only. The redirect is temporary, so that browsers do not store it.
  if (creator.link_id !== params.link_id) {
    throw redirect(["", creator.link_id, ...below].join("/") + url.search, 302);
  }
  const { memberships } = await v4.read(listUserMemberships, { params: { user_id: creator.user_id } });
  const viewer = context.get(viewerContext);
  const { session_keys } = context.get(identityContext);
  const links = await Promise.all(
    creator.external_links.map(async ({ external_site_id, url }) => ({
      name: siteNames[external_site_id] ?? "リンク",
      path: await outboundPath(url, session_keys),
    })),
  );
  return {
    creator,
    share_picture: await sharePicture({ creator }),
    memberships,
    joined_plans: joined_plans.map((plan) => ({
      ...plan,
      ...secondPlanOf(plan),
      label: labelOf({ subscription: { ...plan, membership: plan }, is_over: false }),
    })),
    // Sentences come from the loader: the pages' scripts have no room for them.
    on_air_radio: on_air_radio && { ...on_air_radio, letter_note: LETTER_NOTE },
    letters_left: leftToday(free_ofuses_left ?? null),
    links: links.flatMap(({ name, path }) => (path ? [{ name, path }] : [])),
    viewer_id: viewer?.profile?.user_id ?? null,
    is_own: viewer?.profile?.user_id === creator.user_id,
    idempotency_key: viewer ? crypto.randomUUID() : null,
  };
}

/** The sentence about the daily limit: the general limit for a visitor, the remaining letters for a member. */
function leftToday(free_ofuses_left: number | null): string {
  if (free_ofuses_left === null) return `1日${FREE_OFUSES_A_DAY}通まで無料で送れます。`;
  if (free_ofuses_left > 0) return `今日はあと${free_ofuses_left}通、無料で送れます。`;
  return `今日の${FREE_OFUSES_A_DAY}通は送りました。明日の0時から、また送れます。`;
}

/** The note for senders of a letter to a broadcaster on air. docs/decisions/0044. */
const LETTER_NOTE =
  "いま放送中です。ofuseを送ると、公開しなくても、お名前とスタンプが放送のチャットに表示されることがあります。本文は表示されません。";

const siteNames: Record<string, string> = {
  website: "ウェブサイト",
  x: "X",
  bluesky: "Bluesky",
  instagram: "Instagram",
  tiktok: "TikTok",
  youtube: "YouTube",
  pixiv: "pixiv",
  booth: "BOOTH",
  note: "note",
  soundcloud: "SoundCloud",
};

/**
 * The creator's front page has their full profile. The pages below it begin with one short row instead. Limit: the
 * title of a post must be in the upper third of a phone's first screen.
 */
export default function CreatorLayout({ loaderData, params }: Route.ComponentProps) {
  const { creator, memberships } = loaderData;
  const path = `/${creator.link_id}`;
  const pathname = useLocation().pathname.replace(/(?<!\/)\/+$/, "");
  const is_front = pathname === path;
  const is_post = pathname.startsWith(`${path}/events/`);
  return (
    // Omitted on the creator's own page, so that app/browser/page-shown.ts does not remember it as recently viewed.
    <div className="page" data-creator-id={loaderData.is_own ? undefined : creator.user_id}>
      {is_front ? <Introduction {...loaderData} /> : <Byline {...loaderData} is_post={is_post} />}
      <OnAir {...loaderData} pathname={pathname} />
      {!is_post && (
        <Tabs
          label={`${creator.name}のページ`}
          tabs={[
            { to: path, label: "投稿", is_exact: true },
            ...(memberships.length > 0 ? [{ to: `${path}/plans`, label: "プラン" }] : []),
            { to: `${path}/ofuse`, label: "ofuse" },
            { to: `${path}/radio`, label: "ラジオ" },
            { to: `${path}/about`, label: "プロフィール" },
          ]}
        />
      )}
      {/* React replaces the page of another post: forms and open panels must not keep what the post before had. */}
      <Outlet key={String(Object.values(params))} context={loaderData satisfies CreatorContext} />
    </div>
  );
}

/** Leads to the radio that the creator has on air, from every page of theirs but the radio's own. */
function OnAir({ creator, on_air_radio, pathname }: CreatorContext & { pathname: string }) {
  if (!on_air_radio) return null;
  const path = radioPath({ link_id: creator.link_id, radio_id: on_air_radio.radio_id });
  if (pathname.startsWith(path)) return null;
  return (
    <p className="on-air">
      <Link to={path}>
        <span className="badge badge-new">放送中</span> {on_air_radio.title}
      </Link>
    </p>
  );
}

function Introduction(props: CreatorContext) {
  const { creator, links } = props;
  return (
    <section className="card creator">
      {creator.cover_image ? (
        <img
          className="creator-cover"
          src={creator.cover_image.medium_url}
          alt=""
          width={creator.cover_image.width}
          height={creator.cover_image.height}
          fetchPriority="high"
        />
      ) : (
        <div className="creator-cover creator-cover-plain" />
      )}
      <Avatar image={creator.icon_image} size={96} />
      <div className="creator-title">
        <h1 className="creator-name">
          <bdi>{creator.name}</bdi>
        </h1>
        <p className="creator-id">@{creator.link_id}</p>
      </div>
      {props.is_own ? (
        <div className="creator-actions">
          <ButtonLink to="/my/settings" variant="gray-outline">
            プロフィールを編集
          </ButtonLink>
          <ButtonLink to="/my/posts/new">投稿する</ButtonLink>
        </div>
      ) : (
        <Actions {...props} />
      )}
      <Bio text={creator.bio} />
      <ul className="creator-counts">
        <li>
          <b>{groupDigits(creator.followers_count)}</b> フォロワー
        </li>
        <li>
          <b>{groupDigits(creator.followings_count)}</b> フォロー中
        </li>
      </ul>
      {links.length > 0 && (
        <ul className="creator-links">
          {links.map(({ name, path }) => (
            <li key={path}>
              <a href={path} rel="nofollow ugc">
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Estimated characters per line of the bio on a phone and in a wide window, and how many lines are shown at first. */
const NARROW = { characters: 20, lines: 3 };
const WIDE = { characters: 50, lines: 6 };

const isLonger = (text: string, { characters, lines }: typeof NARROW) =>
  text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / characters)), 0) > lines;

/**
 * Shows the first lines of the bio (clamped in CSS) and the rest on request, so that posts stay on the first screen.
 */
function Bio({ text }: { text: string }) {
  const is_long = isLonger(text, NARROW);
  return (
    <>
      {text && <p className={is_long ? "creator-bio bio-long" : "creator-bio"}>{text}</p>}
      {is_long && (
        <details className={isLonger(text, WIDE) ? "bio-more" : "bio-more bio-more-narrow"}>
          <summary>
            <span>続きを読む</span>
            <span>閉じる</span>
          </summary>
        </details>
      )}
    </>
  );
}

function Byline({ is_post, ...props }: CreatorContext & { is_post: boolean }) {
  const { creator } = props;
  return (
    <div className={is_post ? "creator-byline creator-byline-post" : "creator-byline"}>
      <Link to={`/${creator.link_id}`} className="byline">
        <Avatar image={creator.icon_image} />
        <span className="byline-name">
          <bdi>{creator.name}</bdi>
        </span>
      </Link>
      {!props.is_own && <Actions {...props} is_short />}
    </div>
  );
}

/**
 * The buttons to follow and to write a letter. `is_short`: in one row with the name, where phones have no room for the
 * letter.
 */
function Actions({ creator, viewer_id, idempotency_key, is_short = false }: CreatorContext & { is_short?: boolean }) {
  if (creator.is_blocked) return <BlockedNotice creator={creator} />;
  const accepts_ofuses = creator.accepts_free_ofuses || creator.is_creator;
  const size = is_short ? "sm" : "default";
  return (
    <div className="creator-actions">
      {accepts_ofuses && (
        <ButtonLink to={`/${creator.link_id}/ofuse`} variant="secondary" size={size}>
          ofuseを送る
        </ButtonLink>
      )}
      <FollowForm
        creator={creator}
        idempotency_key={idempotency_key}
        variant={accepts_ofuses ? "primary-outline" : "primary"}
        size={size}
      />
      {viewer_id && <BlockMenu creator={creator} />}
    </div>
  );
}
