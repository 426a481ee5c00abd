import { groupDigits } from "../../contract/group-digits.ts";
import { yenInEnglish } from "../../contract/mails.ts";
import { PAYOUT_FAILURES } from "../../contract/payout-words.ts";
import type { Notice } from "../domain.ts";
import type { OutboxEvents, Reactions } from "../storage/outbox.ts";
import { accountStatements } from "./accounts.ts";
import { FAILURES_IN_ENGLISH } from "./failures-in-english.ts";
import { payoutStatements, unnotedPayoutStatements } from "./progress.ts";
import { findRowOfAccount, findRowOfGatewayPayout } from "./queries.ts";
import { FAILURES_THAT_PASS } from "./rules.ts";

/** An event of the gateway is a hint: the reaction asks how the account or the payout is now. */
export const reactions: Reactions = {
  async gateway_event({ payload: { object, object_id, account_id } }, reacting) {
    if (object === "account") {
      const row = await findRowOfAccount(reacting.database, object_id);
      return row ? accountStatements(reacting, row, object_id) : [];
    }
    if (object === "payout") {
      const row = await findRowOfGatewayPayout(reacting.database, object_id);
      if (row) return payoutStatements(reacting, row);
      return account_id === null ? [] : unnotedPayoutStatements(reacting, { id: object_id, account_id });
    }
    return [];
  },
};

/** Tells a creator why a payout failed, what to do next, and that no automatic payout follows until then, if they are on. */
export function noticeOfFailure(failed: OutboxEvents["payout_failed"]): Notice[] {
  const { user_id, payout_id, amount, reason } = failed;
  const { reason: why, next } = PAYOUT_FAILURES[reason];
  const is_paused = !FAILURES_THAT_PASS.includes(reason);
  const pause = is_paused ? "毎月の自動振込は、オンでも、口座を登録し直すか振込が一度届くまでお休みします。" : "";
  const pause_in_english = is_paused
    ? " Monthly payouts, if they are on, pause until you register an account again, or a payout arrives."
    : "";
  return [
    {
      user_id,
      type: "payout_failed",
      mail: "payout_failed",
      occasion: `payout_failed ${payout_id}`,
      message: `${groupDigits(amount)}円の振込ができませんでした。${why}全額を残高に戻しました。${next}${pause}`,
      english: `Your payout of ${yenInEnglish(amount)} did not go through. ${FAILURES_IN_ENGLISH[reason]} The whole amount is back in your balance.${pause_in_english}`,
      actor_user_id: null,
      path: "/my/transactions",
    },
  ];
}

/** Tells a creator how the check of the identity ended: it takes days, and nobody watches the page for so long. */
export function noticeOfCheck({
  user_id,
  identity_verification,
  checked_at,
}: OutboxEvents["identity_checked"]): Notice[] {
  const is_verified = identity_verification === "verified";
  return [
    {
      user_id,
      type: "custom",
      mail: "identity_checked",
      occasion: `identity_checked ${user_id} ${checked_at}`,
      message: is_verified
        ? "本人確認が完了しました。振込までに残っているお手続きは、収益化登録のページでご確認いただけます。"
        : "本人確認の書類を確認できませんでした。このままでは、売上の振込ができません。収益化登録のページから、もう一度お手続きください。",
      english: is_verified
        ? "Your identity check is complete. The page of your registration shows what is left to do before a payout."
        : "We could not confirm your identity documents. Your earnings cannot be paid out until then. Please repeat the check on the page of your registration.",
      actor_user_id: null,
      path: "/signup/monetize",
    },
  ];
}
