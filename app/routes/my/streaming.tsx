import { pageMeta } from "../../crawlers/page-meta.ts";
import type { Route } from "./+types/streaming.ts";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "その他のツール", is_unlisted: true });

export default function Streaming() {
  return (
    <>
      <h1 className="page-title">その他のツール</h1>
      <Unready
        feature="streaming"
        title="配信画面"
        will={["届いたofuseを、生配信の画面に重ねて映す", "試しのofuseを送って、見え方を確かめる"]}
      />
    </>
  );
}
