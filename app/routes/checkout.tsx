import type { ReactNode } from "react";
import { data, Form, Link, redirect, redirectDocument } from "react-router";
import { id } from "../../workers/contract/fields.ts";
import { type CheckoutSession, claimOfuse, getCheckoutSession } from "../../workers/contract/payments.ts";
import { pageMeta } from "../crawlers/page-meta.ts";
import { calledOf } from "../people/avatar.tsx";
import { v4Context } from "../request/context.ts";
import { loginPath } from "../request/to.ts";
import { viewerContext } from "../session/context.ts";
import { siteContext } from "../site/site-context.ts";
import { Button, ButtonLink, buttonClass } from "../ui/button.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { FormErrors } from "../ui/form-errors.tsx";
import { Price } from "../ui/price.tsx";
import type { Route } from "./+types/checkout.ts";

/**
 * The page of a payment: the last one before it, where the gateway's pages return to, and its receipt. Its address is a
 * secret of the payer.
 */

const TITLES: Record<CheckoutSession["status"], string> = {
  open: "お支払いの前の確認",
  processing: "コンビニでのお支払いをお待ちしています",
  paid: "お支払いが完了しました",
  failed: "お支払いができませんでした",
  expired: "お支払いの期限が切れました",
  returned: "お届けできなかったため、返金します",
};

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, args.loaderData && { title: TITLES[args.loaderData.session.status], is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const { session_id } = params;
  if (!id.safeParse(session_id).success) throw data(null, { status: 404 });
  const { checkout_session: session } = await context
    .get(v4Context)
    .read(getCheckoutSession, { params: { session_id } });
  const { seller } = context.get(siteContext).notice;
  return { session, seller, is_member: context.get(viewerContext) !== null };
}

/** Claims a guest's letter for the member. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const { session_id } = params;
  if (!context.get(viewerContext)) return redirectDocument(loginPath(`/checkout/${session_id}`), 303);
  const sent = await context.get(v4Context).send(claimOfuse, {
    params: { session_id },
    body: { claim_key: String(form.get("claim_key")) },
  });
  if (sent.ok) return redirect(`/my/box/${sent.answer.ofuse_id}`, 303);
  return data({ error: sent.refusal.detail }, { status: sent.refusal.status });
}

export default function Checkout({ loaderData, actionData }: Route.ComponentProps) {
  const { session } = loaderData;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{TITLES[session.status]}</h1>
      {actionData?.error && <FormErrors errors={[actionData.error]} answer={actionData} />}
      <section className="card form">
        {session.status === "paid" ? (
          <Receipt {...loaderData} />
        ) : session.status === "open" ? (
          <LastPage session={session} />
        ) : (
          <Unpaid session={session} />
        )}
      </section>
    </div>
  );
}

/** Returns what the payment is for, with the creator's present name. */
const subjectOf = ({ kind, creator }: CheckoutSession) =>
  kind === "ofuse" ? `${calledOf(creator)}へのofuse` : `${calledOf(creator)}の投稿へのコメント`;

/**
 * The last page before the payment (最終確認画面): what is bought, its price, when it is paid and delivered, and how it is
 * canceled. Nothing was charged yet, also when the person comes back here from the gateway. Source: 特定商取引法 第12条の6.
 */
function LastPage({ session }: { session: CheckoutSession }) {
  const { amount, url, words, is_guest } = session;
  return (
    <>
      <p>まだお支払いは行われていません。内容をお確かめのうえ、お支払いに進んでください。</p>
      <dl className="order">
        <Item name="内容">{subjectOf(session)}</Item>
        <Item name="お支払い金額">
          <span className="price-total">
            <Price amount={amount} />
          </span>
          <p className="field-hint">
            手数料などの追加の料金はかかりません。お支払いは1回だけで、自動で続くことはありません。
          </p>
        </Item>
        {words && (
          <>
            <Item name="メッセージ">
              <span className="order-words">{words.message}</span>
            </Item>
            <Item name="送る人の名前">{senderText(words, is_guest)}</Item>
            <Item name="公開">{publicText(session, words)}</Item>
          </>
        )}
        <Item name="お支払いの方法と時期">
          クレジットカード・PayPay：次の画面でのお手続きのとき。コンビニ：次の画面で番号を受け取ってから、期限までに店頭で。
        </Item>
        <Item name="お届けの時期">お支払いが確認できると、すぐに届きます。</Item>
        <Item name="キャンセルと返金">
          お支払いの前なら、いつでも取りやめられます（このページを閉じるだけで、料金はかかりません）。お支払いのあとは、届いた言葉という性質上、キャンセルと返金はできません。お届けできなかったときは、全額をお返しします。くわしくは
          <Link to="/transactions">特定商取引法に基づく表記</Link>をご覧ください。
        </Item>
      </dl>
      {url && (
        <a href={url} className={buttonClass({ variant: "secondary", is_block: true })}>
          {`${amount.toLocaleString("ja-JP")}円（税込）の支払いに進む`}
        </a>
      )}
      <ButtonLink to={draftPath(session)} reloadDocument variant="gray-outline" is_block>
        内容を直す
      </ButtonLink>
    </>
  );
}

function publicText({ kind }: CheckoutSession, { is_public }: NonNullable<CheckoutSession["words"]>): string {
  if (kind === "event_comment") return "投稿を読める人が、金額といっしょに読めます";
  return is_public ? "受け取る人のページで公開する" : "公開しない（あなたと受け取る人だけが読めます）";
}

function senderText({ is_anonymous, sender_name }: NonNullable<CheckoutSession["words"]>, is_guest: boolean): string {
  if (is_anonymous) return "匿名（受け取る人にも名前を伏せます）";
  return is_guest ? sender_name || "ゲスト" : "あなたのアカウントの名前";
}

function Unpaid({ session }: { session: CheckoutSession }) {
  const { status, amount, voucher, words } = session;
  return (
    <>
      {status === "processing" && (
        <p>
          お支払いが確認できると、すぐに届きます。
          {voucher && (
            <>
              <DateTime iso={voucher.expires_at} />
              までに、コンビニでお支払いください。期限を過ぎると、この申し込みは取り消されます。
            </>
          )}
        </p>
      )}
      {status === "failed" && <p>お支払いは行われていません。書いた内容は残っています。</p>}
      {status === "expired" && <p>お支払いは行われていません。書いた内容は残っています。</p>}
      {status === "returned" && (
        <p>
          お支払いのあいだに、お届けできない状態になりました（退会など）。お支払いいただいた金額は、全額お返しします。お手元に戻る時期は、お支払い方法によって異なります。
        </p>
      )}
      <dl className="order">
        <Item name="内容">{subjectOf(session)}</Item>
        <Item name="金額">
          <Price amount={amount} />
        </Item>
        {words && (
          <Item name="メッセージ">
            <span className="order-words">{words.message}</span>
          </Item>
        )}
      </dl>
      {voucher && (
        <a href={voucher.url} className={buttonClass({ variant: "secondary", is_block: true })}>
          支払い番号を見る
        </a>
      )}
      {words && (status === "failed" || status === "expired") && (
        <ButtonLink to={draftPath(session)} reloadDocument variant="secondary" is_block>
          同じ内容でもう一度支払う
        </ButtonLink>
      )}
      {status === "processing" && (
        <Form reloadDocument>
          <button type="submit" className={buttonClass({ variant: "gray-outline", is_block: true })}>
            お支払いの状態を確かめる
          </button>
        </Form>
      )}
    </>
  );
}

/** The form with the words of this payment. */
const draftPath = ({ creator, event_id, session_id }: CheckoutSession) =>
  `/${creator.link_id}/${event_id ? `events/${event_id}/paid-comments` : "ofuse/paid"}?draft=${session_id}`;

function Receipt({ session, seller, is_member }: Route.ComponentProps["loaderData"]) {
  const {
    session_id,
    amount,
    creator,
    ofuse_id,
    reaction,
    paid_at,
    is_guest,
    claim_key,
    event_id,
    comment_id,
    withdrawn_at,
  } = session;
  return (
    <>
      {withdrawn_at && (
        <p className="notice">
          このお支払いは、
          <DateTime iso={withdrawn_at} format="date" />
          に取り消されました（返金など）。
        </p>
      )}
      <p className="unprinted">
        <bdi>{creator.name}</bdi>さんに届けました。ありがとうございます。
      </p>
      {reaction && (
        <div className="letter-reply unprinted">
          <p className="letter-reply-by">
            <bdi>{creator.name}</bdi>さんからのお礼
          </p>
          <p className="letter-message">{reaction}</p>
        </div>
      )}
      <h2 className="section-title">領収書</h2>
      <dl className="order">
        <Item name="内容">{subjectOf(session)}</Item>
        <Item name="金額">
          <span className="price-total">
            <Price amount={amount} />
          </span>
        </Item>
        {paid_at && (
          <Item name="お支払い日">
            <DateTime iso={paid_at} />
          </Item>
        )}
        <Item name="領収番号">{session_id}</Item>
        <Item name="発行">{seller}</Item>
      </dl>
      <p className="field-hint unprinted">
        このページを印刷すると、領収書になります。控えとして、このページのアドレスを保存しておけます。
      </p>
      {claim_key && <Claim session_id={session_id} claim_key={claim_key} is_member={is_member} />}
      {ofuse_id && is_member && !is_guest && (
        <ButtonLink to={`/my/box/${ofuse_id}`} variant="gray-outline" is_block>
          送った手紙を見る
        </ButtonLink>
      )}
      {event_id && (
        <ButtonLink
          to={`/${creator.link_id}/events/${event_id}/comments/${comment_id}`}
          reloadDocument
          variant="gray-outline"
          is_block
        >
          送ったコメントを見る
        </ButtonLink>
      )}
      <p className="unprinted">
        <Link to={`/${creator.link_id}`}>
          <bdi>{creator.name}</bdi>さんのページへ
        </Link>
      </p>
    </>
  );
}

/** Lets a guest keep the letter in an account, where the reply arrives. */
function Claim({ session_id, claim_key, is_member }: { session_id: string; claim_key: string; is_member: boolean }) {
  return (
    <div className="notice unprinted">
      <p>
        このofuseを、あなたのアカウントに残せます。残すと、返信や「いいね」を受け取れます。匿名にしていなければ、送った人としてアカウントの名前が表示されます。
      </p>
      {is_member ? (
        <Form method="post">
          <input type="hidden" name="claim_key" value={claim_key} />
          <Button is_block>アカウントに残す</Button>
        </Form>
      ) : (
        <ButtonLink to={loginPath(`/checkout/${session_id}`)} is_block>
          ログインして残す
        </ButtonLink>
      )}
    </div>
  );
}

function Item({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
