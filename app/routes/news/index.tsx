import { Link } from "react-router";
import { listNews } from "../../../workers/contract/news.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { incompleteContext, v4Context } from "../../request/context.ts";
import { readNews } from "../../site/news.server.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/index.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, {
    title: "ofuseからのお知らせ",
    description: "ofuseの新しい機能、メンテナンスの予定、規約の改定など、運営からのお知らせの一覧です。",
    kept_query: ["page"],
  });

/** Lists what operators have published. The news that are files of the app are older, and follow on the last page. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const found = await context.get(v4Context).part(listNews, { query: { page_number: page } });
  if (!found) context.set(incompleteContext, true);
  const written = found?.news.map(({ news_id, day, ...about }) => ({ slug: news_id, date: day, ...about })) ?? [];
  const has_next = found?.has_next ?? false;
  const files = has_next || (!found && page > 1) ? [] : readNews();
  // The files are on the last page of the others, or on the first.
  if (found && written.length === 0) refuseEmptyPage(page, []);
  const news = [...written, ...files].map(({ slug, title, date, category }) => ({ slug, title, date, category }));
  return { news, page, has_next, is_complete: found !== null };
}

export default function NewsList({ loaderData }: Route.ComponentProps) {
  const { news, page, has_next, is_complete } = loaderData;
  return (
    <div className="page page-reading">
      <h1 className="page-title">ofuseからのお知らせ</h1>
      {!is_complete && (
        <p className="notice" role="status">
          ただいま新しいお知らせを表示できません。時間をおいて、もう一度開いてください。
        </p>
      )}
      {news.length === 0 && is_complete ? (
        <EmptyState title="お知らせはまだありません" />
      ) : (
        <ul className="card news-list">
          {news.map(({ slug, title, date, category }) => (
            <li key={slug}>
              <p className="news-about">
                <DateTime iso={date} format="date" />
                <span className="badge">{category}</span>
              </p>
              <Link to={`/news/${slug}`}>{title}</Link>
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(number) => (number > 1 ? `/news?page=${number}` : "/news")} />
    </div>
  );
}
