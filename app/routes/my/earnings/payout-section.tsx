import { Link } from "react-router";
import { PAYOUT_FEE_YEN, PAYOUT_MIN_YEN } from "../../../../workers/contract/limits.ts";
import type { CreatorAccount, Payout } from "../../../../workers/contract/payouts.ts";
import { useTakesMoney } from "../../../site/money.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ButtonForm } from "../../../ui/button-form.tsx";
import { yenText } from "../../../ui/yen.tsx";
import { PAYOUT_PATH, PAYOUTS_PATH } from "./paths.ts";
import { PayoutRows } from "./payout-rows.tsx";
import { findMissingStep } from "./payout-state.ts";

/** Nothing can be done about it here. */
const MONEY_OFF = {
  sentence: "いまは振込を申請できません。残高はそのまま残り、受け付けが始まると申請できます。",
  link: null,
};

/** The payout that can be asked for, or what is missing; the automatic payout; and the last payouts. */
export function PayoutSection(props: {
  account: CreatorAccount | null;
  /** When the bank account was registered; null without one. */
  bank_updated_at: string | null;
  available: number;
  payouts: readonly Payout[];
  has_more: boolean;
}) {
  const { account, bank_updated_at, available, payouts, has_more } = props;
  const has_bank = bank_updated_at !== null;
  const takes_money = useTakesMoney();
  const missing = takes_money ? findMissingStep({ account, has_bank, available }) : MONEY_OFF;
  return (
    <section className="section" aria-labelledby="payouts-title">
      <div className="card section">
        <h2 id="payouts-title" className="section-title">
          振込
        </h2>
        {missing ? (
          <p>{missing.sentence}</p>
        ) : (
          <p>
            いま残高のすべてを申請すると、{yenText(available)}から振込手数料{yenText(PAYOUT_FEE_YEN)}を引いた
            <b>{yenText(available - PAYOUT_FEE_YEN)}</b>が口座に届きます。
          </p>
        )}
        <p>
          {!missing && <ButtonLink to={PAYOUT_PATH}>振込を申請する</ButtonLink>}
          {missing?.link && (
            <ButtonLink to={missing.link.to} variant="secondary">
              {missing.link.label}
            </ButtonLink>
          )}
        </p>
        <p className="row-note">
          {`振込は${yenText(PAYOUT_MIN_YEN)}から、手数料は1回${yenText(PAYOUT_FEE_YEN)}（税込）です。残高に有効期限はありません。退会すると、${yenText(PAYOUT_MIN_YEN)}に満たない残高は受け取れなくなります。`}
        </p>
        {takes_money && account?.steps.includes("tos_accepted") && (
          <AutomaticSwitch is_automatic={account.is_automatic} is_paused={account.is_bank_failing} />
        )}
      </div>
      {payouts.length > 0 && (
        <>
          <h3 className="section-title">最近の振込</h3>
          <PayoutRows payouts={payouts} bank_updated_at={bank_updated_at} />
          {has_more && (
            <p>
              <Link to={PAYOUTS_PATH}>すべての振込を見る</Link>
            </p>
          )}
        </>
      )}
    </section>
  );
}

interface AutomaticSwitchProps {
  is_automatic: boolean;
  /** Whether the clock asks for nothing, because the bank account is known to fail. */
  is_paused: boolean;
}

function AutomaticSwitch({ is_automatic, is_paused }: AutomaticSwitchProps) {
  return (
    <ButtonForm fields={{ operation: is_automatic ? "automatic_off" : "automatic_on" }} className="automatic-form">
      {(is_sending) => (
        <>
          <p>
            <b>{is_automatic ? "毎月の自動振込：オン" : "毎月の自動振込：オフ"}</b>
            <span className="row-note">
              毎月20日に、残高のすべてを自動で申請します。残高が足りない月は、翌月に持ち越します。
            </span>
            {is_automatic && is_paused && (
              <strong className="row-note">
                いまの口座には振り込めなかったため、お休みしています。
                <Link to="/my/settings/bank">口座を登録し直す</Link>か、振込が一度届くと、また始まります。
              </strong>
            )}
          </p>
          <Button variant="gray-outline" size="sm" aria-disabled={is_sending}>
            {is_automatic ? "オフにする" : "オンにする"}
          </Button>
        </>
      )}
    </ButtonForm>
  );
}
