import { data, type RouterContextProvider, redirect } from "react-router";
import { type EventSummary, listUserEvents } from "../../../../workers/contract/events.ts";
import { getUser, LINK_ID, type User } from "../../../../workers/contract/users.ts";
import { previewPicture } from "../../../crawlers/page-meta.ts";
import { openUrl, type SharePicture, sharePicture } from "../../../crawlers/share-card.ts";
import { v4Context } from "../../../request/context.ts";

/** A creator's public posts, independent of the feed's format. All URLs are absolute. */
export interface Feed {
  url: string;
  /** The URL of the feed itself. */
  self_url: string;
  id: string;
  title: string;
  description: string;
  updated_at: string;
  author: { name: string; url: string; icon_url: string | null };
  items: FeedItem[];
}

export interface FeedItem {
  url: string;
  /** The id of the post in feeds. It does not change when the creator changes their link_id. */
  id: string;
  title: string;
  lead: string;
  published_at: string;
  picture: SharePicture | null;
}

const ITEMS = 20;

interface FeedArgs {
  url: URL;
  params: { link_id: string };
  context: Readonly<RouterContextProvider>;
}

/**
 * Loads the newest public posts of a creator. Leaves locked posts out, because what a feed reader has stored cannot be
 * taken back. `file` is the last segment of the feed's path. Throws 404 for an unknown creator.
 */
export async function loadFeed(file: string, { url, params: { link_id }, context }: FeedArgs): Promise<Feed> {
  if (!LINK_ID.test(link_id)) throw data(null, { status: 404 });
  const path = `/${link_id}/${file}`;
  // A feed has one address: other queries, capitals or a trailing slash would create more cache entries of it.
  if (url.pathname !== path || url.search) throw redirect(path, 301);
  const v4 = context.get(v4Context).asVisitor();
  const { user } = await v4.read(getUser, { query: { link_id } });
  if (user.link_id !== link_id) throw redirect(`/${user.link_id}/${file}`, 302);
  const query = { publish_target_type: "public", page_size: ITEMS } as const;
  const { events } = await v4.read(listUserEvents, { params: { user_id: user.user_id }, query });
  const here = `${url.origin}/${link_id}`;
  const tagUri = (name: string) => `tag:${url.hostname},2026:${name}`;
  return {
    url: here,
    self_url: url.origin + path,
    id: tagUri(`users/${user.user_id}`),
    title: `${user.name}の投稿｜ofuse`,
    description: user.bio || `${user.name}さんの公開されている投稿です。`,
    updated_at: events[0]?.published_at ?? user.created_at,
    author: { name: user.name, url: here, icon_url: absoluteIconUrl(url.origin, user) },
    items: await Promise.all(
      events.map(async (event) => ({
        url: `${here}/events/${event.event_id}`,
        id: tagUri(`events/${event.event_id}`),
        title: event.title,
        lead: event.lead ?? "",
        published_at: event.published_at ?? user.created_at,
        picture: await pictureOf(event, url.origin),
      })),
    ),
  };
}

function absoluteIconUrl(origin: string, { icon_image }: Pick<User, "icon_image">): string | null {
  const path = openUrl(icon_image);
  return path && origin + path;
}

/** The picture of the entry: the post's own picture, or else the picture of link previews. */
async function pictureOf(event: EventSummary, origin: string): Promise<SharePicture | null> {
  const picture = previewPicture(event.image) ?? (await sharePicture({ event }));
  return picture && { ...picture, medium_url: origin + picture.medium_url };
}

/**
 * Returns the response with a feed. Any site may read it (CORS), because it contains only public data and ignores
 * cookies.
 */
export function feedAnswer(type: string, body: string): Response {
  return new Response(body, {
    headers: { "content-type": `${type}; charset=utf-8`, "access-control-allow-origin": "*" },
  });
}
