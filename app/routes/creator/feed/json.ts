import type { Route } from "./+types/json.ts";
import { feedAnswer, loadFeed } from "./feed.ts";

/** Writes a feed as JSON. Source: JSON Feed 1.1. */
export async function loader(args: Route.LoaderArgs) {
  const { url, self_url, title, description, author, items } = await loadFeed("feed.json", args);
  const authors = [{ name: author.name, url: author.url, ...(author.icon_url && { avatar: author.icon_url }) }];
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: url,
    feed_url: self_url,
    description,
    ...(author.icon_url && { icon: author.icon_url }),
    authors,
    language: "ja",
    items: items.map((item) => ({
      id: item.id,
      url: item.url,
      title: item.title,
      content_text: item.lead || item.title,
      ...(item.picture && { image: item.picture.medium_url }),
      date_published: item.published_at,
      authors,
    })),
  };
  return feedAnswer("application/feed+json", JSON.stringify(feed));
}
