import { Form, Link } from "react-router";
import { PAYOUT_FAILURES } from "../../../../workers/contract/payout-words.ts";
import type { Payout, PayoutStatus } from "../../../../workers/contract/payouts.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { yenText } from "../../../ui/yen.tsx";
import { branchText } from "./branch-text.ts";
import { PAYOUTS_PATH } from "./paths.ts";

const STATUSES: Record<PayoutStatus, { name: string; tone?: "quiet" | "alert" }> = {
  pending: { name: "手続き中" },
  in_transit: { name: "振込中" },
  paid: { name: "振込済み", tone: "quiet" },
  canceled: { name: "取り消し", tone: "quiet" },
  failed: { name: "振込できませんでした", tone: "alert" },
};

interface PayoutRowsProps {
  payouts: readonly Payout[];
  /** When the bank account was registered; null without one. */
  bank_updated_at: string | null;
}

/** Payouts, each with its fee, its bank, and what comes next. */
export function PayoutRows({ payouts, bank_updated_at }: PayoutRowsProps) {
  return (
    <ul className="rows">
      {payouts.map((payout) => (
        <li key={payout.payout_id} className="card payout">
          <p className="row">
            <b>{yenText(payout.transferred)}</b>
            <Badge tone={STATUSES[payout.status].tone}>{STATUSES[payout.status].name}</Badge>
          </p>
          <p className="row-note">
            {`残高から${yenText(payout.amount)}（うち振込手数料${yenText(payout.bank_fee)}）。`}
            {`${payout.bank.bank_name} ${branchText(payout.bank.branch_name)} ****${payout.bank.account_number_last3}`}
          </p>
          <p className="row-note">
            <DateTime iso={payout.created_at} /> {payout.is_automatic ? "に自動で申請" : "に申請"}
            <Progress {...payout} />
          </p>
          {payout.status === "pending" && (
            <Form method="post" action={PAYOUTS_PATH}>
              <HiddenFields />
              <Button name="payout_id" value={payout.payout_id} variant="gray-outline" size="sm">
                この振込を取り消す
              </Button>
            </Form>
          )}
          {payout.failure_reason && (
            <Failure
              reason={payout.failure_reason}
              amount={payout.amount}
              is_mended={bank_updated_at !== null && payout.ended_at !== null && bank_updated_at > payout.ended_at}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function Progress({ status, arrives_at, ended_at }: Payout) {
  if (status === "paid" && ended_at) {
    return (
      <>
        、<DateTime iso={ended_at} format="date" /> に振込済み
      </>
    );
  }
  if ((status === "pending" || status === "in_transit") && arrives_at) {
    return (
      <>
        、<DateTime iso={arrives_at} format="date" /> ごろに届く見込み
      </>
    );
  }
  return status === "canceled" ? "、全額を残高に戻しました" : null;
}

interface FailureProps {
  reason: keyof typeof PAYOUT_FAILURES;
  amount: number;
  /** Whether another bank account was registered since. Then nothing is left to do. */
  is_mended: boolean;
}

function Failure({ reason, amount, is_mended }: FailureProps) {
  const words = PAYOUT_FAILURES[reason];
  const sentence = `${words.reason}${yenText(amount)}の全額を残高に戻しました。`;
  if (is_mended) return <p className="row-note">{sentence}そのあと、振込先の口座が登録し直されました。</p>;
  return (
    <p className="notice">
      {sentence}
      {words.next} <Link to="/my/settings/bank">振込先の口座を見る</Link>
    </p>
  );
}
