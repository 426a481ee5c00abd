import { Link } from "react-router";
import { listUserMemberships } from "../../../workers/contract/memberships.ts";
import { getProfile } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { PlanList } from "../creator/plan-list.tsx";
import type { Route } from "./+types/memberships.ts";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メンバーシップ", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getProfile, {});
  const { memberships } = await v4.read(listUserMemberships, { params: { user_id: user.user_id } });
  return { memberships, link_id: user.link_id };
}

export default function Memberships({ loaderData }: Route.ComponentProps) {
  const { memberships, link_id } = loaderData;
  return (
    <>
      <h1 className="page-title">メンバーシップ</h1>
      {memberships.length > 0 && (
        <section>
          <h2 className="section-title">募集中のプラン</h2>
          <PlanList memberships={memberships} heading="h3" />
          <p>
            <Link to={`/${link_id}/plans`}>公開ページで見る</Link>
          </p>
        </section>
      )}
      <Unready
        feature="plans"
        title="プランの作成と編集"
        will={["月額100円から10,000円までのプランをつくる", "プランに入っている人を見る", "募集を止める、再開する"]}
      />
    </>
  );
}
