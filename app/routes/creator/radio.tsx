import { pageMeta } from "../../crawlers/page-meta.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/radio.ts";
import { useCreator } from "./creator.ts";
import { feedLinks } from "./preview.ts";

export const meta: Route.MetaFunction = (args) => {
  const { creator, share_picture } = args.matches[1]?.loaderData ?? {};
  return pageMeta(
    args,
    creator && {
      title: `${creator.name}さんのラジオ`,
      description: `${creator.name}（@${creator.link_id}）さんのラジオです。声の生放送は準備中です。`,
      share_picture,
      alternates: feedLinks(creator),
      // Keep the page out of search results while it has no content.
      is_unlisted: true,
    },
  );
};

export default function CreatorRadio() {
  const { creator } = useCreator();
  return (
    <section>
      <h1 className="section-title">
        <bdi>{creator.name}</bdi>さんのラジオ
      </h1>
      <EmptyState title="ラジオは準備中です">
        <p>
          声の生放送は、まだ始まっていません。始まると、放送の予定と録音がここに並びます。フォローしておくと、そのときお知らせが届きます。
        </p>
        <p>
          <ButtonLink to={`/${creator.link_id}`} variant="gray-outline" size="sm">
            投稿を見る
          </ButtonLink>
        </p>
      </EmptyState>
    </section>
  );
}
