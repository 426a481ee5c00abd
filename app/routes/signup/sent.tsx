import { Link } from "react-router";
import { edgeContext } from "../../middleware/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { DemoOutbox } from "../login/demo-outbox.tsx";
import type { Route } from "./+types/sent.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "確認メールを送りました", is_unlisted: true });

/** Nothing beside the form leads away from it. */
export const handle: Handle = { layout: "plain" };

export const loader = ({ context }: Route.LoaderArgs) => ({ is_demo: context.get(edgeContext).is_demo });

export default function Sent({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page page-narrow">
      <h1 className="page-title">確認メールを送りました</h1>
      <div className="card form">
        <p>メールに書かれたリンクを、このブラウザーで開いてください。そのまま登録を続けられます。</p>
        <p>届かないときは、迷惑メールの中もご確認ください。すでに登録済みの方は、そのままログインできます。</p>
        <DemoOutbox is_demo={loaderData.is_demo} what="メール" />
        <p>
          <Link to="/signup">メールアドレスを入力し直す</Link>
        </p>
      </div>
      <p className="form-aside">
        <Link to="/login">ログインする</Link>
      </p>
    </div>
  );
}
