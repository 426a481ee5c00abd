import { data, Form, Link, redirect, redirectDocument } from "react-router";
import { id } from "../../../../workers/contract/fields.ts";
import { listSubscriptions } from "../../../../workers/contract/memberships.ts";
import {
  cancelPayment,
  createCustomerPortal,
  createPaymentMethod,
  getPaymentMethods,
  getSpending,
  listPayments,
  type OwnPayment,
  type PaymentMethod,
  type PendingPayment,
  type Spending,
  updatePaymentMethod,
  updateSpending,
} from "../../../../workers/contract/payments.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { Author } from "../../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../../forms/intent.ts";
import { typedYen } from "../../../forms/typed-number.ts";
import { keepWords, signInWithWords, wordsOf } from "../../../forms/words.ts";
import { calledOf } from "../../../people/avatar.tsx";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { viewerContext } from "../../../session/context.ts";
import { closeSession } from "../../../session/current-session.ts";
import { minuteOf } from "../../../text/tokyo-time.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { FieldErrors, FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { Pager } from "../../../ui/pager.tsx";
import { Price } from "../../../ui/price.tsx";
import { yenText } from "../../../ui/yen.tsx";
import { pageNumber, refuseEmptyPage } from "../../../v4/page-number.ts";
import { refundWords } from "../refund-badge.tsx";
import { SUBSCRIPTIONS_PATH } from "../subscription-words.ts";
import type { Route } from "./+types/payments.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "お支払い方法";
const PATH = "/my/settings/payments";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const page = pageNumber(url);
  const [sent, { spending }, { payments, pending, has_next }, unpaid, kept] = await Promise.all([
    v4.send(getPaymentMethods, {}),
    v4.read(getSpending, {}),
    v4.read(listPayments, { query: { page_number: page } }),
    v4.part(listSubscriptions, { query: { state: "unpaid", page_size: 1 } }),
    keptForm(context, PATH),
  ]);
  refuseEmptyPage(page, payments);
  const asked = { is_added: url.searchParams.has("added"), is_retried: url.searchParams.has("retried") };
  const is_unpaid = unpaid !== null && unpaid.subscriptions.length > 0;
  const waiting = pending.filter(({ status }) => status === "open" || status === "processing");
  // A payment that is still going back has no date, and comes first.
  const back = pending.filter(({ status }) => status === "returned" || (status === "returning" && page === 1));
  const dateOf = (row: OwnPayment | PendingPayment) => ("payment_id" in row ? row.paid_at : (row.returned_at ?? "9"));
  const history = [...payments, ...back].sort((one, other) => dateOf(other).localeCompare(dateOf(one)));
  const listed = { waiting, history, has_next, page };
  const typed_limit = kept && String(kept.get("monthly_limit") ?? "");
  const user_id = context.get(viewerContext)?.profile?.user_id;
  const idempotency_key = crypto.randomUUID();
  const shown = { user_id, spending, typed_limit, ...listed, ...asked, is_unpaid, idempotency_key };
  if (sent.ok) return { ...shown, ...toShownCards(sent.answer.payment_methods, is_unpaid), error: null };
  const { code, detail } = sent.refusal;
  if (code !== "payments_unavailable" && code !== "gateway_unreachable") throw v4.failure(sent.refusal);
  return { ...shown, cards: null, used: "", error: detail };
}

const BRANDS: Readonly<Record<string, string>> = {
  amex: "American Express",
  diners: "Diners Club",
  jcb: "JCB",
  mastercard: "Mastercard",
  visa: "Visa",
};

/**
 * Returns the cards as the page shows them, and the names of those in use. Only a card that pays for every plan needs no button,
 * unless a payment has failed: it may pay now. The loader makes the words, which keeps them out of the page's script.
 */
function toShownCards(cards: readonly PaymentMethod[], is_unpaid: boolean) {
  const nameOf = ({ brand, last4 }: PaymentMethod) => `${BRANDS[brand] ?? "カード"} •••• ${last4}`;
  const used = cards.filter(({ is_default }) => is_default);
  const shown = cards.map((card) => {
    const pays_all = card.is_default && used.length === 1;
    const titles = card.plans.map(({ title }) => `「${title}」`).join("");
    return {
      payment_method_id: card.payment_method_id,
      name: nameOf(card),
      note: `有効期限 ${card.exp_month}/${card.exp_year}${titles && `・${titles}のお支払い`}`,
      is_used: card.is_default,
      press: pays_all && !is_unpaid ? null : pays_all ? RETRY : CHOOSE,
    };
  });
  return { cards: shown, used: used.map(nameOf).join("と") };
}
const RETRY = { value: "retry", label: "もう一度支払う" };
const CHOOSE = { value: "choose", label: "このカードを使う" };
type ShownCard = ReturnType<typeof toShownCards>["cards"][number];

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  // Each button is a write of its own.
  const idempotency_key = `${String(form.get("idempotency_key") ?? crypto.randomUUID())}-${String(form.get("do"))}`;
  const refuse = ({ detail, status }: { detail: string; status: number }) =>
    data({ error: detail, limit: null }, status);
  switch (form.get("do")) {
    case "add": {
      const sent = await v4.send(createPaymentMethod, { idempotency_key });
      if (!sent.ok) return refuse(sent.refusal);
      throw redirectDocument(sent.answer.setup_url, 303);
    }
    case "portal": {
      const sent = await v4.send(createCustomerPortal, { idempotency_key });
      if (!sent.ok) return refuse(sent.refusal);
      throw redirectDocument(sent.answer.portal_url, 303);
    }
    case "limit": {
      const typed = String(form.get("monthly_limit") ?? "").trim();
      const refuseLimit = (sentence: string, status: number) =>
        data({ error: null, limit: { typed, errors: [sentence] } }, status);
      const amount = updateSpending.body.shape.monthly_limit.unwrap();
      // An empty field removes the limit.
      const read = typed === "" ? null : typedYen("上限額").pipe(amount).safeParse(typed);
      if (read?.success === false) return refuseLimit(read.error.issues[0]?.message ?? "", 422);
      const sent = await v4.send(updateSpending, { body: { monthly_limit: read?.data ?? null } });
      if (!sent.ok) {
        const { status, needs_sign_in } = sent.refusal;
        if (needs_sign_in) {
          closeSession(context);
          throw await signInWithWords(context, wordsOf(form, PATH), null);
        }
        if (status >= 500) keepWords(context, wordsOf(form, PATH));
        return refuseLimit(firstSentence(sent.refusal), status);
      }
      forgetIntent(context, "form");
      setFlash(context, "settings_saved");
      return redirect(PATH, 303);
    }
    case "cancel": {
      const session_id = String(form.get("session_id"));
      if (!id.safeParse(session_id).success) throw data(null, { status: 404 });
      const sent = await v4.send(cancelPayment, { params: { session_id } });
      if (!sent.ok) return refuse(sent.refusal);
      setFlash(context, "payment_canceled");
      return redirect(PATH, 303);
    }
    default: {
      const payment_method_id = String(form.get("payment_method_id") ?? "");
      const once = `${idempotency_key}-${payment_method_id}`;
      const sent = await v4.send(updatePaymentMethod, { body: { payment_method_id }, idempotency_key: once });
      if (!sent.ok) return refuse(sent.refusal);
      if (form.get("do") === "retry") return redirect(`${PATH}?retried=1`, 303);
      setFlash(context, "card_chosen");
      return redirect(PATH, 303);
    }
  }
}

/** Returns what is wrong with the only field, or why the whole was refused. */
const firstSentence = ({ fields, detail }: { fields: Record<string, string[]>; detail: string }) =>
  Object.values(fields)[0]?.[0] ?? detail;

export default function Payments({ loaderData, actionData }: Route.ComponentProps) {
  const { cards, error, spending, waiting, history, has_next, page, is_added, idempotency_key } = loaderData;
  const { is_retried, used, user_id, typed_limit } = loaderData;
  return (
    <SettingsPage title={TITLE}>
      <p className="lead">
        プランのお支払いに使うカードです。カードの番号は決済サービスが保管し、このサイトには保存されません。
      </p>
      <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
      {error && error !== actionData?.error && (
        <p className="notice" role="status">
          {error}
        </p>
      )}
      {waiting.length > 0 && (
        <section className="card form" aria-labelledby="pending-title">
          <h2 id="pending-title" className="section-title">
            お手続き中のお支払い
          </h2>
          <ul className="invoice-rows">
            {waiting.map((each) => (
              <Pending key={each.session_id} payment={each} />
            ))}
          </ul>
          <p className="field-hint">まだお支払いは行われていません。期限までは、1か月の上限額に含まれます。</p>
        </section>
      )}
      {cards && (
        <section className="card form" aria-labelledby="cards-title">
          <h2 id="cards-title" className="section-title">
            登録したカード
          </h2>
          {is_added && (
            <p className="notice" role="status">
              カードを追加しました。{used && `プランのお支払いに使うカードは、${used} です。`}
            </p>
          )}
          {is_retried && (
            <p className="notice" role="status">
              お支払いの状態を確認しました。結果は、<Link to={SUBSCRIPTIONS_PATH}>加入中のプラン</Link>
              でご確認ください。
            </p>
          )}
          {cards.length === 0 ? (
            <p>登録したカードはありません。プランに加入すると、そのときのカードがここに並びます。</p>
          ) : (
            <ul className="invoice-rows">
              {cards.map((card) => (
                <Card key={card.payment_method_id} card={card} idempotency_key={idempotency_key} />
              ))}
            </ul>
          )}
          <Form method="post" action={PATH} reloadDocument className="form-buttons">
            <HiddenFields idempotency_key={idempotency_key} />
            <Button name="do" value="add">
              カードを追加する
            </Button>
            {cards.length > 0 && (
              <Button name="do" value="portal" variant="gray-outline">
                カードの削除
              </Button>
            )}
          </Form>
          <p className="field-hint">
            追加と削除は、決済サービスの画面で行います。使うカードを選ぶと、加入中のすべてのプランのお支払いに使われ、確認できなかったお支払いはすぐにもう一度試します。
          </p>
        </section>
      )}
      <Limit user_id={user_id} spending={spending} typed={typed_limit} refused={actionData?.limit} />
      <section className="card form" aria-labelledby="history-title">
        <h2 id="history-title" className="section-title">
          お支払いの履歴
        </h2>
        {history.length === 0 ? (
          <p>まだお支払いはありません。有料のofuseやコメント、プランのお支払いが、ここに並びます。</p>
        ) : (
          <ul className="invoice-rows">
            {history.map((each) =>
              "payment_id" in each ? (
                <Payment key={each.payment_id} payment={each} />
              ) : (
                <Returned key={each.session_id} payment={each} />
              ),
            )}
          </ul>
        )}
        <Pager page={page} has_next={has_next} hrefOf={(n) => `${PATH}${n > 1 ? `?page=${n}` : ""}`} />
      </section>
    </SettingsPage>
  );
}

/** What was typed as the limit, and why it was refused. */
interface RefusedLimit {
  typed: string;
  errors: string[];
}

/** What was paid this month, and the most that the person wants to pay. */
function Limit(props: {
  user_id: string | undefined;
  spending: Spending;
  /** What was typed before a sign-in; null if nothing was. */
  typed: string | null;
  refused: RefusedLimit | null | undefined;
}) {
  const { user_id, spending, typed, refused } = props;
  const { monthly_limit, next_limit, minor_limit, paid, pending, renewals } = spending;
  const limits = [monthly_limit, minor_limit].filter((each) => each !== null);
  const limit = limits.length > 0 ? Math.min(...limits) : null;
  return (
    <section className="card form" aria-labelledby="limit-title" id="limit">
      <h2 id="limit-title" className="section-title">
        1か月の上限額
      </h2>
      <dl className="facts">
        <div>
          <dt>今月のお支払い</dt>
          <dd>
            <Price amount={paid} />
            {pending > 0 && <>（ほかにお手続き中 {yenText(pending)}）</>}
          </dd>
        </div>
        {renewals > 0 && (
          <div>
            <dt>今月これから更新されるプラン</dt>
            <dd>
              <Price amount={renewals} />
            </dd>
          </div>
        )}
        {minor_limit !== null && (
          <div>
            <dt>18歳未満の方の上限額</dt>
            <dd>
              <Price amount={minor_limit} />
            </dd>
          </div>
        )}
      </dl>
      {limit !== null && renewals > 0 && paid + pending + renewals > limit && (
        <p className="notice">
          プランの更新が済むと、上限額を超えます。更新は上限額では止まりません。止めるときは、
          <Link to={SUBSCRIPTIONS_PATH}>加入中のプラン</Link>から解約してください。
        </p>
      )}
      {next_limit && (
        <p className="notice" role="status">
          上限額は、
          <DateTime iso={next_limit.from} /> に
          {next_limit.monthly_limit === null ? "なくなります。" : `${yenText(next_limit.monthly_limit)}に変わります。`}
        </p>
      )}
      <Form method="post" action={PATH} className="form">
        <Author id={user_id} verb="保存" />
        <div className="field">
          <label htmlFor="monthly-limit">自分で決める上限額（円）</label>
          <input
            id="monthly-limit"
            type="text"
            name="monthly_limit"
            inputMode="numeric"
            autoComplete="off"
            className="control"
            // What the person asked for last: saving the form unchanged must not cancel a raise.
            defaultValue={refused?.typed ?? typed ?? (next_limit ?? spending).monthly_limit ?? ""}
            aria-invalid={refused ? true : undefined}
            aria-describedby={refused ? "monthly-limit-hint monthly-limit-error" : "monthly-limit-hint"}
            // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
            autoFocus={Boolean(refused)}
          />
          <p className="field-hint" id="monthly-limit-hint">
            空欄なら上限はありません。ofuse、コメント、プランの合計に、毎月1日から末日まで（日本時間）はたらきます。引き下げはすぐに、引き上げは翌日から変わります。
          </p>
          <FieldErrors errors={refused?.errors} id="monthly-limit-error" />
        </div>
        <div className="form-buttons">
          <Button name="do" value="limit">
            上限額を保存する
          </Button>
        </div>
      </Form>
    </section>
  );
}

const KINDS = {
  ofuse_v3: "有料のofuse",
  fan_letter_support: "ファンレター",
  comment_support: "有料コメント",
  membership: "プラン",
} as const satisfies Record<OwnPayment["kind"], string>;

const PENDING_KINDS = {
  ofuse: "ofuse",
  event_comment: "コメント",
  membership: "プラン",
} as const satisfies Record<PendingPayment["kind"], string>;

const pathOf = ({ kind, session_id }: PendingPayment) =>
  kind === "membership" ? `${SUBSCRIPTIONS_PATH}/joining/${session_id}` : `/checkout/${session_id}`;

/** A payment that was begun: until when it can be made, its page, and a way to end it. One at a shop ends by itself. */
function Pending({ payment }: { payment: PendingPayment }) {
  const { session_id, kind, status, creator, amount, expires_at } = payment;
  const name = `${calledOf(creator)}への${PENDING_KINDS[kind]}`;
  const shown = status === "processing" ? "支払い番号を見る" : "手続きを見る";
  return (
    <li>
      <span>
        {expires_at && (
          <>
            <b>
              <DateTime iso={expires_at} />
            </b>
            {" まで"}
            <br />
          </>
        )}
        <bdi>{calledOf(creator)}</bdi>への{PENDING_KINDS[kind]}
        {"　"}
        <Link to={pathOf(payment)} aria-label={`${shown}（${name}）`}>
          {shown}
        </Link>
      </span>
      <span>
        <Price amount={amount} />
        {status === "open" && (
          <Form method="post" action={PATH}>
            <HiddenFields session_id={session_id} />
            <Button name="do" value="cancel" variant="gray-outline" size="sm" aria-label={`取りやめる（${name}）`}>
              取りやめる
            </Button>
          </Form>
        )}
      </span>
    </li>
  );
}

/** A payment that came too late, and goes or went back. */
function Returned({ payment }: { payment: PendingPayment }) {
  const { kind, creator, amount, returned_at } = payment;
  return (
    <li>
      <span>
        {returned_at && (
          <>
            <DateTime iso={returned_at} />
            <br />
          </>
        )}
        <bdi>{calledOf(creator)}</bdi>への{PENDING_KINDS[kind]}
        {"　"}
        <Link to={pathOf(payment)} aria-label={`内容を見る（${calledOf(creator)}への${PENDING_KINDS[kind]}）`}>
          内容を見る
        </Link>
      </span>
      <span>
        <Price amount={amount} />
        {returned_at ? "　返金済み" : "　返金の手続き中"}
      </span>
    </li>
  );
}

function Payment({ payment }: { payment: OwnPayment }) {
  const { kind, creator, amount, paid_at, refund_state, subscription_id, invoice_id, session_id } = payment;
  const name = `${calledOf(creator)}、${minuteOf(paid_at)}`;
  return (
    <li>
      <span>
        <DateTime iso={paid_at} />
        <br />
        <bdi>{calledOf(creator)}</bdi>
        {kind === "membership" ? "の" : "への"}
        {KINDS[kind]}
        {invoice_id && (
          <>
            {"　"}
            <Link
              to={`${SUBSCRIPTIONS_PATH}/${subscription_id}/invoices/${invoice_id}`}
              aria-label={`請求書（${name}）`}
            >
              請求書
            </Link>
          </>
        )}
        {session_id && (
          <>
            {"　"}
            <Link to={`/checkout/${session_id}`} aria-label={`領収書（${name}）`}>
              領収書
            </Link>
          </>
        )}
      </span>
      <span>
        <Price amount={amount} />
        {refund_state && `　${refundWords[refund_state]}`}
      </span>
    </li>
  );
}

/** A saved card, which plans it pays, and the button that makes it pay. */
function Card({ card, idempotency_key }: { card: ShownCard; idempotency_key: string }) {
  const { payment_method_id, name, note, is_used, press } = card;
  return (
    <li>
      <span>
        {name} {is_used && <Badge>使っているカード</Badge>}
        <br />
        <span className="row-note">{note}</span>
      </span>
      {press && (
        <Form method="post" action={PATH}>
          <HiddenFields payment_method_id={payment_method_id} idempotency_key={idempotency_key} />
          <Button
            name="do"
            value={press.value}
            variant="gray-outline"
            size="sm"
            aria-label={`${press.label}（${name}）`}
          >
            {press.label}
          </Button>
        </Form>
      )}
    </li>
  );
}
