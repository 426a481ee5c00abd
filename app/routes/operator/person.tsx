import { data, Link, type RouterContextProvider } from "react-router";
import * as z from "zod";
import type { AnswerOf } from "../../../workers/contract/operation.ts";
import {
  type AccountAnswer,
  findAccount,
  getPerson,
  getPersonMoney,
  removeAccountFactors,
  setAccountDisabled,
  signOutAccount,
} from "../../../workers/contract/operator.ts";
import { OPERATOR_NAME } from "../../../workers/verifier/operator-token.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import type { FlashCode } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber } from "../../v4/page-number.ts";
import { operatorNote } from "../operation-forms.server.ts";
import type { Route } from "./+types/person.ts";
import { ConfirmedAct, NoteField } from "./act-form.tsx";
import { Fact, FactList } from "./list.tsx";
import { CheckoutList, MadePaymentList, PayoutList, SubscriptionList } from "./money-lists.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";
import { FACTORS, ways } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: args.loaderData?.person?.name ?? "人", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const forms = await openForms(context, url.pathname);
  const answer = await accountOf(context, params.uid);
  const { profile } = answer;
  const v4 = context.get(v4Context);
  const account = {
    is_self: context.get(viewerContext)?.session.id === answer.uid,
    is_operator: OPERATOR_NAME.test(String(answer.account?.claims?.operator ?? "")),
  };
  const page = pageNumber(url);
  if (!profile) return { forms, answer, ...account, person: null, money: null, page };
  const call = { params: { user_id: profile.user_id } };
  const [{ person }, money] = await Promise.all([
    v4.read(getPerson, call),
    v4.read(getPersonMoney, { ...call, query: { page_number: page } }),
  ]);
  return { forms, answer, ...account, person, money, page };
}

async function accountOf(context: Readonly<RouterContextProvider>, uid: string): Promise<AccountAnswer> {
  const answer = await context.get(v4Context).read(findAccount, { query: { who: uid } });
  // The API also finds an account by address. A page has one address.
  if (answer.uid !== uid) throw data(null, { status: 404 });
  return answer;
}

const actForm = z.object({
  act: z.enum(["disable", "enable", "sign_out", "remove_factors"]),
  reason: operatorNote,
});

const done: Record<z.output<typeof actForm>["act"], FlashCode> = {
  disable: "account_stopped",
  enable: "account_restored",
  sign_out: "account_signed_out",
  remove_factors: "account_factors_removed",
};

export async function action({ request, url, params, context }: Route.ActionArgs) {
  await admitOperator(context);
  const { uid } = await accountOf(context, params.uid);
  const form = await request.formData();
  const read = readForm(form, actForm);
  if (!read.value) return refuseAct(form, read);
  const { act, reason } = read.value;
  const call = { params: { uid } };
  const sent =
    act === "sign_out"
      ? await sendAct(context, url, form, signOutAccount, { ...call, body: { reason } })
      : act === "remove_factors"
        ? await sendAct(context, url, form, removeAccountFactors, { ...call, body: { reason } })
        : await sendAct(context, url, form, setAccountDisabled, {
            ...call,
            body: { is_disabled: act === "disable", reason },
          });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, url.pathname, done[act]);
}

/** What an operator must know before disabling somebody who may have plans. The members are refunded one by one. */
const MEMBERS_CANNOT_READ =
  "プランのメンバーは、支払い済みの期間も、限定の投稿を読めなくなります。返金が要るかどうかを、「支払い」で確かめてください。";

/** The API refuses operators who would lock themselves out. */
const REFUSED_ON_SELF: readonly string[] = ["disable", "remove_factors"];

export default function PersonPage({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, answer, person, money, page, is_self, is_operator } = loaderData;
  const { uid, account, profile, is_kept_by_us } = answer;
  const is_disabled = Boolean(profile ? profile.disabled_at : account?.is_disabled);
  const state = { forms, answer: actionData };
  const acts = [
    is_disabled
      ? {
          act: "enable",
          title: "利用を再開する",
          button: "再開する",
          what: "もう一度ログインでき、公開していたものがまた表示されます。終わったログインは戻りません。",
        }
      : {
          act: "disable",
          title: "利用を止める",
          button: "利用を止める",
          what: `すべての端末からログアウトし、何もできなくなります。公開しているものは、だれからも見えなくなります。${person?.is_creator ? MEMBERS_CANNOT_READ : ""}`,
        },
    ...(account
      ? [
          {
            act: "sign_out",
            title: "すべての端末からログアウトさせる",
            button: "ログアウトさせる",
            what: "ログインはもう一度できます。端末をなくした、と本人から知らせがあったときなどに使います。",
          },
        ]
      : []),
    ...(account && account.factors.length > 0
      ? [
          {
            act: "remove_factors",
            title: "二段階認証を外す",
            button: "二段階認証を外す",
            what: "リカバリーコードも消え、すべての端末からログアウトします。本人だと確かめてから使ってください。",
          },
        ]
      : []),
  ];
  return (
    <>
      <p className="back">
        <Link to="/operator/people">人を探す</Link>
      </p>
      <h1 className="page-title">
        <bdi>{person?.name ?? account?.email ?? "登録の途中のアカウント"}</bdi>
      </h1>
      <p className="row">
        {is_disabled ? <Badge tone="quiet">利用停止中</Badge> : <Badge tone="new">利用中</Badge>}
        {person?.is_creator && <Badge>クリエイター</Badge>}
        {is_operator && <Badge>{account && account.factors.length > 0 ? "運営" : "運営（二段階認証が未設定）"}</Badge>}
        {!person && <Badge tone="quiet">登録の途中</Badge>}
      </p>
      {person && (
        <section className="card form">
          <h2 className="section-title">プロフィール</h2>
          <FactList>
            <Fact name="ページ">
              <Link to={`/${person.link_id}`}>@{person.link_id}</Link>
            </Fact>
            <Fact name="自己紹介">{person.bio || "（なし）"}</Fact>
            <Fact name="登録">
              <DateTime iso={person.created_at} />
            </Fact>
            {person.disabled_at && (
              <Fact name="利用を止めた日時">
                <DateTime iso={person.disabled_at} />
              </Fact>
            )}
            <Fact name="投稿">{`${person.posts_count}件`}</Fact>
            <Fact name="手紙">{`受け取り ${person.received_count}通、送信 ${person.sent_count}通`}</Fact>
            <Fact name="コメント">{`${person.comments_count}件`}</Fact>
            <Fact name="フォロー">{`フォロワー ${person.followers_count}人、フォロー中 ${person.followings_count}人`}</Fact>
            <Fact name="ID">
              <span className="operator-id">{person.user_id}</span>
            </Fact>
          </FactList>
        </section>
      )}
      <section className="card form">
        <h2 className="section-title">アカウント</h2>
        {account ? (
          <FactList>
            <Fact name="メールアドレス">
              {account.email ? `${account.email}（${account.is_email_verified ? "確認済み" : "未確認"}）` : "（なし）"}
            </Fact>
            <Fact name="電話番号">{account.phone_number ?? "（なし）"}</Fact>
            <Fact name="ログイン方法">{ways(account).join("、") || "（なし）"}</Fact>
            <Fact name="二段階認証">
              {account.factors.map((kind) => FACTORS[kind] ?? kind).join("、") || "（なし）"}
            </Fact>
            <Fact name="ログイン中の端末">{`${account.sign_ins_count}台`}</Fact>
            <Fact name="最後のログイン">
              {account.last_sign_in_at ? <DateTime iso={account.last_sign_in_at} /> : "（なし）"}
            </Fact>
            <Fact name="作成">
              <DateTime iso={account.created_at} />
            </Fact>
            {account.claims && (
              <Fact name="運営の設定">
                <span className="operator-id">{JSON.stringify(account.claims)}</span>
              </Fact>
            )}
            <Fact name="ID">
              <span className="operator-id">{uid}</span>
            </Fact>
          </FactList>
        ) : (
          <p>
            {is_kept_by_us
              ? "認証サービスにアカウントがありません。"
              : "アカウントはFirebaseにあります。ログインについての操作は、Firebaseの管理画面でしてください。"}
          </p>
        )}
      </section>
      {money && <Money {...money} page={page} path={`/operator/people/${uid}`} />}
      <p>
        <Link to={`/operator/acts?${new URLSearchParams({ subject: uid })}`}>この人のアカウントへの操作の記録</Link>
      </p>
      <section className="section">
        <h2 className="section-title">操作</h2>
        {is_self && (
          <p className="notice">
            あなたのアカウントです。利用を止めることと、二段階認証を外すことは、ここではできません。ほかの運営の人に頼んでください。
          </p>
        )}
        {acts
          .filter(({ act }) => !is_self || !REFUSED_ON_SELF.includes(act))
          .map(({ act, title, button, what }) => (
            <ConfirmedAct
              key={act}
              act={act}
              title={title}
              what={what}
              button={button}
              variant={act === "enable" ? "primary" : "alert"}
              {...state}
            >
              {(fields) => (
                <NoteField
                  act={act}
                  name="reason"
                  label="理由"
                  hint="操作の記録にだけ残ります。名前やアドレスは書かないでください。"
                  fields={fields}
                />
              )}
            </ConfirmedAct>
          ))}
      </section>
    </>
  );
}

/** A page of each list of the person's money. A list without rows is left out. */
function Money(props: AnswerOf<typeof getPersonMoney> & { page: number; path: string }) {
  const { payments, checkouts, subscriptions, payouts, has_next, page, path } = props;
  const parts = [
    { title: "支払い", rows: payments, list: <MadePaymentList payments={payments} /> },
    { title: "済んでいない支払いの手続き", rows: checkouts, list: <CheckoutList checkouts={checkouts} /> },
    { title: "加入したプラン", rows: subscriptions, list: <SubscriptionList subscriptions={subscriptions} /> },
    { title: "振込", rows: payouts, list: <PayoutList payouts={payouts} /> },
  ];
  const which = page > 1 || has_next ? `（新しい順、${page}ページ目）` : "";
  return (
    <div id="money">
      {parts
        .filter(({ rows }) => rows.length > 0)
        .map(({ title, list }) => (
          <section key={title} className="section">
            <h2 className="section-title">{title + which}</h2>
            {list}
          </section>
        ))}
      <Pager page={page} has_next={has_next} hrefOf={(n) => (n > 1 ? `${path}?page=${n}#money` : `${path}#money`)} />
    </div>
  );
}
