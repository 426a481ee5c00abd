import { data, Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getJoining, type Joining } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { ButtonLink, buttonClass } from "../../ui/button.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import type { Route } from "./+types/joining.ts";
import { originOf } from "./joining-origin.ts";
import { SUBSCRIPTIONS_PATH } from "./subscription-words.ts";

const TITLES = {
  joined: "加入しました",
  open: "お支払いはまだ完了していません",
  expired: "お申し込みは完了していません",
  returned: "加入できなかったため、返金します",
} as const satisfies Record<Joining["status"], string>;

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, args.loaderData && { title: TITLES[args.loaderData.joining.status], is_unlisted: true });

/** The page to which the gateway returns. Says what has happened, also when the payment is not known yet. */
export async function loader({ params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.joining_id).success) throw data(null, { status: 404 });
  const { joining } = await context.get(v4Context).read(getJoining, { params });
  return { joining, origin: originOf(context, params.joining_id) };
}

/** The path of a post, not of a page below it. */
const POST = /^\/[a-z0-9_]+\/events\/[^/]+$/;

export default function JoiningPage({ loaderData }: Route.ComponentProps) {
  const { joining, origin } = loaderData;
  const { status, membership, creator, checkout_url, subscription_id, thanks } = joining;
  const query = origin && `?${new URLSearchParams({ to: origin })}`;
  const plan_path = `/${creator.link_id}/plans/${membership.membership_id}`;
  return (
    <section className="card prose">
      <h1 className="page-title">{TITLES[status]}</h1>
      <p>
        <bdi>{creator.name}</bdi>さんの「{membership.title}」
      </p>
      {status === "joined" && (
        <>
          <p>ありがとうございます。メンバー限定の投稿を、いますぐ読めます。</p>
          {thanks && (
            <blockquote>
              <Paragraphs text={thanks} />
            </blockquote>
          )}
          <p className="row">
            {origin && (
              <ButtonLink to={origin}>{POST.test(origin) ? "読んでいた投稿へ戻る" : "もとのページへ戻る"}</ButtonLink>
            )}
            <ButtonLink to={plan_path} variant={origin ? "gray-outline" : "primary"}>
              このプランの投稿を読む
            </ButtonLink>
            <ButtonLink to={`${SUBSCRIPTIONS_PATH}/${subscription_id}`} variant="gray-outline">
              加入の内容と請求書
            </ButtonLink>
          </p>
        </>
      )}
      {status === "open" && (
        <>
          <p>
            お支払いの画面で手続きを終えた場合は、数分のうちに確認されます。少し待ってから、このページを開き直してください。二重に料金がかかることはありません。
          </p>
          <p className="row">
            {checkout_url && (
              // Another document: the gateway's page.
              <a href={checkout_url} className={buttonClass()}>
                お支払いの続きをする
              </a>
            )}
            <Link to={`${SUBSCRIPTIONS_PATH}/joining/${joining.joining_id}`} reloadDocument>
              最新の状態を確認する
            </Link>
          </p>
        </>
      )}
      {status === "expired" && (
        <>
          <p>お支払いがないまま期限が切れました。料金はかかっていません。もう一度お申し込みいただけます。</p>
          <p>
            <ButtonLink to={`${SUBSCRIPTIONS_PATH}/join/${membership.membership_id}${query}`}>
              もう一度申し込む
            </ButtonLink>
          </p>
        </>
      )}
      {status === "returned" && (
        <>
          <p>
            お支払いの手続きのあいだに、このプランに加入できない状態になりました。お支払いいただいた金額は、すべてお支払い方法へお返しします。明細に反映されるまで、数日かかることがあります。
          </p>
          <p>
            <ButtonLink to="/my/settings/payments" variant="gray-outline">
              お支払いの履歴を見る
            </ButtonLink>
          </p>
        </>
      )}
      {status !== "joined" && (
        <p>
          <Link to={plan_path + query}>プランのページへ戻る</Link>
        </p>
      )}
    </section>
  );
}
