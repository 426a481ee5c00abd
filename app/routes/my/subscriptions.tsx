import { Link } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import type { Route } from "./+types/subscriptions.ts";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "加入中のプラン", is_unlisted: true });

export default function Subscriptions() {
  return (
    <>
      <h1 className="page-title">加入中のプラン</h1>
      <Unready
        feature="subscriptions"
        title="プランの一覧"
        will={["加入中のプランと、次の支払日・金額を確かめる", "支払い方法を変える、解約する"]}
      />
      <p>
        <Link to="/?filter=subscribing">加入中のプランの投稿を見る</Link>
      </p>
    </>
  );
}
