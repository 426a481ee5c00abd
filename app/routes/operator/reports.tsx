import { Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { listReports } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/reports.ts";
import { NextPage, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, refuseForm } from "./operator-page.ts";
import { DECISIONS, REASONS, SUBJECTS } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "通報", is_unlisted: true });

const PATH = "/operator/reports";
const ROWS = 50;

export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const is_all = url.searchParams.get("filter") === "all";
  const after = id.safeParse(url.searchParams.get("after")).data;
  const query = { is_all, after, limit: ROWS };
  return { ...(await context.get(v4Context).read(listReports, { query })), is_all, is_first: after === undefined };
}

export const action = refuseForm;

const pathOf = (is_all: boolean, after?: string) => {
  const query = new URLSearchParams({ ...(is_all && { filter: "all" }), ...(after && { after }) });
  return query.size > 0 ? `${PATH}?${query}` : PATH;
};

export default function Reports({ loaderData }: Route.ComponentProps) {
  const { reports, has_next, is_all, is_first } = loaderData;
  const last = reports.at(-1)?.report_id;
  return (
    <>
      <h1 className="page-title">通報</h1>
      <nav className="tabs" aria-label="通報の種類">
        <Link to={pathOf(false)} aria-current={is_all ? undefined : "page"}>
          判断を待つもの
        </Link>
        <Link to={pathOf(true)} aria-current={is_all ? "page" : undefined}>
          すべて
        </Link>
      </nav>
      {reports.length === 0 ? (
        <EmptyState title={is_all ? "通報はありません" : "判断を待つ通報はありません"} />
      ) : (
        <OperatorList>
          {reports.map((report) => (
            <OperatorRow
              key={report.report_id}
              title={
                <>
                  <Link to={`${PATH}/${report.report_id}`} className="card-link">
                    <b>{SUBJECTS[report.subject_type]}</b> @{report.owner_link_id ?? "ゲスト"}
                  </Link>{" "}
                  {report.decision ? (
                    <Badge tone="quiet">{DECISIONS[report.decision]}</Badge>
                  ) : (
                    <Badge tone="new">{REASONS[report.reason]}</Badge>
                  )}
                </>
              }
            >
              <Note>
                <DateTime iso={report.created_at} /> @{report.reporter_link_id} から
                {report.same_subject_count > 1 && `、同じものへの通報 ${report.same_subject_count}件`}
              </Note>
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      <NextPage first={is_first ? null : pathOf(is_all)} next={has_next && last ? pathOf(is_all, last) : null} />
    </>
  );
}
