import { Form, Link } from "react-router";
import { findAccount, searchPeople } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { readKeyword } from "../../v4/keyword.ts";
import { KeywordField } from "../my/list-order.tsx";
import type { Route } from "./+types/people.ts";
import { Note, OperatorList, OperatorRow } from "./list.tsx";
import { paymentPath } from "./money-lists.tsx";
import { admitOperator, refuseForm } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "人を探す", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const keyword = readKeyword(url);
  if (!keyword) return { keyword, found: null, account: null };
  const v4 = context.get(v4Context);
  const [found, account] = await Promise.all([
    v4.read(searchPeople, { query: { keyword } }),
    // An account whose registration is not complete has no person yet.
    keyword.includes("@", 1) ? v4.send(findAccount, { query: { who: keyword } }) : null,
  ]);
  const is_unfinished = account?.ok === true && account.answer.profile === null;
  return { keyword, found, account: is_unfinished ? account.answer : null };
}

export const action = refuseForm;

export default function People({ loaderData }: Route.ComponentProps) {
  const { keyword, found, account } = loaderData;
  const is_empty = found !== null && found.people.length === 0 && account === null;
  return (
    <>
      <h1 className="page-title">人を探す</h1>
      <p className="lead">名前の一部、ユーザーID、メールアドレス、またはIDで探します。</p>
      <Form method="get" className="row list-order">
        <KeywordField keyword={keyword} label="名前など" />
        <Button size="sm" variant="gray-outline">
          探す
        </Button>
      </Form>
      {is_empty && <EmptyState title={`「${keyword}」は見つかりません`} />}
      {found !== null && !is_empty && (
        <OperatorList>
          {account && (
            <OperatorRow
              title={
                <Link to={`/operator/people/${account.uid}`} className="card-link">
                  <b>{account.account?.email ?? account.uid}</b>
                </Link>
              }
            >
              <Note>登録が終わっていません</Note>
            </OperatorRow>
          )}
          {found.people.map(({ user_id, uid, link_id, name, is_creator, disabled_at, left_at, created_at }) => (
            <OperatorRow
              key={user_id}
              title={
                <>
                  {left_at ? (
                    <b>{name}</b>
                  ) : (
                    <Link to={`/operator/people/${uid}`} className="card-link">
                      <b>
                        <bdi>{name}</bdi>
                      </b>
                    </Link>
                  )}{" "}
                  @{link_id} {is_creator && <Badge>クリエイター</Badge>}{" "}
                  {disabled_at && <Badge tone="quiet">利用停止中</Badge>} {left_at && <Badge tone="quiet">退会</Badge>}
                </>
              }
            >
              <Note>
                <DateTime iso={created_at} format="date" /> に登録
              </Note>
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      {keyword?.includes("@", 1) && (
        <p>
          <Link to={paymentPath(keyword)}>このアドレスのゲストの支払いを探す</Link>
        </p>
      )}
      {found?.has_more && <p className="field-hint">ほかにもいます。言葉を長くして、絞り込んでください。</p>}
    </>
  );
}
