import { fileEnding } from "../../../../workers/contract/file-endings.ts";
import type { RadioRecording } from "../../../../workers/contract/radios.ts";
import type { User } from "../../../../workers/contract/users.ts";
import { openUrl } from "../../../crawlers/share-card.ts";
import { escapeXml, htmlDescription, xmlElement } from "../../../text/xml.ts";
import { radioPath } from "../radio-path.ts";

/** A creator's recordings as a podcast. `url` is the feed's own address. */
interface Podcast {
  url: URL;
  creator: Pick<User, "link_id" | "name" | "icon_image">;
  description: string;
  recordings: readonly RadioRecording[];
  /** Whether the address is one member's own. Directories of podcasts then leave the feed out. */
  is_private: boolean;
}

/**
 * Writes a podcast. Source: RSS 2.0; Apple, "A Podcaster's Guide to RSS"; Podcast Namespace.
 *
 * A former link_id redirects (302) for some weeks only. `itunes:new-feed-url` lets apps store the present address before another
 * person may own the former one. The address of a private podcast works permanently.
 */
export function podcastXml({ url, creator, description, recordings, is_private }: Podcast): string {
  const { link_id, name } = creator;
  const icon = openUrl(creator.icon_image);
  const address = escapeXml(url.origin + url.pathname);
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0">
<channel>
${xmlElement("title", `${name}のラジオ`)}
${xmlElement("link", `${url.origin}/${link_id}/radio`)}
<atom:link rel="self" type="application/rss+xml" href="${address}"/>
${htmlDescription(description)}
<language>ja</language>
${xmlElement("itunes:author", name)}
<itunes:type>episodic</itunes:type>
<itunes:explicit>false</itunes:explicit>
<itunes:category text="Society &amp; Culture"/>
${is_private ? "<itunes:block>Yes</itunes:block>" : `<itunes:new-feed-url>${address}</itunes:new-feed-url>`}
${icon ? `<itunes:image href="${escapeXml(url.origin + icon)}"/>` : ""}
${recordings.map((recording) => itemOf(recording, { url, link_id })).join("\n")}
</channel>
</rss>
`;
}

function itemOf(recording: RadioRecording, { url, link_id }: { url: URL; link_id: string }): string {
  const { radio_id, title, description, image, finished_at, publish_target_type, file } = recording;
  const page = url.origin + radioPath({ link_id, radio_id });
  const picture = openUrl(image);
  return `<item>
${xmlElement("title", title)}
${xmlElement("link", page)}
<guid isPermaLink="false">${escapeXml(`tag:${url.hostname},2026:radios/${radio_id}`)}</guid>
${xmlElement("pubDate", new Date(finished_at).toUTCString())}
${htmlDescription(description)}
<enclosure url="${escapeXml(url.origin + withEnding(file))}" length="${file.bytes}" type="${escapeXml(file.content_type)}"/>
${xmlElement("itunes:duration", Math.round(file.duration_ms / 1000))}
${
  // The chapters of a limited recording are not open to an app, which has no session.
  publish_target_type === "public"
    ? `<podcast:chapters url="${escapeXml(`${page}/chapters.json`)}" type="application/json+chapters"/>`
    : ""
}
${picture ? `<itunes:image href="${escapeXml(url.origin + picture)}"/>` : ""}
</item>`;
}

/** Apple reads the type of a file from the ending of its address. Source: Apple, "Podcast RSS feed requirements". */
const withEnding = ({ path, content_type }: RadioRecording["file"]) =>
  path.replace("/recording", `/recording${fileEnding(content_type)}`);
