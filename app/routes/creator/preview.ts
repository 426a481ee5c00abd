import type { Event } from "../../../workers/contract/events.ts";
import type { User } from "../../../workers/contract/users.ts";
import type { SharePicture } from "../../crawlers/share-card.ts";

/** The metadata of a creator's page. */
export function aboutCreator(creator: User, share_picture: SharePicture | null | undefined) {
  const title = `${creator.name}（@${creator.link_id}）`;
  if (!import.meta.env.SSR) return { title };
  return {
    title,
    description: creator.bio,
    share_picture,
    alternates: [...feedLinks(creator), ...oembedLinks(`/${creator.link_id}`)],
    type: "profile" as const,
    json_ld: profilePage(creator),
  };
}

function profilePage(creator: User) {
  if (!import.meta.env.SSR) return;
  return (origin: string) => ({
    "@type": "ProfilePage",
    dateCreated: creator.created_at,
    mainEntity: {
      ...personData(creator, origin),
      identifier: creator.user_id,
      ...(creator.bio && { description: creator.bio }),
      sameAs: creator.external_links.map(({ url }) => url),
      interactionStatistic: {
        "@type": "InteractionCounter",
        interactionType: "https://schema.org/FollowAction",
        userInteractionCount: creator.followers_count,
      },
    },
  });
}

/** Returns the later of two ISO 8601 times in UTC. */
const laterOf = (one: string, other: string) => (one > other ? one : other);

/**
 * The structured data of a post. Of a locked post it has the title, the author, that it is not free, and the text
 * before the paywall line.
 */
export function blogPosting(event: Event) {
  if (!import.meta.env.SSR) return;
  return (origin: string) => ({
    "@type": "BlogPosting",
    headline: event.title,
    url: `${origin}/${event.user.link_id}/events/${event.event_id}`,
    ...(event.published_at && { datePublished: event.published_at }),
    // A scheduled post may have been changed before it was published.
    ...(event.updated_at && { dateModified: laterOf(event.updated_at, event.published_at ?? "") }),
    ...(event.lead && { description: event.lead }),
    commentCount: event.comments_count,
    interactionStatistic: {
      "@type": "InteractionCounter",
      interactionType: "https://schema.org/LikeAction",
      userInteractionCount: event.likes_count,
    },
    ...(event.image && event.publish_target_type === "public" && { image: origin + event.image.medium_url }),
    inLanguage: "ja",
    isAccessibleForFree: event.publish_target_type !== "memberships",
    author: personData(event.user, origin),
  });
}

function personData({ name, link_id, icon_image }: Pick<User, "name" | "link_id" | "icon_image">, origin: string) {
  return {
    "@type": "Person",
    name,
    alternateName: `@${link_id}`,
    url: `${origin}/${link_id}`,
    ...(icon_image && { image: origin + icon_image.medium_url }),
  };
}

/** The metadata of the page of one category. */
export function aboutCategory(creator: User, category: string, share_picture: SharePicture | null | undefined) {
  const kept_query = ["category", "page"];
  const title = `「${category}」の投稿 - ${creator.name}`;
  if (!import.meta.env.SSR) return { title, kept_query };
  return {
    title,
    description: `${creator.name}（@${creator.link_id}）さんの「${category}」の投稿です。`,
    share_picture,
    alternates: feedLinks(creator),
    kept_query,
  };
}

/** The `<link>` elements of the creator's feeds. */
export function feedLinks({ name, link_id }: Pick<User, "name" | "link_id">) {
  if (!import.meta.env.SSR) return [];
  const title = `${name}の投稿`;
  return [
    { type: "application/rss+xml", title, path: `/${link_id}/feed.xml` },
    { type: "application/atom+xml", title, path: `/${link_id}/feed.atom` },
    { type: "application/feed+json", title, path: `/${link_id}/feed.json` },
  ];
}

/** The `<link>` elements of a page about radio: the podcast, and the feeds of posts. */
export function podcastLinks(creator: Pick<User, "name" | "link_id">) {
  if (!import.meta.env.SSR) return [];
  const { name, link_id } = creator;
  const podcast = { type: "application/rss+xml", title: `${name}のラジオ`, path: `/${link_id}/podcast.xml` };
  return [podcast, ...feedLinks(creator)];
}

/** The `<link>` elements for oEmbed. `path` must be the page's canonical path. Source: oembed.com, section 4. */
export function oembedLinks(path: string) {
  if (!import.meta.env.SSR) return [];
  const oembedPath = (format: string, origin: string) =>
    `/oembed?${new URLSearchParams({ url: origin + path, format })}`;
  return [
    { type: "application/json+oembed", path: (origin: string) => oembedPath("json", origin) },
    { type: "text/xml+oembed", path: (origin: string) => oembedPath("xml", origin) },
  ];
}
