import { escapeXml } from "../../text/xml.ts";

/** Writes sitemaps. Source: sitemaps.org, protocol 0.9. */

export interface SitemapUrl {
  loc: string;
  lastmod?: string | null;
}

/** Returns the response with a sitemap file (`urlset`), or with the index of files (`sitemapindex`). */
export function sitemapAnswer(kind: "urlset" | "sitemapindex", urls: readonly SitemapUrl[]): Response {
  const item = kind === "urlset" ? "url" : "sitemap";
  const lines = urls.map(({ loc, lastmod }) => {
    const time = lastmod ? `<lastmod>${lastmod}</lastmod>` : "";
    return `<${item}><loc>${escapeXml(loc)}</loc>${time}</${item}>`;
  });
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<${kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${lines.join("\n")}
</${kind}>
`;
  return new Response(body, { headers: { "content-type": "application/xml; charset=utf-8" } });
}
