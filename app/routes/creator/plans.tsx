import { pageMeta } from "../../crawlers/page-meta.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/plans.ts";
import { useCreator } from "./creator.ts";
import { PlanList } from "./plan-list.tsx";
import { feedLinks } from "./preview.ts";

export const meta: Route.MetaFunction = (args) => {
  const { creator, share_picture } = args.matches[1]?.loaderData ?? {};
  return pageMeta(
    args,
    creator && {
      title: `${creator.name}さんのプラン`,
      description: `${creator.name}（@${creator.link_id}）さんのメンバーシッププランの一覧です。`,
      share_picture,
      alternates: feedLinks(creator),
    },
  );
};

export default function CreatorPlans() {
  const { creator, memberships } = useCreator();
  if (memberships.length === 0) {
    return (
      <EmptyState title="いま募集しているプランはありません">
        <p>
          <ButtonLink to={`/${creator.link_id}`} variant="gray-outline" size="sm">
            投稿を見る
          </ButtonLink>
        </p>
      </EmptyState>
    );
  }
  return (
    <section>
      <h1 className="section-title">
        <bdi>{creator.name}</bdi>さんのプラン
      </h1>
      <PlanList link_id={creator.link_id} memberships={memberships} />
    </section>
  );
}
