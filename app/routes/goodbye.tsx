import { data, Link } from "react-router";
import { pageMeta } from "../crawlers/page-meta.ts";
import { takeGoodbye } from "../session/leave.ts";
import type { Handle } from "../shell/layout.ts";
import type { Route } from "./+types/goodbye.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "退会の手続きが終わりました", is_unlisted: true });

export const handle: Handle = { layout: "plain" };

/** Throws 404 unless an account has just been deleted in this browser. */
export function loader({ url, context }: Route.LoaderArgs) {
  if (!takeGoodbye(context)) throw data(null, { status: 404 });
  return { is_pending: url.searchParams.get("account") === "pending" };
}

/** The farewell page after an account was deleted. */
export default function Goodbye({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page page-narrow">
      <h1 className="page-title">退会の手続きが終わりました</h1>
      <section className="card form">
        <p>これまでご利用いただき、ありがとうございました。あなたの言葉は、受け取った人のもとに残ります。</p>
        {loaderData.is_pending && (
          <p className="notice">
            ログインの情報の削除に、少し時間がかかっています。次にこのサイトを開いたとき、自動で続きを行います。
          </p>
        )}
        <p>
          <Link to="/">トップページへ</Link>
        </p>
      </section>
    </div>
  );
}
