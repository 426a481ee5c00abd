import { Link } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readNews } from "../../site/news.server.ts";
import { DateTime } from "../../ui/date-time.tsx";
import type { Route } from "./+types/index.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, {
    title: "ofuseからのお知らせ",
    description: "ofuseの新しい機能、メンテナンスの予定、規約の改定など、運営からのお知らせの一覧です。",
  });

export const loader = () => ({
  news: readNews().map(({ slug, title, date, category }) => ({ slug, title, date, category })),
});

export default function NewsList({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page page-reading">
      <h1 className="page-title">ofuseからのお知らせ</h1>
      <ul className="card news-list">
        {loaderData.news.map(({ slug, title, date, category }) => (
          <li key={slug}>
            <p className="news-about">
              <DateTime iso={date} format="date" />
              <span className="badge">{category}</span>
            </p>
            <Link to={`/news/${slug}`}>{title}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
