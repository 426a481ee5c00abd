import { escapeXml, htmlDescription, xmlElement } from "../../../text/xml.ts";
import type { Route } from "./+types/rss.ts";
import { type FeedItem, feedAnswer, loadFeed } from "./feed.ts";

/**
 * Writes a feed as RSS. Source: RSS 2.0, the RSS Advisory Board's best practices, and Media RSS for pictures, because
 * RSS enclosures need a size in bytes, which we do not know.
 */
export async function loader(args: Route.LoaderArgs) {
  const feed = await loadFeed("feed.xml", args);
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/">
<channel>
${xmlElement("title", feed.title)}
${xmlElement("link", feed.url)}
<atom:link rel="self" type="application/rss+xml" href="${escapeXml(feed.self_url)}"/>
${htmlDescription(feed.description)}
<language>ja</language>
${xmlElement("lastBuildDate", rfc822(feed.updated_at))}
${feed.author.icon_url ? `<image>${xmlElement("url", feed.author.icon_url)}${xmlElement("title", feed.title)}${xmlElement("link", feed.url)}</image>` : ""}
${feed.items.map((item) => itemOf(item, feed.author.name)).join("\n")}
</channel>
</rss>
`;
  return feedAnswer("application/rss+xml", body);
}

function itemOf({ url, id, title, lead, published_at, picture }: FeedItem, author: string): string {
  return `<item>
${xmlElement("title", title)}
${xmlElement("link", url)}
<guid isPermaLink="false">${escapeXml(id)}</guid>
${xmlElement("pubDate", rfc822(published_at))}
${xmlElement("dc:creator", author)}
${htmlDescription(lead)}
${picture ? `<media:content medium="image" url="${escapeXml(picture.medium_url)}" width="${picture.width}" height="${picture.height}">${xmlElement("media:description", picture.alt)}</media:content>` : ""}
</item>`;
}

/** Formats a time for RSS: `Fri, 20 Nov 2026 03:15:00 GMT` */
function rfc822(iso: string): string {
  return new Date(iso).toUTCString();
}
