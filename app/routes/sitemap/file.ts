import { data } from "react-router";
import { listSitemapEntries, sitemapKind } from "../../../workers/contract/edge.ts";
import { id } from "../../../workers/contract/fields.ts";
import { listNews } from "../../../workers/contract/news.ts";
import { v4Context } from "../../request/context.ts";
import { readNews } from "../../site/news.server.ts";
import type { Route } from "./+types/file.ts";
import { sitemapAnswer } from "./xml.ts";

/** Our own pages that search engines should list. */
const PAGES = [
  "/",
  "/search",
  "/signup",
  "/kit",
  "/usecases",
  "/help",
  "/news",
  "/terms",
  "/privacy",
  "/external-transmission",
  "/transactions",
];

/** Serves one sitemap file: `pages.xml`, `creators.xml` or `events-{event_id}.xml`. */
export async function loader({ url, params, context }: Route.LoaderArgs) {
  const absoluteUrl = (path: string) => url.origin + path;
  if (params.file === "pages.xml") {
    const { news } = await context.get(v4Context).read(listNews, { query: {} });
    return sitemapAnswer("urlset", [
      ...PAGES.map((path) => ({ loc: absoluteUrl(path) })),
      // Crawlers find older news by the pager of /news.
      ...news.map(({ news_id, day }) => ({ loc: absoluteUrl(`/news/${news_id}`), lastmod: day })),
      ...readNews().map(({ slug, date }) => ({ loc: absoluteUrl(`/news/${slug}`), lastmod: date })),
    ]);
  }
  const [, name, after] = /^([a-z]+)(?:-([0-9a-z]{26}))?\.xml$/.exec(params.file) ?? [];
  const kind = sitemapKind.safeParse(name);
  if (!kind.success || (after && !id.safeParse(after).success)) throw data(null, { status: 404 });
  const { entries } = await context.get(v4Context).read(listSitemapEntries, { query: { kind: kind.data, after } });
  return sitemapAnswer(
    "urlset",
    entries.map(({ path, updated_at }) => ({ loc: absoluteUrl(path), lastmod: updated_at })),
  );
}
