import type { ReactNode } from "react";
import { data, Link } from "react-router";
import type { Document } from "../../../workers/contract/document.ts";
import { plainText } from "../../../workers/contract/document-text.ts";
import { id } from "../../../workers/contract/fields.ts";
import { getNews } from "../../../workers/contract/news.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { DocumentView } from "../../post/document.tsx";
import { linksOf } from "../../post/links.ts";
import { v4Context } from "../../request/context.ts";
import { identityContext } from "../../session/context.ts";
import { Html } from "../../site/document-view.tsx";
import { readNews } from "../../site/news.server.ts";
import { DateTime } from "../../ui/date-time.tsx";
import type { Route } from "./+types/entry.ts";

export const meta: Route.MetaFunction = (args) => {
  const entry = args.loaderData?.entry;
  return pageMeta(
    args,
    entry && {
      title: entry.title,
      description: entry.description,
      type: "article",
      json_ld: (origin) => ({
        "@type": "NewsArticle",
        headline: entry.title,
        datePublished: entry.date,
        url: `${origin}/news/${entry.slug}`,
      }),
    },
  );
};

/** A piece of news is a file of the app, by its name, or an operator's, by its id. */
export async function loader({ url, params, context }: Route.LoaderArgs) {
  const file = readNews().find(({ slug }) => slug === params.slug);
  if (file) return { entry: file };
  const news_id = id.safeParse(params.slug).data;
  if (!news_id) throw data(null, { status: 404 });
  const { news } = await context.get(v4Context).read(getNews, { params: { news_id } });
  const { title, category, day, document } = news;
  const links = await linksOf(document, url.origin, context.get(identityContext).session_keys);
  const about = { slug: news_id, title, date: day, category, description: plainText(document) };
  return { entry: { ...about, html: null, document, links } };
}

export default function NewsPage({ loaderData }: Route.ComponentProps) {
  const { entry } = loaderData;
  return (
    <article className="page page-reading reading">
      <p className="back">
        <Link to="/news">お知らせ一覧</Link>
      </p>
      <NewsArticle {...entry}>
        {entry.html === null ? <NewsText document={entry.document} links={entry.links} /> : <Html html={entry.html} />}
      </NewsArticle>
    </article>
  );
}

/** The heading and the text of a piece of news. */
export function NewsArticle(props: { title: string; date: string; category: string; children: ReactNode }) {
  const { title, date, category, children } = props;
  return (
    <>
      <header className="reading-head">
        <p className="news-about">
          <DateTime iso={date} format="date" />
          <span className="badge">{category}</span>
        </p>
        <h1 className="page-title">{title}</h1>
      </header>
      <div className="card">{children}</div>
    </>
  );
}

/** The text of an operator's news. */
export function NewsText({ document, links }: { document: Document; links: Readonly<Record<string, string>> }) {
  return (
    <div className="reading-text">
      <DocumentView document={document} images={[]} media={[]} links={links} />
    </div>
  );
}
