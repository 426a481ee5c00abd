import { data, Link } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
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

export function loader({ params }: Route.LoaderArgs) {
  const entry = readNews().find(({ slug }) => slug === params.slug);
  if (!entry) throw data(null, { status: 404 });
  return { entry };
}

export default function NewsPage({ loaderData }: Route.ComponentProps) {
  const { title, date, category, html } = loaderData.entry;
  return (
    <article className="page page-reading reading">
      <p className="back">
        <Link to="/news">お知らせ一覧</Link>
      </p>
      <header className="reading-head">
        <p className="news-about">
          <DateTime iso={date} format="date" />
          <span className="badge">{category}</span>
        </p>
        <h1 className="page-title">{title}</h1>
      </header>
      <div className="card">
        <Html html={html} />
      </div>
    </article>
  );
}
