import { pageMeta } from "../../crawlers/page-meta.ts";
import type { Route } from "./+types/radio.ts";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ラジオ", is_unlisted: true });

export default function Radio() {
  return (
    <>
      <h1 className="page-title">ラジオ</h1>
      <Unready
        feature="radio"
        title="声の生放送"
        will={[
          "日時を決めて、音声の生放送をする（1回180分まで）",
          "全員・フォロワー・メンバーシップ・URLを知っている人から、聴ける人を選ぶ",
          "放送中にチャットで話し、録音を残す",
        ]}
      />
    </>
  );
}
