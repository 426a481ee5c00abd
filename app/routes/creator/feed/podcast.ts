import { data, redirect } from "react-router";
import { MAX_ANONYMOUS_PAGE_SIZE } from "../../../../workers/contract/fields.ts";
import { listUserRecordings, type RadioRecording } from "../../../../workers/contract/radios.ts";
import { getUser, LINK_ID } from "../../../../workers/contract/users.ts";
import { openUrl } from "../../../crawlers/share-card.ts";
import { v4Context } from "../../../request/context.ts";
import { escapeXml, xmlElement } from "../../../text/xml.ts";
import { radioPath } from "../radio-path.ts";
import type { Route } from "./+types/podcast.ts";
import { feedAnswer } from "./feed.ts";

/**
 * Writes the recordings for everybody as a podcast. Source: RSS 2.0; Apple, "A Podcaster's Guide to RSS". It leaves out
 * limited recordings: what a podcast app has stored cannot be taken back.
 */
export async function loader({ url, params: { link_id }, context }: Route.LoaderArgs) {
  if (!LINK_ID.test(link_id)) throw data(null, { status: 404 });
  const path = `/${link_id}/podcast.xml`;
  // A feed has one address: other queries, capitals or a trailing slash would create more cache entries of it.
  if (url.pathname !== path || url.search) throw redirect(path, 301);
  const v4 = context.get(v4Context).asVisitor();
  const { user } = await v4.read(getUser, { query: { link_id } });
  if (user.link_id !== link_id) throw redirect(`/${user.link_id}/podcast.xml`, 302);
  const query = { page_size: MAX_ANONYMOUS_PAGE_SIZE };
  const { recordings } = await v4.read(listUserRecordings, { params: { user_id: user.user_id }, query });
  const public_ones = recordings.filter(({ publish_target_type }) => publish_target_type === "public");
  const icon = openUrl(user.icon_image);
  const title = `${user.name}のラジオ`;
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0">
<channel>
${xmlElement("title", title)}
${xmlElement("link", `${url.origin}/${link_id}/radio`)}
<atom:link rel="self" type="application/rss+xml" href="${escapeXml(url.origin + path)}"/>
${xmlElement("description", user.bio || `${user.name}さんのラジオの録音です。`)}
<language>ja</language>
${xmlElement("itunes:author", user.name)}
<itunes:type>episodic</itunes:type>
<itunes:explicit>false</itunes:explicit>
<itunes:category text="Society &amp; Culture"/>
${icon ? `<itunes:image href="${escapeXml(url.origin + icon)}"/>` : ""}
${public_ones.map((recording) => itemOf(recording, { origin: url.origin, hostname: url.hostname, link_id })).join("\n")}
</channel>
</rss>
`;
  return feedAnswer("application/rss+xml", body);
}

function itemOf(recording: RadioRecording, at: { origin: string; hostname: string; link_id: string }): string {
  const { radio_id, title, description, image, finished_at, file } = recording;
  const picture = openUrl(image);
  return `<item>
${xmlElement("title", title)}
${xmlElement("link", at.origin + radioPath({ link_id: at.link_id, radio_id }))}
<guid isPermaLink="false">${escapeXml(`tag:${at.hostname},2026:radios/${radio_id}`)}</guid>
${xmlElement("pubDate", new Date(finished_at).toUTCString())}
${
  // Podcast apps parse a description as HTML. So escape the text for HTML here, and `xmlElement` escapes it for XML.
  xmlElement("description", escapeXml(description))
}
<enclosure url="${escapeXml(at.origin + file.path)}" length="${file.bytes}" type="${escapeXml(file.content_type)}"/>
${xmlElement("itunes:duration", Math.round(file.duration_ms / 1000))}
<podcast:chapters url="${escapeXml(`${at.origin}${radioPath({ link_id: at.link_id, radio_id })}/chapters.json`)}" type="application/json+chapters"/>
${picture ? `<itunes:image href="${escapeXml(at.origin + picture)}"/>` : ""}
</item>`;
}
