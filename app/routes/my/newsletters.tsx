import { getProfile } from "../../../workers/contract/users.ts";
import { v4Context } from "../../middleware/context.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { ButtonLink } from "../../ui/button.tsx";
import type { Route } from "./+types/newsletters.ts";
import { MonetizePrompt } from "./monetize-prompt.tsx";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ニュースレター", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  return { is_creator: user.is_creator };
}

export default function Newsletters({ loaderData }: Route.ComponentProps) {
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">ニュースレター</h1>
        {loaderData.is_creator && (
          <ButtonLink to="/my/news_letters/new" size="sm">
            ニュースレターをつくる
          </ButtonLink>
        )}
      </div>
      {loaderData.is_creator ? (
        <Unready
          title="ニュースレターの一覧"
          will={["下書き・予約・配信済みのニュースレターを見る", "今月あと何通送れるかを確かめる（1か月に4通まで）"]}
        />
      ) : (
        <MonetizePrompt title="ニュースレターをつくるには、収益化の登録が必要です">
          <p>登録すると、フォロワーへメールの便りを送れるようになります。</p>
        </MonetizePrompt>
      )}
    </>
  );
}
