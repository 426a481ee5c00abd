import { Link, redirect, redirectDocument } from "react-router";
import { PAYOUT_FEE_YEN, PAYOUT_MIN_YEN, PLATFORM_FEE_PERCENT } from "../../../workers/contract/limits.ts";
import { getProfile } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { isComplete } from "../../middleware/completeness.ts";
import { v4Context } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { Unready } from "../my/unready.tsx";
import type { Route } from "./+types/monetize.ts";

const PATH = "/signup/monetize";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "収益化登録", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  if (!context.get(viewerContext)) throw redirectDocument(loginPath(PATH));
  if (context.get(viewerContext)?.registration === "missing") throw redirect(registrationPath);
  const { user } = await context.get(v4Context).read(getProfile, {});
  if (!isComplete(user)) throw redirect(registrationPath);
  return { is_creator: user.is_creator };
}

/**
 * The middleware does not redirect pages below /signup to the registration, so this page links to it: payouts need a
 * registered name.
 */
const registrationPath = `/signup/registration?${new URLSearchParams({ to: PATH })}`;

export default function Monetize({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page page-reading">
      <h1 className="page-title">収益化登録</h1>
      {loaderData.is_creator ? (
        <section className="card prose">
          <p>あなたはクリエイターとして登録されています。</p>
          <p>
            <Link to="/my/transactions">売上のページへ</Link>
          </p>
        </section>
      ) : (
        <>
          <p className="lead">
            登録すると、応援やメンバーシップの売上を受け取り、ニュースレターを送れるようになります。
          </p>
          <section className="card">
            <h2 className="section-title">お金のこと</h2>
            <dl className="facts">
              <div>
                <dt>登録・月々の料金</dt>
                <dd>無料</dd>
              </div>
              <div>
                <dt>手数料</dt>
                <dd>{`売上の${PLATFORM_FEE_PERCENT}%（決済の費用を含む）`}</dd>
              </div>
              <div>
                <dt>振込</dt>
                <dd>{`残高${PAYOUT_MIN_YEN.toLocaleString("ja-JP")}円から。振込手数料は1回${PAYOUT_FEE_YEN}円です`}</dd>
              </div>
            </dl>
          </section>
          <Unready
            feature="monetization"
            title="登録の手続き"
            will={["利用規約に同意する", "本人確認をして、振込先の口座を登録する"]}
          />
        </>
      )}
    </div>
  );
}
