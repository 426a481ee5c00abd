import { groupDigits } from "../../contract/group-digits.ts";
import { yenInEnglish } from "../../contract/mails.ts";
import type { Notice } from "../domain.ts";
import type { PaymentKind } from "../ledger/rules.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

/** The notices about payments that were taken back. The spec has no type for them, so they are `custom`. */

const fromOperator = { actor_user_id: null, type: "custom" as const };
const yen = (amount: number) => `${groupDigits(amount)}円`;

/**
 * What a payment was for. The page of the payment names the creator. A notification cannot: with the creator as its actor it
 * would be hidden while the creator is disabled, and a name in its words would stay after the creator has left.
 */
const THINGS: Record<PaymentKind, readonly [ja: string, en: string]> = {
  ofuse_v3: ["ofuseの", " for an ofuse"],
  fan_letter_support: ["手紙の", " for a letter"],
  comment_support: ["コメントの", " for a comment"],
  membership: ["プランの", " for a plan"],
};

/** Tells payer and creator of a refund, once each. A guest has no notifications. */
export function noticesOfRefund(refunded: OutboxEvents["payment_refunded"]): Notice[] {
  const { payment_id, payer_user_id, creator_user_id, amount, creator_share, kind, payer_path } = refunded;
  const toCreator: Notice = {
    ...fromOperator,
    user_id: creator_user_id,
    mail: "payment_refunded",
    occasion: `payment_refunded ${payment_id}`,
    path: "/my/transactions",
    message: `${yen(amount)}のお支払いを、運営がファンの方に返金しました。あなたの受け取り分${yen(creator_share)}を、残高から差し引いています。`,
    english: `We refunded a payment of ${yenInEnglish(amount)} to its payer. Your share of ${yenInEnglish(creator_share)} was taken from your balance.`,
  };
  if (payer_user_id === null) return [toCreator];
  const [ja, en] = kind ? THINGS[kind] : ["", ""];
  const toPayer: Notice = {
    ...fromOperator,
    user_id: payer_user_id,
    mail: "payment_refunded",
    occasion: `payment_refunded ${payment_id} payer`,
    path: payer_path ?? "/my/settings/payments",
    message: `${ja}${yen(amount)}のお支払いを返金しました。お手元に戻るまで、カード会社などの処理に数日かかることがあります。`,
    english: `We refunded your payment of ${yenInEnglish(amount)}${en}. A card company may take a few days until the money is back.`,
  };
  return [toCreator, toPayer];
}

/** Tells the creator that the payer's bank disputes a payment. */
export function noticesOfDispute(disputed: OutboxEvents["payment_disputed"]): Notice[] {
  const { payment_id, creator_user_id, amount, creator_share } = disputed;
  return [
    {
      ...fromOperator,
      user_id: creator_user_id,
      mail: "payment_disputed",
      occasion: `payment_disputed ${payment_id}`,
      path: "/my/transactions",
      message: `${yen(amount)}のお支払いについて、カード会社に異議の申し立てがありました。運営が対応します。結果が出るまで、あなたの受け取り分${yen(creator_share)}を残高から差し引いています。`,
      english: `The payer's bank disputes a payment of ${yenInEnglish(amount)}. We take care of it. Until it is decided, your share of ${yenInEnglish(creator_share)} is taken from your balance.`,
    },
  ];
}
