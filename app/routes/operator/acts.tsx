import { Form } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { listOperatorActs } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/acts.ts";
import { NextPage, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, refuseForm } from "./operator-page.ts";
import { ACTS, describeGiven, describeSubject } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "操作の記録", is_unlisted: true });

const PATH = "/operator/acts";
const ROWS = 50;

export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const before = id.safeParse(url.searchParams.get("before")).data;
  const filter = { operator: wordOf(url, "operator"), subject: wordOf(url, "subject") };
  const query = { ...filter, before, limit: ROWS };
  const answer = await context.get(v4Context).read(listOperatorActs, { query });
  return { ...answer, filter, is_first: before === undefined };
}

/** Returns the text typed into a field; undefined for none. */
const wordOf = (url: URL, name: "operator" | "subject") => {
  const { shape } = listOperatorActs.query;
  return shape[name].safeParse(url.searchParams.get(name) ?? "").data || undefined;
};

export const action = refuseForm;

export default function Acts({ loaderData }: Route.ComponentProps) {
  const { acts, filter, has_next, is_first } = loaderData;
  const last = acts.at(-1)?.act_id;
  const is_filtered = filter.operator !== undefined || filter.subject !== undefined;
  return (
    <>
      <h1 className="page-title">操作の記録</h1>
      <p className="lead">
        運営がしたことを、新しい順に並べています。だれも書き換えたり消したりできません。対象は、IDで絞り込めます。人は、@を付けたユーザーIDやメールアドレスでもかまいません。
      </p>
      <Form method="get" className="row list-order">
        <FilterField name="operator" label="操作した人" value={filter.operator} />
        <FilterField name="subject" label="対象" value={filter.subject} />
        <Button size="sm" variant="gray-outline">
          絞り込む
        </Button>
      </Form>
      {acts.length === 0 ? (
        <EmptyState title={is_filtered ? "あてはまる記録はありません" : "記録はまだありません"} />
      ) : (
        <OperatorList>
          {acts.map(({ act_id, operator, operation, subject, input, request_id, acted_at }) => (
            <OperatorRow
              key={act_id}
              title={
                <>
                  <b>{ACTS[operation] ?? operation}</b> {operator}
                </>
              }
            >
              <Note>
                <DateTime iso={acted_at} />
              </Note>
              {subject && (
                <Note>
                  <span className="operator-id">{describeSubject(operation, subject)}</span>
                </Note>
              )}
              {describeGiven(input).map((given) => (
                <Note key={given}>
                  <span className="operator-id">{given}</span>
                </Note>
              ))}
              <Note>
                <span className="operator-id">{request_id}</span>
              </Note>
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      <NextPage
        first={is_first ? null : pathOf(filter)}
        next={has_next && last ? pathOf({ ...filter, before: last }) : null}
      />
    </>
  );
}

/** The address of the list with some of its words. */
function pathOf(words: { operator?: string; subject?: string; before?: string }): string {
  const given = Object.entries(words).filter(([, word]) => word !== undefined);
  return given.length === 0 ? PATH : `${PATH}?${new URLSearchParams(given)}`;
}

function FilterField({ name, label, value = "" }: { name: "operator" | "subject"; label: string; value?: string }) {
  return (
    <div className="list-choice list-keyword">
      <label htmlFor={name}>{label}</label>
      <input type="search" id={name} name={name} className="control" maxLength={254} defaultValue={value} key={value} />
    </div>
  );
}
