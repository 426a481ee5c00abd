import { data, Link, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import {
  getSubscription,
  getSubscriptionInvoice,
  type Invoice,
  listUserMemberships,
  type Membership,
  previewSubscription,
  type Subscription,
  updateSubscription,
} from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { siteContext } from "../../site/site-context.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Price } from "../../ui/price.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/subscription.ts";
import { toneOf } from "./plan-state.ts";
import { Facts } from "./price-facts.tsx";
import { refundWords } from "./refund-badge.tsx";
import { isEnding, isOver, labelOf, SUBSCRIPTIONS_PATH } from "./subscription-words.ts";
import { isUnreadable, UNREADABLE } from "./unreadable-plan.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "加入の内容", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.subscription_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const page = pageNumber(url);
  const [{ subscription }, { invoices, has_next }] = await Promise.all([
    v4.read(getSubscription, { params }),
    v4.read(getSubscriptionInvoice, { params, query: { page_number: page } }),
  ]);
  refuseEmptyPage(page, invoices);
  const { membership } = subscription;
  const plans = await v4.part(listUserMemberships, { params: { user_id: membership.user_id } });
  return {
    subscription,
    is_over: isOver(subscription, Date.now()),
    email: context.get(siteContext).notice.email,
    invoices,
    page,
    has_next,
    others: (plans?.memberships ?? []).filter(
      ({ membership_id }) =>
        membership_id !== membership.membership_id &&
        membership_id !== subscription.next_charge?.membership.membership_id,
    ),
    idempotency_key: crypto.randomUUID(),
  };
}

/** Continues a subscription that was left and has not ended, or takes back a change of plan that has not begun. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  if (form.get("do") === "keep") return keepPlan(context, params.subscription_id, idempotency_key);
  const body = { is_ending: false };
  const sent = await context.get(v4Context).send(updateSubscription, { params, body, idempotency_key });
  if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
  setFlash(context, "subscription_resumed");
  return redirect(`${SUBSCRIPTIONS_PATH}/${params.subscription_id}`, 303);
}

/** Takes back a change that has not begun: a change to the present plan, which costs nothing. */
async function keepPlan(context: Route.ActionArgs["context"], subscription_id: string, idempotency_key: string) {
  const v4 = context.get(v4Context);
  const params = { subscription_id };
  const { subscription } = await v4.read(getSubscription, { params });
  const { membership_id } = subscription.membership;
  const priced = await v4.send(previewSubscription, { params: { membership_id }, query: params });
  if (!priced.ok) return data({ error: priced.refusal.detail }, priced.refusal.status);
  const body = { membership_id, priced_at: priced.answer.preview.priced_at, amount_now: 0 };
  const sent = await v4.send(updateSubscription, { params, body, idempotency_key });
  if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
  setFlash(context, "subscription_change_undone");
  return redirect(`${SUBSCRIPTIONS_PATH}/${subscription_id}`, 303);
}

export default function SubscriptionPage({ loaderData, actionData }: Route.ComponentProps) {
  const { subscription, is_over, email, invoices, page, has_next, others, idempotency_key } = loaderData;
  const { subscription_id, membership, creator, status, is_ending, may_continue } = subscription;
  const is_last = isEnding(subscription);
  const is_unreadable = isUnreadable({ subscription, is_over });
  const is_readable = !is_over && !is_unreadable;
  const path = `${SUBSCRIPTIONS_PATH}/${subscription_id}`;
  const { next_charge } = subscription;
  const next = next_charge?.membership.membership_id === membership.membership_id ? null : next_charge;
  return (
    <>
      <p className="back">
        <Link to={SUBSCRIPTIONS_PATH}>加入中のプランへ戻る</Link>
      </p>
      <h1 className="page-title">加入の内容</h1>
      <section className="card form" aria-labelledby="plan-title">
        <h2 id="plan-title" className="section-title">
          <Link to={`/${creator.link_id}/plans/${membership.membership_id}`}>{membership.title}</Link>{" "}
          <Badge tone={toneOf(status, status === "active" && !is_last && is_readable)}>
            {is_unreadable ? UNREADABLE : labelOf({ subscription, is_over })}
          </Badge>
        </h2>
        {is_unreadable && <Unreadable email={email} may_renew={status === "active" && !is_ending} />}
        {status === "past_due" && subscription.is_billed && !is_ending && <PastDue subscription={subscription} />}
        <Facts
          rows={[
            [
              "クリエイター",
              <Link key="creator" to={`/${creator.link_id}`}>
                <bdi>{creator.name}</bdi>
              </Link>,
            ],
            [
              "料金",
              <span key="price">
                <Price amount={membership.amount} /> / 月
              </span>,
            ],
            ["加入した日", <DateTime key="since" iso={subscription.created_at} format="date" />],
            [periodName({ is_over, is_unreadable }), <Until key="until" iso={subscription.paid_until} />],
            ["次のお支払い", <NextCharge key="next" subscription={subscription} />],
          ]}
        />
        {is_ending && is_readable && membership.active_state === "inactive" && !may_continue && (
          <p className="notice">
            クリエイターがこのプランの募集を終了しました。次回の更新はなく、読める期間の終わりで加入は終了します。
          </p>
        )}
        {is_ending && is_readable && membership.active_state === "active" && !may_continue && (
          <p className="notice">
            このプランは更新されません。読める期間の終わりで加入は終了し、それまではこれまでどおり読めます。
          </p>
        )}
        {is_last && !is_ending && is_readable && (
          <p className="notice">
            いま、このプランは更新できません。このままなら次のお支払いはなく、読める期間の終わりで加入は終了します。更新できるようになっても続けない場合は、解約の手続きをお願いします。
          </p>
        )}
        {next && (
          <div className="notice" id="scheduled">
            <p>
              <DateTime iso={next.charged_at} /> から「{next.membership.title}」に変わります。
            </p>
            {membership.active_state === "active" && (
              <ButtonForm action={path} fields={{ idempotency_key }}>
                {(is_sending) => (
                  <Button name="do" value="keep" variant="gray-outline" aria-disabled={is_sending}>
                    予約を取り消す
                  </Button>
                )}
              </ButtonForm>
            )}
          </div>
        )}
        {actionData?.error && (
          <p className="form-error" role="alert">
            {actionData.error}
          </p>
        )}
        <div className="form-buttons">
          {is_ending && !is_over && may_continue && (
            <ButtonForm action={path} fields={{ idempotency_key }}>
              {(is_sending) => <Button aria-disabled={is_sending}>更新を続ける</Button>}
            </ButtonForm>
          )}
          {!next_charge && status !== "past_due" && others.length > 0 && (
            <ButtonLink to={`/${creator.link_id}/plans`} variant="gray-outline">
              ほかのプランを見る
            </ButtonLink>
          )}
          {status !== "canceled" && !is_ending && (
            <ButtonLink to={`${path}/cancel`} variant="gray-outline">
              解約の手続きへ
            </ButtonLink>
          )}
        </div>
      </section>
      {subscription.next_charge && others.length > 0 && <OtherPlans path={path} plans={others} />}
      <section className="card form" aria-labelledby="invoices-title">
        <h2 id="invoices-title" className="section-title">
          お支払いの履歴
        </h2>
        {invoices.length === 0 ? (
          <p>{subscription.is_billed ? "まだありません。" : "この加入にお支払いはありません。"}</p>
        ) : (
          <ul className="invoice-rows">
            {invoices.map((each) => (
              <InvoiceRow key={each.invoice_id} path={path} invoice={each} />
            ))}
          </ul>
        )}
        <Pager page={page} has_next={has_next} hrefOf={(n) => `${path}${n > 1 ? `?page=${n}` : ""}`} />
      </section>
    </>
  );
}

const periodName = ({ is_over, is_unreadable }: { is_over: boolean; is_unreadable: boolean }) =>
  is_unreadable ? "お支払い済みの期間" : is_over ? "読めた期間" : "読める期間";

/**
 * Says what a member of a disabled creator's plan can do.
 * @param props.may_renew the plan renews if the creator is enabled again before its period ends.
 */
function Unreadable({ email, may_renew }: { email: string; may_renew: boolean }) {
  return (
    <div className="notice" role="status">
      <p>
        いま、このクリエイターのページは公開されていません。お支払い済みの期間でも、限定の投稿を読めません。このあいだ、次のお支払いはありません。
      </p>
      <p>
        お支払い済みの料金については、<a href={`mailto:${email}`}>{email}</a> へお問い合わせください。
        {may_renew && "また公開されたあとも続けないときは、解約の手続きをお願いします。"}
      </p>
    </div>
  );
}

const Until = ({ iso }: { iso: string }) => (
  <>
    <DateTime iso={iso} /> まで
  </>
);

function NextCharge({ subscription }: { subscription: Subscription }) {
  const { next_charge, paid_until, status, is_billed, is_creator_disabled } = subscription;
  if (!next_charge) {
    if (!is_billed) return "お支払いはありません。";
    if (is_creator_disabled) return "ありません。";
    if (status === "past_due") return "お支払い方法の確認が必要です。";
    if (!isEnding(subscription)) return "ありません。";
    return (
      <>
        ありません。
        <DateTime iso={paid_until} /> に終了します。
      </>
    );
  }
  const { charged_at, amount } = next_charge;
  return (
    <>
      <DateTime iso={charged_at} /> に <Price amount={amount} />
    </>
  );
}

/** What happened to a renewal that could not be charged, what follows, and what to do. */
function PastDue({ subscription: { retry_at, paid_until } }: { subscription: Subscription }) {
  return (
    <div className="notice" role="status">
      <p>
        <DateTime iso={paid_until} format="date" />{" "}
        の更新で、カードでのお支払いを確認できませんでした。お支払いを確認できるまで、メンバー限定の投稿は読めません。
      </p>
      <p>
        お支払いは1日後、3日後、7日後に自動でもう一度試し、確認できなければ加入は終了します。
        {retry_at && (
          <>
            次は <DateTime iso={retry_at} /> に試します。
          </>
        )}
      </p>
      <p>
        <Link to="/my/settings/payments">お支払い方法</Link>で使えるカードを選ぶと、すぐにもう一度試します。
      </p>
    </div>
  );
}

function OtherPlans({ path, plans }: { path: string; plans: readonly Membership[] }) {
  return (
    <section className="card form" aria-labelledby="others-title">
      <h2 id="others-title" className="section-title">
        ほかのプランに変える
      </h2>
      <ul className="invoice-rows">
        {plans.map(({ membership_id, title, amount }) => (
          <li key={membership_id}>
            <Link to={`${path}/change/${membership_id}`}>{title}</Link>
            <span>
              <Price amount={amount} /> / 月
            </span>
          </li>
        ))}
      </ul>
      <p className="field-hint">差額と変わる日を、次の画面で確かめられます。</p>
    </section>
  );
}

function InvoiceRow({ path, invoice }: { path: string; invoice: Invoice }) {
  return (
    <li>
      <Link to={`${path}/invoices/${invoice.invoice_id}`}>
        <DateTime iso={invoice.paid_at} format="date" /> の請求書
      </Link>
      <span>
        <Price amount={invoice.amount} />
        {invoice.refund_state && `　${refundWords[invoice.refund_state]}`}
      </span>
    </li>
  );
}
