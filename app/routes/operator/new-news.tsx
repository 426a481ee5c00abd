import { Link } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { tokyoDay } from "../../text/tokyo-time.ts";
import type { Route } from "./+types/new-news.ts";
import { answerNews } from "./news-action.ts";
import { NEWS_PATH, NewsForm } from "./news-form.tsx";
import { admitOperator, openForms } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "新しいお知らせ", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const forms = await openForms(context, url.pathname);
  const values = { title: "", category: "お知らせ", day: tokyoDay(new Date()), body: "" };
  return { forms, values, idempotency_key: crypto.randomUUID() };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  return answerNews(context, url, await request.formData(), null);
}

export default function NewNews({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <>
      <p className="back">
        <Link to={NEWS_PATH}>お知らせの一覧へ戻る</Link>
      </p>
      <h1 className="page-title">新しいお知らせ</h1>
      <NewsForm {...loaderData} answer={actionData} saved={null} />
    </>
  );
}
