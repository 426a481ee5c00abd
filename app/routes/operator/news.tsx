import { Link } from "react-router";
import { listAllNews } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/news.ts";
import { Note, OperatorList, OperatorRow } from "./list.tsx";
import { NEWS_PATH } from "./news-form.tsx";
import { admitOperator, refuseForm } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "お知らせを書く", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const page = pageNumber(url);
  const found = await context.get(v4Context).read(listAllNews, { query: { page_number: page } });
  refuseEmptyPage(page, found.news);
  return { ...found, page };
}

export const action = refuseForm;

export default function NewsDesk({ loaderData }: Route.ComponentProps) {
  const { news, page, has_next } = loaderData;
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">お知らせ</h1>
        <ButtonLink to={`${NEWS_PATH}/new`} size="sm">
          お知らせを書く
        </ButtonLink>
      </div>
      <p className="lead">
        <Link to="/news">お知らせのページ</Link>に、新しい日付の順に並びます。
      </p>
      {news.length === 0 ? (
        <EmptyState title="ここで書いたお知らせは、まだありません" />
      ) : (
        <OperatorList>
          {news.map(({ news_id, title, category, day, is_published, updated_at }) => (
            <OperatorRow
              key={news_id}
              title={
                <>
                  <Link to={`${NEWS_PATH}/${news_id}`} className="card-link">
                    <b>{title || "（タイトルなし）"}</b>
                  </Link>{" "}
                  <Badge tone={is_published ? "quiet" : "new"}>{is_published ? "公開中" : "下書き"}</Badge>
                </>
              }
            >
              <Note>
                <DateTime iso={day} format="date" /> {category}
              </Note>
              <Note>
                最後の変更 <DateTime iso={updated_at} />
              </Note>
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      <Pager
        page={page}
        has_next={has_next}
        hrefOf={(number) => (number > 1 ? `${NEWS_PATH}?page=${number}` : NEWS_PATH)}
      />
    </>
  );
}
