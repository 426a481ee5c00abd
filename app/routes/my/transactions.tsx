import { getProfile } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/transactions.ts";
import { MonetizePrompt } from "./monetize-prompt.tsx";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "売上", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  return { is_creator: user.is_creator };
}

export default function Transactions({ loaderData }: Route.ComponentProps) {
  return (
    <>
      <h1 className="page-title">売上</h1>
      {loaderData.is_creator ? (
        <Unready
          feature="payouts"
          title="残高と明細"
          will={[
            "残高と、これまでの売上の明細を見る",
            "登録した口座へ振り込む（1,000円から）",
            "期間を決めて明細を書き出す",
          ]}
        />
      ) : (
        <MonetizePrompt title="売上を受け取るには、収益化登録が必要です">
          <p>登録すると、応援やメンバーシップの売上を口座で受け取れるようになります。</p>
        </MonetizePrompt>
      )}
    </>
  );
}
