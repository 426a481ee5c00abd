import { data } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getAnyNews } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { linksOf } from "../../post/links.ts";
import { v4Context } from "../../request/context.ts";
import { identityContext } from "../../session/context.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { NewsArticle, NewsText } from "../news/entry.tsx";
import type { Route } from "./+types/preview-news.ts";
import { NEWS_PATH } from "./news-form.tsx";
import { admitOperator, refuseForm } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "お知らせのプレビュー", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  await admitOperator(context);
  if (!id.safeParse(params.news_id).success) throw data(null, { status: 404 });
  const { news } = await context.get(v4Context).read(getAnyNews, { params });
  const links = await linksOf(news.document, url.origin, context.get(identityContext).session_keys);
  return { news, links };
}

export const action = refuseForm;

export default function PreviewNews({ loaderData }: Route.ComponentProps) {
  const { news, links } = loaderData;
  const { news_id, title, day, category, document } = news;
  return (
    <>
      <div className="banner preview-bar">
        <p>プレビューです。運営だけに見えています。</p>
        <ButtonLink to={`${NEWS_PATH}/${news_id}`} size="sm">
          編集に戻る
        </ButtonLink>
      </div>
      <article className="section">
        <NewsArticle title={title || "（タイトルなし）"} date={day} category={category}>
          <NewsText document={document} links={links} />
        </NewsArticle>
      </article>
    </>
  );
}
