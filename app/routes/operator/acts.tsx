import { id } from "../../../workers/contract/fields.ts";
import { listOperatorActs } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
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
  const query = { before, limit: ROWS };
  return { ...(await context.get(v4Context).read(listOperatorActs, { query })), is_first: before === undefined };
}

export const action = refuseForm;

export default function Acts({ loaderData }: Route.ComponentProps) {
  const { acts, has_next, is_first } = loaderData;
  const last = acts.at(-1)?.act_id;
  return (
    <>
      <h1 className="page-title">操作の記録</h1>
      <p className="lead">運営がしたことを、新しい順に並べています。だれも書きかえたり消したりできません。</p>
      {acts.length === 0 ? (
        <EmptyState title="記録はまだありません" />
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
      <NextPage first={is_first ? null : PATH} next={has_next && last ? `${PATH}?before=${last}` : null} />
    </>
  );
}
