import * as z from "zod";
import { getSearchState, rebuildSearch } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/search-index.ts";
import { ConfirmedAct } from "./act-form.tsx";
import { Fact, FactList } from "./list.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "検索の索引", is_unlisted: true });

const PATH = "/operator/search";

export async function loader({ context }: Route.LoaderArgs) {
  const forms = await openForms(context, PATH);
  return { forms, ...(await context.get(v4Context).read(getSearchState, {})) };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const sent = await sendAct(context, url, form, rebuildSearch, {});
  if (!sent.ok) return refuseAct(form, readForm(form, z.object({})), sent.refusal);
  return finishAct(context, PATH, "search_rebuilding");
}

const countsText = ({ waiting_count, given_up_count }: { waiting_count: number; given_up_count: number }) =>
  `待っているもの ${waiting_count}件、止まったもの ${given_up_count}件`;

export default function SearchIndex({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, creators, rebuilds } = loaderData;
  return (
    <>
      <h1 className="page-title">検索の索引</h1>
      <section className="card form">
        <FactList>
          <Fact name="クリエイターの更新">{countsText(creators)}</Fact>
          <Fact name="作り直し">{countsText(rebuilds)}</Fact>
        </FactList>
      </section>
      <ConfirmedAct
        act="rebuild"
        title="索引を作り直す"
        what="すべてのクリエイターを、少しずつ索引に入れ直します。そのあいだも、いまの索引で検索できます。"
        button="作り直す"
        forms={forms}
        answer={actionData}
      >
        {() => null}
      </ConfirmedAct>
    </>
  );
}
