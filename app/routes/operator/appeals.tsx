import { Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { listAppeals } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/appeals.ts";
import { NextPage, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, refuseForm } from "./operator-page.ts";
import { APPEALS, SUBJECTS } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "異議の申し出", is_unlisted: true });

const PATH = "/operator/appeals";
const ROWS = 50;

export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const is_all = url.searchParams.get("filter") === "all";
  const after = id.safeParse(url.searchParams.get("after")).data;
  const query = { is_all, after, limit: ROWS };
  return { ...(await context.get(v4Context).read(listAppeals, { query })), is_all, is_first: after === undefined };
}

export const action = refuseForm;

const pathOf = (is_all: boolean, after?: string) => {
  const query = new URLSearchParams({ ...(is_all && { filter: "all" }), ...(after && { after }) });
  return query.size > 0 ? `${PATH}?${query}` : PATH;
};

export default function Appeals({ loaderData }: Route.ComponentProps) {
  const { appeals, has_next, is_all, is_first } = loaderData;
  const last = appeals.at(-1)?.removal_id;
  return (
    <>
      <h1 className="page-title">異議の申し出</h1>
      <nav className="tabs" aria-label="異議の種類">
        <Link to={pathOf(false)} aria-current={is_all ? undefined : "page"}>
          答えを待つもの
        </Link>
        <Link to={pathOf(true)} aria-current={is_all ? "page" : undefined}>
          すべて
        </Link>
      </nav>
      {appeals.length === 0 ? (
        <EmptyState title={is_all ? "異議の申し出はありません" : "答えを待つ異議はありません"} />
      ) : (
        <OperatorList>
          {appeals.map(({ removal_id, subject_type, owner_link_id, appeal }) => (
            <OperatorRow
              key={removal_id}
              title={
                <>
                  <Link to={`${PATH}/${removal_id}`} className="card-link">
                    <b>{SUBJECTS[subject_type]}</b> @{owner_link_id}
                  </Link>{" "}
                  {appeal.decision && <Badge tone="quiet">{APPEALS[appeal.decision]}</Badge>}
                </>
              }
            >
              <Note>
                <DateTime iso={appeal.sent_at} /> {appeal.message.slice(0, 60)}
              </Note>
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      <NextPage first={is_first ? null : pathOf(is_all)} next={has_next && last ? pathOf(is_all, last) : null} />
    </>
  );
}
