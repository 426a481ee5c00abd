import { type ReactNode, useEffect } from "react";
import { data, Form, Link, redirect, redirectDocument } from "react-router";
import { id } from "../../workers/contract/fields.ts";
import { groupDigits } from "../../workers/contract/group-digits.ts";
import { getOfuse } from "../../workers/contract/ofuses.ts";
import { type CheckoutSession, claimOfuse, getCheckoutSession, listPayments } from "../../workers/contract/payments.ts";
import { includedTax } from "../../workers/contract/tax.ts";
import { pageMeta } from "../crawlers/page-meta.ts";
import { forgetWords } from "../forms/forget-words.ts";
import { calledOf } from "../people/avatar.tsx";
import { v4Context } from "../request/context.ts";
import { loginPath } from "../request/to.ts";
import { viewerContext } from "../session/context.ts";
import { InvoiceKind, Issuer, RegistrationNumber } from "../site/invoice-issuer.tsx";
import { siteContext } from "../site/site-context.ts";
import { Button, ButtonLink, buttonClass } from "../ui/button.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { FormErrors } from "../ui/form-errors.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { Price } from "../ui/price.tsx";
import { yenText } from "../ui/yen.tsx";
import type { Route } from "./+types/checkout.ts";
import { stampNames } from "./creator/letter-lists.server.ts";
import { paperClass, Stamp, type StampNames } from "./creator/letter-look.tsx";
import { refundWords } from "./my/refund-badge.tsx";

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

const REPLACED_TITLE = "新しい申し込みに替わりました";

const REFUNDED_TITLE = "返金されました";

const UNKNOWN_TITLE = "お支払いの状態を確認しています";

/** Whether the payment may have been made, and the gateway did not answer. */
const isUnknown = ({ status, is_confirmed }: CheckoutSession) => status === "open" && !is_confirmed;

function titleOf(session: CheckoutSession): string {
  if (session.replaced_by !== null) return REPLACED_TITLE;
  if (session.status === "paid" && session.withdrawn_at !== null) return REFUNDED_TITLE;
  if (session.status === "paid" && session.refund_state === "disputed") return refundWords.disputed;
  return isUnknown(session) ? UNKNOWN_TITLE : TITLES[session.status];
}

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, args.loaderData && { title: titleOf(args.loaderData.session), is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const { session_id } = params;
  if (!id.safeParse(session_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const { checkout_session: session } = await v4.read(getCheckoutSession, { params: { session_id } });
  const { notice, invoice_number: issuer_number = null } = context.get(siteContext);
  const { seller, address, phone } = notice;
  const viewer = context.get(viewerContext);
  // A claimed letter is its new owner's, and others may know the address of this page.
  const [sent, own] = await Promise.all([
    viewer && session.ofuse_id && !session.claim_key
      ? v4.send(getOfuse, { params: { ofuse_id: session.ofuse_id }, query: {} })
      : null,
    viewer && session.status === "paid" ? v4.send(listPayments, { query: { session_id } }) : null,
  ]);
  const is_payer = own?.ok === true && own.answer.payments.length > 0;
  const is_sender = sent?.ok === true && sent.answer.ofuse.sender?.user_id === viewer?.profile?.user_id;
  const is_elsewhere = sent?.ok === false && sent.refusal.code === "not_found";
  return {
    session,
    stamps: stampNames,
    issuer: { seller, address, phone, issuer_number },
    payer_name: is_payer ? (viewer?.profile?.name ?? null) : null,
    is_member: viewer !== null,
    is_sender,
    is_elsewhere,
  };
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
  // Somebody claimed it meanwhile: the page says so.
  if (sent.refusal.code === "not_found") return redirect(`/checkout/${session_id}`, 303);
  return data({ error: sent.refusal.detail }, { status: sent.refusal.status });
}

export default function Checkout({ loaderData, actionData }: Route.ComponentProps) {
  const { session } = loaderData;
  const form_path = formPath(session);
  const message = session.words?.message;
  const has_words = session.status === "paid" || (session.status === "open" && session.is_confirmed);
  useEffect(() => {
    // The form that led here loads a document, so no script has taken its answer. The payment has the words now.
    if (has_words && message !== undefined) forgetWords(form_path, message);
  }, [form_path, has_words, message]);
  return (
    <div className="page page-narrow">
      <h1 className={`page-title${session.status === "paid" ? " unprinted" : ""}`}>{titleOf(session)}</h1>
      {actionData?.error && <FormErrors errors={[actionData.error]} answer={actionData} />}
      <section className={`card form${session.status === "paid" ? " receipt" : ""}`}>
        {session.status === "paid" ? (
          <Receipt {...loaderData} />
        ) : session.status === "open" && session.is_confirmed ? (
          <LastPage session={session} stamps={loaderData.stamps} />
        ) : (
          <Unpaid session={session} stamps={loaderData.stamps} />
        )}
      </section>
    </div>
  );
}

/** Returns what the payment is for, with the creator's present name. */
const subjectOf = ({ kind, creator, is_fan_letter }: CheckoutSession) =>
  kind === "event_comment"
    ? `${calledOf(creator)}の投稿へのコメント`
    : `${calledOf(creator)}への${is_fan_letter ? "ファンレター" : "ofuse"}`;

/**
 * The last page before the payment (最終確認画面): what is bought, its price, when it is paid and delivered, and how it is
 * canceled. Nothing was charged yet, also when the person comes back here from the gateway. Source: 特定商取引法 第12条の6.
 */
function LastPage({ session, stamps }: { session: CheckoutSession; stamps: StampNames }) {
  const { amount, url, expires_at, words, is_guest } = session;
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
        <Item name="お支払いの行き先">
          <Shares session={session} />
          {session.donation && (
            <p className="field-hint">お支払いのあいだに寄付の受け付けが終わっても、この内容のまま寄付します。</p>
          )}
        </Item>
        {words && (
          <>
            <Item name="メッセージ">
              <Words words={words} stamps={stamps} />
            </Item>
            <Item name="送る人の名前">{senderText(words, is_guest)}</Item>
            {words.sender_email && <Item name="領収書の送り先">{words.sender_email}</Item>}
            <Item name="公開">{publicText(session, words)}</Item>
          </>
        )}
        <Item name="お支払いの方法と時期">
          クレジットカード・PayPay：次の画面でのお手続きのとき。コンビニ：次の画面で番号を受け取ってから、期限までに店頭で。
        </Item>
        {expires_at && (
          <Item name="お申し込みの期限">
            <DateTime iso={expires_at} />
            （過ぎると取り消され、料金はかかりません）
          </Item>
        )}
        <Item name="お届けの時期">お支払いが確認できると、すぐに届きます。</Item>
        <Item name="18歳未満の方">保護者の方の同意を得てから、お支払いください。</Item>
        <Item name="キャンセルと返金">
          お支払いの前なら、いつでも取りやめられます（このページを閉じるだけで、料金はかかりません）。お支払いのあとは、お届けする言葉という性質上、キャンセルと返金はできません。お届けできなかったときは、全額をお返しします。くわしくは
          <Link to="/transactions">特定商取引法に基づく表記</Link>をご覧ください。
        </Item>
      </dl>
      {url && (
        <a href={url} className={buttonClass({ variant: "secondary", is_block: true })}>
          {`${groupDigits(amount)}円（税込）の支払いに進む`}
        </a>
      )}
      <ButtonLink to={draftPath(session)} reloadDocument variant="gray-outline" is_block>
        内容を直す
      </ButtonLink>
    </>
  );
}

/** The shares of the payment, to the yen. */
function Shares({ session }: { session: CheckoutSession }) {
  const { creator, fee, donation, creator_share } = session;
  const shares: [name: string, yen: number][] = [
    [calledOf(creator), creator_share],
    ...(donation ? [[`寄付（${donation.name}）`, donation.amount] satisfies [string, number]] : []),
    ["サービスの手数料", fee],
  ];
  return (
    <ul className="order-shares">
      {shares.map(([name, yen]) => (
        <li key={name}>
          <bdi>{name}</bdi>
          <span>{groupDigits(yen)}円</span>
        </li>
      ))}
    </ul>
  );
}

/** The payer's words, as they will look. */
function Words({ words, stamps }: { words: NonNullable<CheckoutSession["words"]>; stamps: StampNames }) {
  return (
    <div className="letter">
      <div className={paperClass(words.letter_appearance_id)}>{words.message}</div>
      <Stamp id={words.stamp_id} names={stamps} />
    </div>
  );
}

function publicText({ kind }: CheckoutSession, { is_public }: NonNullable<CheckoutSession["words"]>): string {
  if (kind === "event_comment") return "投稿を読める人が、金額といっしょに読めます";
  return is_public ? "受け取る人のページで公開する" : "公開しない（あなたと受け取る人だけが読めます）";
}

function senderText({ is_anonymous, sender_name }: NonNullable<CheckoutSession["words"]>, is_guest: boolean): string {
  if (is_anonymous) return "匿名（受け取る人にも名前を伏せます）";
  return sender_name || (is_guest ? "ゲスト" : "あなたのアカウントの名前");
}

function Unpaid({ session, stamps }: { session: CheckoutSession; stamps: StampNames }) {
  const { status, amount, voucher, words, is_guest, replaced_by } = session;
  return (
    <>
      {replaced_by !== null && (
        <p>内容を直して、あらためてお申し込みいただきました。この申し込みでは、お支払いは発生しません。</p>
      )}
      {isUnknown(session) && (
        <p className="notice">
          決済サービスから返事がなく、お支払いが済んだかどうかを確認できません。お支払いになった場合、もう一度支払う必要はありません。確認できしだい、お届けします。
        </p>
      )}
      {status === "processing" && (
        <>
          {voucher && (
            <p className="notice">
              お支払いの期限：
              <b>
                <DateTime iso={voucher.expires_at} />
              </b>
              <br />
              この日時までに、コンビニでお支払いください。期限を過ぎると、この申し込みは取り消されます。
            </p>
          )}
          <p>お支払いが確認できると、すぐに届きます。</p>
          <p>
            {is_guest ? (
              "支払い番号を見るときや、お支払いのあとに領収書を見るときに、このページを使います。このページのアドレスを保存してください。"
            ) : (
              <>
                このページは、<Link to="/my/settings/payments">お支払い方法</Link>からも開けます。
              </>
            )}
          </p>
        </>
      )}
      {replaced_by === null && (status === "failed" || status === "expired") && (
        <p>お支払いは行われていません。書いた内容は残っています。</p>
      )}
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
            <Words words={words} stamps={stamps} />
          </Item>
        )}
      </dl>
      {voucher && (
        <a href={voucher.url} className={buttonClass({ variant: "secondary", is_block: true })}>
          支払い番号を見る
        </a>
      )}
      {replaced_by !== null && (
        <ButtonLink to={`/checkout/${replaced_by}`} reloadDocument variant="secondary" is_block>
          新しい申し込みを見る
        </ButtonLink>
      )}
      {words && replaced_by === null && (status === "failed" || status === "expired") && (
        <ButtonLink to={draftPath(session)} reloadDocument variant="secondary" is_block>
          同じ内容でもう一度支払う
        </ButtonLink>
      )}
      {status === "returned" && (
        <ButtonLink
          to={is_guest ? `/${session.creator.link_id}` : "/my/settings/payments"}
          variant="gray-outline"
          is_block
        >
          {is_guest ? "クリエイターのページへ" : "お支払いの履歴を見る"}
        </ButtonLink>
      )}
      {(status === "processing" || isUnknown(session)) && (
        <Form reloadDocument>
          <button type="submit" className={buttonClass({ variant: "gray-outline", is_block: true })}>
            お支払いの状態を確かめる
          </button>
        </Form>
      )}
    </>
  );
}

const formPath = ({ creator, event_id }: CheckoutSession) =>
  `/${creator.link_id}/${event_id ? `events/${event_id}/paid-comments` : "ofuse/paid"}`;

/** The form with the words of this payment. */
const draftPath = (session: CheckoutSession) => `${formPath(session)}?draft=${session.session_id}`;

function Receipt({
  session,
  issuer,
  payer_name,
  is_member,
  is_sender,
  is_elsewhere,
}: Route.ComponentProps["loaderData"]) {
  const {
    amount,
    creator,
    ofuse_id,
    reaction,
    paid_at,
    is_fan_letter,
    claim_key,
    payment_id,
    event_id,
    comment_id,
    hidden_comment,
    withdrawn_at,
    refund_state,
    donation,
    seller_number,
  } = session;
  return (
    <>
      {withdrawn_at && (
        <p className="notice">
          このお支払いは、
          <DateTime iso={withdrawn_at} format="date" />
          に返金されました。
        </p>
      )}
      {refund_state === "disputed" && (
        <p className="notice">カード会社などに異議の申し立てがあり、このお支払いを確認しています。</p>
      )}
      {refund_state === null && (
        <p className="unprinted">
          <bdi>{creator.name}</bdi>さんに届けました。ありがとうございます。
        </p>
      )}
      {reaction && (
        <div className="letter-reply unprinted">
          <p className="letter-reply-by">
            <bdi>{creator.name}</bdi>さんからのお礼
          </p>
          <p className="letter-message">{reaction}</p>
        </div>
      )}
      <h2 className="section-title">領収書</h2>
      {/* Nobody but the payer may learn who paid. Other holders of the address write a name on paper. */}
      {payer_name ? (
        <p>
          <bdi>{payer_name}</bdi> 様
        </p>
      ) : (
        <p className="receipt-to printed">様</p>
      )}
      <dl className="order">
        <Item name="内容">{subjectOf(session)}</Item>
        <Item name="金額（10%対象）">
          <span className="price-total">
            <Price amount={amount} />
          </span>
        </Item>
        {donation && (
          <Item name="お支払いの行き先">
            <Shares session={session} />
          </Item>
        )}
        {paid_at && (
          <Item name="お支払い日">
            <DateTime iso={paid_at} />
          </Item>
        )}
        <Item name="うち消費税額（10%）">{yenText(includedTax(amount))}</Item>
        {payment_id && <Item name="領収番号">{payment_id}</Item>}
        <Item name="売り手">
          <bdi>{creator.name}</bdi>（@{creator.link_id}）
          <RegistrationNumber number={seller_number} />
        </Item>
        <Item name="発行者（媒介者）">
          <Issuer {...issuer} />
        </Item>
      </dl>
      <InvoiceKind issuer_number={issuer.issuer_number} seller_number={seller_number} payer_name={payer_name} />
      <p className="field-hint unprinted">
        このページを印刷すると、領収書になります。
        {!payer_name &&
          (session.is_guest
            ? "宛名は、印刷した紙に書き入れてください。"
            : "お支払いになったアカウントでログインすると、宛名が入ります。")}
        控えとして、このページのアドレスを保存しておけます。
      </p>
      {claim_key && <Claim session={session} claim_key={claim_key} is_member={is_member} />}
      {is_elsewhere && <p className="notice unprinted">このofuseは、すでに別のアカウントに残されています。</p>}
      {is_sender && (
        <ButtonLink to={`/my/box/${ofuse_id}`} variant="gray-outline" is_block>
          {`送った${is_fan_letter ? "ファンレター" : "ofuse"}を見る`}
        </ButtonLink>
      )}
      {hidden_comment && (
        <div className="notice unprinted">
          <p>クリエイターが、このコメントを非表示にしました。送った言葉は、ここで読めます。</p>
          <p className="letter-message">{hidden_comment.message}</p>
        </div>
      )}
      {event_id && !hidden_comment && (
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
function Claim(props: { session: CheckoutSession; claim_key: string; is_member: boolean }) {
  const { session, claim_key, is_member } = props;
  const { session_id, letter, creator } = session;
  return (
    <div className="notice unprinted">
      {letter && (
        <dl className="order">
          <Item name="受け取った人">
            <bdi>{creator.name}</bdi>（@{creator.link_id}）
          </Item>
          <Item name="メッセージ">
            <div className="letter-message">{letter.message}</div>
          </Item>
          <Item name="公開">
            {letter.is_public ? "受け取った人のページで公開" : "公開しない（あなたと受け取った人だけが読めます）"}
          </Item>
        </dl>
      )}
      <p>
        このofuseを、あなたのアカウントに残せます。残すと、返信や「いいね」を受け取れます。匿名にしていなければ、送った人としてアカウントの名前が表示されます。
      </p>
      {is_member ? (
        <Form method="post">
          <HiddenFields claim_key={claim_key} />
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
