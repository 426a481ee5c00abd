import { Link } from "react-router";
import type {
  MadePayment,
  OperatedCheckout,
  OperatedPayout,
  OperatedSubscription,
} from "../../../workers/contract/operator.ts";
import { SUBSCRIPTION_STATUSES } from "../../../workers/contract/subscription-words.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { yenText } from "../../ui/yen.tsx";
import { toneOf } from "../my/plan-state.ts";
import { Note, OperatorList, OperatorRow } from "./list.tsx";
import { CHECKOUT_KINDS, CHECKOUTS, describePayout, PAYMENTS } from "./operator-words.ts";

/** Lists of money that several of the operators' pages show. */

export const paymentPath = (reference: string) => `/operator/payments?${new URLSearchParams({ reference })}`;

/** Attempts to pay. A paid one leads to its payment. */
export function CheckoutList({ checkouts }: { checkouts: readonly OperatedCheckout[] }) {
  return (
    <OperatorList>
      {checkouts.map((checkout) => {
        const { session_id, kind, status, amount, creator_link_id, gateway_session_id, payment_id } = checkout;
        const { payer_link_id, payer_email, created_at, expires_at, returned_at } = checkout;
        const what = (
          <>
            <b>{yenText(amount)}</b> {payer_link_id ? `@${payer_link_id}` : "ゲスト"} から @{creator_link_id} へ
          </>
        );
        return (
          <OperatorRow
            key={session_id}
            title={
              <>
                {payment_id ? (
                  <Link to={paymentPath(payment_id)} className="card-link">
                    {what}
                  </Link>
                ) : (
                  what
                )}{" "}
                <Badge tone={status === "paid" || status === "expired" ? "quiet" : "new"}>{CHECKOUTS[status]}</Badge>
              </>
            }
          >
            <Note>
              <DateTime iso={created_at} /> に開始、{CHECKOUT_KINDS[kind]}
            </Note>
            {expires_at && (
              <Note>
                支払いの期限は <DateTime iso={expires_at} />
              </Note>
            )}
            {returned_at && (
              <Note>
                <DateTime iso={returned_at} /> に、払った人に戻しました
              </Note>
            )}
            {payer_email && <Note>{payer_email}</Note>}
            <Note>
              <span className="operator-id">{session_id}</span>
            </Note>
            {gateway_session_id && (
              <Note>
                <span className="operator-id">{gateway_session_id}</span>
              </Note>
            )}
          </OperatorRow>
        );
      })}
    </OperatorList>
  );
}

/** Payments of one person. */
export function MadePaymentList({ payments }: { payments: readonly MadePayment[] }) {
  return (
    <OperatorList>
      {payments.map(({ payment_id, kind, amount, creator_link_id, paid_at, withdrawn_at }) => (
        <OperatorRow
          key={payment_id}
          title={
            <>
              <Link to={paymentPath(payment_id)} className="card-link">
                <b>{yenText(amount)}</b> @{creator_link_id} へ
              </Link>{" "}
              {withdrawn_at && <Badge tone="quiet">返金または異議</Badge>}
            </>
          }
        >
          <Note>
            <DateTime iso={paid_at} /> {PAYMENTS[kind] ?? kind}
          </Note>
        </OperatorRow>
      ))}
    </OperatorList>
  );
}

/** Plans that one person has joined. */
export function SubscriptionList({ subscriptions }: { subscriptions: readonly OperatedSubscription[] }) {
  return (
    <OperatorList>
      {subscriptions.map((subscription) => {
        const { subscription_id, title, creator_link_id, amount, status, is_ending, paid_until } = subscription;
        return (
          <OperatorRow
            key={subscription_id}
            title={
              <>
                <b>{title}</b> @{creator_link_id}{" "}
                <Badge tone={toneOf(status, !is_ending)}>
                  {is_ending ? "期間の終わりで終了" : SUBSCRIPTION_STATUSES[status]}
                </Badge>
              </>
            }
          >
            <Note>
              月額 {yenText(amount)}、<DateTime iso={paid_until} /> まで支払い済み
            </Note>
            <Note>
              <span className="operator-id">{subscription_id}</span>
            </Note>
          </OperatorRow>
        );
      })}
    </OperatorList>
  );
}

/** Payouts of one creator, also those that have ended. */
export function PayoutList({ payouts }: { payouts: readonly OperatedPayout[] }) {
  return (
    <OperatorList>
      {payouts.map((payout) => (
        <OperatorRow
          key={payout.payout_id}
          title={
            <>
              <b>{yenText(payout.amount)}</b>{" "}
              <Badge tone={payout.check_at === null ? "quiet" : "new"}>{describePayout(payout)}</Badge>
            </>
          }
        >
          <Note>
            <DateTime iso={payout.created_at} /> に申請、うち手数料 {yenText(payout.bank_fee)}
          </Note>
          <Note>
            <span className="operator-id">{payout.payout_id}</span>
          </Note>
        </OperatorRow>
      ))}
    </OperatorList>
  );
}
