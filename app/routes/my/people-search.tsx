import { Form, Link } from "react-router";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { KeywordField } from "./list-order.tsx";

/** The search of a list of people, as a GET form that keeps the list's filter. */
export function PeopleSearch({ keyword, filter }: { keyword: string; filter: "all" | "subscribing" }) {
  return (
    <Form method="get" className="row list-order">
      {filter !== "all" && <input type="hidden" name="filter" value={filter} />}
      <KeywordField keyword={keyword} label="名前" />
      <Button size="sm" variant="gray-outline">
        検索する
      </Button>
    </Form>
  );
}

/** A search without a result. */
export function NobodyFound({ keyword, all }: { keyword: string; all: string }) {
  return (
    <EmptyState title={`「${keyword}」は見つかりません`}>
      <p>名前とユーザーIDから探しました。</p>
      <p>
        <Link to={all}>すべて表示する</Link>
      </p>
    </EmptyState>
  );
}
