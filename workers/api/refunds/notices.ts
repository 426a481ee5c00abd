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
  fan_letter_support: ["ファンレターの", " for a fan letter"],
  comment_support: ["コメントの", " for a comment"],
  membership: ["プランの", " for a plan"],
};

/** Says whether the plan whose month was refunded continues. */
const CONTINUES = {
  ja: "プランへの加入は続き、これまでどおり更新されます。更新を止めるときは、加入中のプランから解約してください。",
  en: " Your plan continues and renews as before. To stop it, leave the plan on the page of your plans.",
};
const ENDS = {
  ja: "このプランは更新されず、次回のお支払いはありません。",
  en: " The plan does not renew, so there is no next payment.",
};

/** Tells payer and creator of a refund, once each. A guest has no notifications. */
export function noticesOfRefund(refunded: OutboxEvents["payment_refunded"]): Notice[] {
  const { payment_id, payer_user_id, creator_user_id, amount, creator_share, kind, payer_path, is_renewing } = refunded;
  // A payment given away as a whole left the creator no share.
  const taken = {
    ja: `あなたの受け取り分${yen(creator_share)}を、残高から差し引いています。`,
    en: ` Your share of ${yenInEnglish(creator_share)} was taken from your balance.`,
  };
  const toCreator: Notice = {
    ...fromOperator,
    user_id: creator_user_id,
    mail: "payment_refunded",
    occasion: `payment_refunded ${payment_id}`,
    path: "/my/transactions",
    message: `${yen(amount)}のお支払いを、運営がファンの方に返金しました。${creator_share > 0 ? taken.ja : ""}`,
    english: `We refunded a payment of ${yenInEnglish(amount)} to its payer.${creator_share > 0 ? taken.en : ""}`,
  };
  if (payer_user_id === null) return [toCreator];
  const [ja, en] = kind ? THINGS[kind] : ["", ""];
  const renewal = is_renewing === undefined ? { ja: "", en: "" } : is_renewing ? CONTINUES : ENDS;
  const toPayer: Notice = {
    ...fromOperator,
    user_id: payer_user_id,
    mail: "payment_refunded",
    occasion: `payment_refunded ${payment_id} payer`,
    path: payer_path ?? "/my/settings/payments",
    message: `${ja}${yen(amount)}のお支払いを返金しました。お手元に戻るまで、カード会社などの処理に数日かかることがあります。${renewal.ja}`,
    english: `We refunded your payment of ${yenInEnglish(amount)}${en}. A card company may take a few days until the money is back.${renewal.en}`,
  };
  return [toCreator, toPayer];
}

/** Tells the creator that the payer's bank disputes a payment, and the payer that the plan it was for does not renew. */
export function noticesOfDispute(disputed: OutboxEvents["payment_disputed"]): Notice[] {
  const { payment_id, payer_user_id, creator_user_id, amount, creator_share } = disputed;
  const { subscription_id = null, is_taken = true } = disputed;
  const taken = {
    ja: `結果が出るまで、あなたの受け取り分${yen(creator_share)}を残高から差し引いています。`,
    en: ` Until it is decided, your share of ${yenInEnglish(creator_share)} is taken from your balance.`,
  };
  const toCreator: Notice = {
    ...fromOperator,
    user_id: creator_user_id,
    mail: "payment_disputed",
    occasion: `payment_disputed ${payment_id}`,
    path: "/my/transactions",
    message: `${yen(amount)}のお支払いについて、カード会社に異議の申し立てがありました。運営が対応します。${creator_share > 0 ? taken.ja : ""}`,
    english: `The payer's bank disputes a payment of ${yenInEnglish(amount)}. We take care of it.${creator_share > 0 ? taken.en : ""}`,
  };
  const toPayer: Notice[] =
    payer_user_id === null || subscription_id === null
      ? []
      : [
          {
            ...fromOperator,
            user_id: payer_user_id,
            mail: "payment_disputed",
            occasion: `payment_disputed ${payment_id} payer`,
            path: `/my/subscriptions/${subscription_id}`,
            message: `プランの${yen(amount)}のお支払いについて、カード会社に異議の申し立てがありました。このため、このプランは更新されず、次回のお支払いはありません。募集中のプランは、加入の内容のページの「更新を続ける」で続けられます。`,
            english: `The bank of your card disputes your payment of ${yenInEnglish(amount)} for a plan. So the plan does not renew, and there is no next payment. While the plan is open, you can continue it on its page.`,
          },
        ];
  return [...(is_taken ? [toCreator] : []), ...toPayer];
}

/** Tells the creator how a dispute ended. */
export function noticesOfDisputeEnd(ended: OutboxEvents["dispute_ended"]): Notice[] {
  const { dispute_id, creator_user_id, amount, creator_share, is_won } = ended;
  const result = is_won
    ? {
        ja: "は、カード会社に退けられました。",
        en: "The payer's bank rejected",
        share_ja: `差し引いていた受け取り分${yen(creator_share)}を、残高に戻しました。`,
        share_en: ` Your share of ${yenInEnglish(creator_share)} is in your balance again.`,
      }
    : {
        ja: "が、カード会社に認められました。",
        en: "The payer's bank accepted",
        share_ja: `差し引いた受け取り分${yen(creator_share)}は、残高に戻りません。`,
        share_en: ` Your share of ${yenInEnglish(creator_share)} does not return to your balance.`,
      };
  return [
    {
      ...fromOperator,
      user_id: creator_user_id,
      mail: "dispute_ended",
      occasion: `dispute_ended ${dispute_id}`,
      path: "/my/transactions",
      message: `${yen(amount)}のお支払いへの異議${result.ja}${creator_share > 0 ? result.share_ja : ""}`,
      english: `${result.en} the dispute about a payment of ${yenInEnglish(amount)}.${creator_share > 0 ? result.share_en : ""}`,
    },
  ];
}
