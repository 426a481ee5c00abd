import { data, Link } from "react-router";
import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import { deleteNews, getAnyNews } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { printMarkup } from "../../post/markup.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import type { Route } from "./+types/edit-news.ts";
import { ConfirmedAct } from "./act-form.tsx";
import { answerNews } from "./news-action.ts";
import { NEWS_PATH, NewsForm } from "./news-form.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "お知らせの編集", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const forms = await openForms(context, url.pathname);
  if (!id.safeParse(params.news_id).success) throw data(null, { status: 404 });
  const { news } = await context.get(v4Context).read(getAnyNews, { params });
  const { title, category, day, document, is_published, updated_at } = news;
  const values = { title, category, day, body: printMarkup(document, { image_ids: [], media_ids: [] }) };
  return { forms, values, saved: { is_published, updated_at }, idempotency_key: crypto.randomUUID() };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  await admitOperator(context);
  if (!id.safeParse(params.news_id).success) throw data(null, { status: 404 });
  const form = await request.formData();
  if (form.get("act") !== "delete") return answerNews(context, url, form, params.news_id);
  const sent = await sendAct(context, url, form, deleteNews, { params });
  if (!sent.ok) return refuseAct(form, readForm(form, z.object({})), sent.refusal);
  return finishAct(context, NEWS_PATH, "news_deleted");
}

export default function EditNews({ loaderData, actionData, params }: Route.ComponentProps) {
  const { forms, saved } = loaderData;
  const { is_published, updated_at } = saved;
  const refused = actionData?.act === "delete" ? undefined : actionData;
  return (
    <>
      <p className="back">
        <Link to={NEWS_PATH}>お知らせの一覧へ戻る</Link>
      </p>
      <h1 className="page-title">お知らせの編集</h1>
      <p className="row">
        <Badge tone={is_published ? "quiet" : "new"}>{is_published ? "公開中" : "下書き"}</Badge>
        <span className="row-note">
          最後の変更 <DateTime iso={updated_at} />
        </span>
        <Link to={is_published ? `/news/${params.news_id}` : `${NEWS_PATH}/${params.news_id}/preview`}>
          {is_published ? "公開しているページを見る" : "保存した内容を見る"}
        </Link>
      </p>
      {/* After a save the form shows what was stored. */}
      <NewsForm key={updated_at} {...loaderData} answer={refused} />
      <ConfirmedAct
        act="delete"
        title="このお知らせを削除する"
        what="元に戻すことはできません。読めないようにするだけなら、取り下げて下書きに戻してください。"
        button="削除する"
        variant="alert"
        forms={forms}
        answer={actionData}
      >
        {() => null}
      </ConfirmedAct>
    </>
  );
}
