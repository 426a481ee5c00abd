import { escapeXml, xmlElement } from "../../../text/xml.ts";
import type { Route } from "./+types/atom.ts";
import { type FeedItem, feedAnswer, loadFeed } from "./feed.ts";

/** Writes a feed as Atom. Source: RFC 4287. */
export async function loader(args: Route.LoaderArgs) {
  const feed = await loadFeed("feed.atom", args);
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="ja">
${xmlElement("id", feed.id)}
${xmlElement("title", feed.title)}
${xmlElement("subtitle", feed.description)}
${xmlElement("updated", feed.updated_at)}
<link rel="self" type="application/atom+xml" href="${escapeXml(feed.self_url)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(feed.url)}"/>
<author>${xmlElement("name", feed.author.name)}${xmlElement("uri", feed.author.url)}</author>
${xmlElement("icon", feed.author.icon_url)}
${feed.items.map(entryOf).join("\n")}
</feed>
`;
  return feedAnswer("application/atom+xml", body);
}

function entryOf({ url, id, title, lead, published_at, picture }: FeedItem): string {
  return `<entry>
${xmlElement("id", id)}
${xmlElement("title", title)}
<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>
${picture ? `<link rel="enclosure" href="${escapeXml(picture.medium_url)}" title="${escapeXml(picture.alt)}"/>` : ""}
${xmlElement("published", published_at)}
${xmlElement("updated", published_at)}
${xmlElement("summary", lead)}
</entry>`;
}
