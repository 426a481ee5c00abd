import { Suspense } from "react";
import { data, Link, redirect, useRouteLoaderData } from "react-router";
import { listEventComments } from "../../../workers/contract/comments.ts";
import { type Event, getEvent, listUserEventCategories } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { sharePicture } from "../../crawlers/share-card.ts";
import { lockNotes } from "../../post/event-card.tsx";
import { eventInput } from "../../post/event-input.ts";
import { EditIcon } from "../../post/icons.tsx";
import { linksOf } from "../../post/links.ts";
import { PicturePage } from "../../post/picture-page.tsx";
import { Share } from "../../post/share.tsx";
import { v4Context } from "../../request/context.ts";
import type { loader as rootLoader } from "../../root.tsx";
import { identityContext, viewerContext } from "../../session/context.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/event.ts";
import { useCreator } from "./creator.ts";
import { bodyPart, commentsPart } from "./event-parts.ts";
import { eventPath, POSTS_ANCHOR } from "./event-path.ts";
import { keptComment } from "./kept-comment.ts";
import { LockPanel } from "./lock-panel.tsx";
import { PostActions } from "./post-actions.tsx";
import { blogPosting, feedLinks, oembedLinks } from "./preview.ts";

const PostBody = bodyPart.Component;
const Comments = commentsPart.Component;

export const meta: Route.MetaFunction = (args) => {
  const { event, picture, share_picture } = args.loaderData ?? {};
  const note = event && lockNotes[event.publish_target_type];
  return pageMeta(
    args,
    event && {
      title: `${event.title}${picture ? `（画像${picture}）` : ""} - ${event.user.name}`,
      description: event.lead || `${event.user.name}さんの${note && `${note}の`}投稿です。`,
      image: event.image,
      share_picture,
      alternates: [...feedLinks(event.user), ...oembedLinks(`/${event.user.link_id}/events/${event.event_id}`)],
      type: "article",
      kept_query: ["page"],
      json_ld: blogPosting(event),
    },
  );
};

export async function loader({ url, params: { link_id: asked_link_id, event_id }, context }: Route.LoaderArgs) {
  if (!id.safeParse(event_id).success) throw data(null, { status: 404 });
  const page = pageNumber(url);
  const input = eventInput(event_id, url);
  const category = input.query.context_event_category_id;
  const v4 = context.get(v4Context);
  const found = await v4.read(getEvent, input);
  const { event } = found;
  // A post has one address: redirect if the path has another creator's link_id.
  const { link_id, user_id } = event.user;
  const path = `/${link_id}/events/${event_id}`;
  if (link_id !== asked_link_id) throw redirect(`${path}${url.search}`, 301);
  // Redirect too if the post is not, or no longer, in the category of the address.
  if (url.searchParams.has("category") && category !== event.event_category_id) throw redirect(path);
  const picture = pictureNumber(url, event);
  // A locked post has no comments, so a link to their second page shows the post.
  if (event.is_locked && page > 1) throw redirect(path);
  const readComments = (page_number: number) =>
    v4.read(listEventComments, { params: { event_id }, query: { page_number } });
  const [{ comments, has_next }, category_title, share_picture, links] = await Promise.all([
    event.is_locked || picture ? { comments: [], has_next: false } : readComments(page),
    event.event_category_id && !picture
      ? v4
          .read(listUserEventCategories, { params: { user_id }, query: {} })
          .then(({ event_categories }) => titleOf(event_categories, event.event_category_id))
      : null,
    sharePicture(found),
    linksOf(
      [...(event.document ?? []), ...(event.video_url ? [{ type: "embed" as const, url: event.video_url }] : [])],
      url.origin,
      context.get(identityContext).session_keys,
    ),
  ]);
  // The member may have just deleted the last comment of this page; then the page before has comments.
  const may_be_left = page > 1 && comments.length === 0 && context.get(viewerContext);
  if (may_be_left && (await readComments(page - 1)).comments.length > 0) {
    throw redirect(eventPath({ link_id, event_id }, page - 1, "comments"));
  }
  refuseEmptyPage(page, comments);
  return {
    // `document` contains all of `body`, so do not send the text twice.
    event: { ...event, body: null },
    previous: neighbourOf(found.previous),
    next: neighbourOf(found.next),
    category: category ?? null,
    category_title,
    picture,
    links,
    share_picture,
    comments,
    page,
    has_next,
    kept: await keptComment(context, url.pathname),
  };
}

const titleOf = (categories: readonly { event_category_id: string; title: string }[], wanted: string | null) =>
  categories.find(({ event_category_id }) => event_category_id === wanted)?.title ?? null;

const neighbourOf = (event: Pick<Event, "event_id" | "title"> | null) =>
  event && { event_id: event.event_id, title: event.title };

/**
 * Returns which picture the page shows alone, counted from 1; null for the whole post. Throws 404 for a picture that
 * does not exist.
 */
function pictureNumber(url: URL, { images }: Pick<Event, "images">): number | null {
  const asked = url.searchParams.get("picture");
  if (asked === null) return null;
  const number = Number(asked);
  if (!/^[1-9]\d?$/.test(asked) || number > images.length) throw data(null, { status: 404 });
  return number;
}

export default function EventPage({ loaderData }: Route.ComponentProps) {
  const { event, picture } = loaderData;
  const path = `/${event.user.link_id}/events/${event.event_id}`;
  if (picture) {
    return (
      <PicturePage
        images={event.images}
        number={picture}
        title={event.title}
        path={path}
        pathOf={(number) => `${path}?picture=${number}`}
      />
    );
  }
  return <Post {...loaderData} path={path} />;
}

function Post(props: Route.ComponentProps["loaderData"] & { path: string }) {
  const { event, previous, next, category, category_title, links, comments, page, has_next, kept, path } = props;
  const { creator, memberships } = useCreator();
  const home = `/${creator.link_id}`;
  const root = useRouteLoaderData<typeof rootLoader>("root");
  const context = category ? `?category=${category}` : "";
  const plan = memberships.find(({ membership_id }) => membership_id === event.publish_target_membership_id);
  const note =
    event.publish_target_type === "memberships" && plan
      ? `「${plan.title}」限定`
      : lockNotes[event.publish_target_type];
  const picturePath = ({ image_id }: { image_id: string }) =>
    `${path}?picture=${event.images.findIndex((image) => image.image_id === image_id) + 1}`;
  return (
    <>
      <article className="card prose event">
        <header className="event-head">
          <h1 className="event-title">{event.title}</h1>
          <p className="event-card-meta">
            {event.published_at && <DateTime iso={event.published_at} />}
            {category_title && (
              <Link to={`${home}?category=${event.event_category_id}#${POSTS_ANCHOR}`}>{category_title}</Link>
            )}
            {note && <span className="badge">{note}</span>}
          </p>
          {event.visits_count !== null && <OwnersBar event={event} />}
        </header>
        <Suspense>
          <PostBody event={event} links={links} picturePath={picturePath} note={note} />
        </Suspense>
        {event.is_locked && <LockPanel event={event} path={path} />}
        {event.status === "published" && (
          <footer className="event-foot">
            <PostActions event={event} />
            <Share title={`${event.title} - ${creator.name}`} address={`${root?.origin ?? ""}${path}`} />
          </footer>
        )}
        {event.status === "published" && !event.is_locked && <LetterInvite />}
        {(previous || next) && (
          <nav
            className="neighbours"
            aria-label={category_title && category ? `「${category_title}」の前後の投稿` : "前後の投稿"}
          >
            {previous && (
              <Link to={`${home}/events/${previous.event_id}${context}`} rel="prev">
                <small>前の投稿</small>
                {previous.title}
              </Link>
            )}
            {next && (
              <Link to={`${home}/events/${next.event_id}${context}`} rel="next">
                <small>次の投稿</small>
                {next.title}
              </Link>
            )}
          </nav>
        )}
      </article>
      {!event.is_locked && (
        <Suspense>
          <Comments event={event} comments={comments} page={page} has_next={has_next} kept={kept} />
        </Suspense>
      )}
    </>
  );
}

/** At the end of a post, invites the reader to write a private letter to its author. */
function LetterInvite() {
  const { creator, is_own } = useCreator();
  if (is_own || creator.is_blocked || !creator.accepts_free_ofuses) return null;
  return (
    <p className="letter-invite">
      <span>感想を、ひとこと届けてみませんか。</span>
      <ButtonLink to={`/${creator.link_id}/ofuse`} variant="secondary" size="sm">
        ofuseを送る
      </ButtonLink>
    </p>
  );
}

/** The links that only the author of the post sees. */
function OwnersBar({ event }: { event: Event }) {
  return (
    <div className="event-own">
      <p className="event-card-meta">
        {event.status === "private" && (
          <span className="badge badge-quiet">{event.is_removed ? "運営が公開を停止しました" : "非公開"}</span>
        )}
        {event.status === "publish_pending" && (
          <span className="badge badge-new">公開予約{event.publish_at && <DateTime iso={event.publish_at} />}</span>
        )}
        {event.removal_id && <Link to={`/my/removals/${event.removal_id}`}>理由を見る・異議を申し出る</Link>}
        <span>閲覧 {groupDigits(event.visits_count ?? 0)}回</span>
      </p>
      <ButtonLink to={`/my/posts/${event.event_id}/edit`} variant="gray-outline" size="sm">
        <EditIcon />
        編集
      </ButtonLink>
    </div>
  );
}
