import { Link } from "react-router";
import { getProfile } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/new-newsletter.ts";
import { MonetizePrompt } from "./monetize-prompt.tsx";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "ニュースレターをつくる", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  return { is_creator: user.is_creator };
}

/** Only creators can write newsletters. Source: spec section 6. */
export default function NewNewsletter({ loaderData }: Route.ComponentProps) {
  return (
    <>
      <p className="back">
        <Link to="/my/news_letters">ニュースレターへ戻る</Link>
      </p>
      <h1 className="page-title">ニュースレターをつくる</h1>
      {loaderData.is_creator ? (
        <Unready
          feature="newsletters"
          title="ニュースレターの作成"
          will={["フォロワーやメンバーに届くメールを書く", "下書きにする、日時を決めて配信する（1か月に4通まで）"]}
        />
      ) : (
        <MonetizePrompt title="ニュースレターをつくるには、収益化登録が必要です">
          <p>登録すると、フォロワーへメールの便りを送れるようになります。</p>
        </MonetizePrompt>
      )}
    </>
  );
}
