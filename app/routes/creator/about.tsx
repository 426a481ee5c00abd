import { pageMeta } from "../../crawlers/page-meta.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import type { Route } from "./+types/about.ts";
import { useCreator } from "./creator.ts";
import { feedLinks } from "./preview.ts";

export const meta: Route.MetaFunction = (args) => {
  const { creator, share_picture } = args.matches[1]?.loaderData ?? {};
  return pageMeta(
    args,
    creator && {
      title: `${creator.name}さんのプロフィール`,
      description: creator.bio,
      share_picture,
      alternates: feedLinks(creator),
    },
  );
};

export default function CreatorAbout() {
  const { creator } = useCreator();
  return (
    <section className="card prose">
      <h1 className="section-title">自己紹介</h1>
      {creator.bio ? <Paragraphs text={creator.bio} /> : <p>自己紹介はまだありません。</p>}
      <p className="field-hint">
        <DateTime iso={creator.created_at} format="date" /> から利用
      </p>
    </section>
  );
}
