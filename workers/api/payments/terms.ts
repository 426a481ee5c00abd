import { endOfSession } from "./rules.ts";

/**
 * The conditions of a payment, for the gateway's page. The payer orders there, so that page is the last one before the order
 * and must state them. Source: 特定商取引法 第12条の6. Our own pages before it say the same: app/routes/checkout.tsx and
 * app/routes/my/price-facts.tsx.
 *
 * The texts follow from the attempt's row, because a repeated call with the same idempotency key must send the same. Stripe
 * takes 1,200 characters and reads Markdown, which may join lines. So each condition begins with its name.
 */

/** What the texts take from an attempt to pay. */
export interface TermsOf {
  /** When the attempt began. */
  created_at: string;
  /** The full address of {@link TRANSACTIONS_PATH}. */
  transactions_url: string;
}

/** The page with all conditions, 特定商取引法に基づく表記. */
export const TRANSACTIONS_PATH = "/transactions";

/** How many days a payment code of a shop is valid. Source: docs/decisions/0034. */
export const KONBINI_DAYS = 3;

/** Returns the conditions of a letter or a comment. */
export const termsOfCheckout = (terms: TermsOf): string =>
  withCommonTerms(terms, [
    "【お支払い】1回だけのお支払いで、自動で続くことはありません。金額は消費税込みで、手数料などの追加の料金はかかりません。クレジットカードとPayPayでは、この画面でお手続きをしたときにお支払いとなります。",
    `【コンビニ払い】番号の画面に表示する期限（番号を受け取った日の${KONBINI_DAYS}日後）までに、店頭でお支払いください。過ぎると取り消され、料金はかかりません。`,
    "【お届け】お支払いが確認できると、すぐに届きます。",
    "【キャンセルと返金】お支払いのあとは、お届けする言葉という性質上、キャンセルと返金はできません。お届けできなかったときは、全額をお返しします。",
  ]);

/** Adds the conditions that every payment has: until when the page can be used, young people, and where all conditions are. */
export function withCommonTerms({ created_at, transactions_url }: TermsOf, terms: readonly string[]): string {
  const minute = new Intl.DateTimeFormat("ja-JP", { timeZone: "Asia/Tokyo", dateStyle: "medium", timeStyle: "short" });
  const ends = minute.format(Date.parse(endOfSession(created_at)));
  return [
    ...terms,
    `【お申し込みの期限】この画面では、${ends}までお手続きいただけます。過ぎると取り消され、料金はかかりません。`,
    "【18歳未満の方】保護者の方の同意を得てから、お支払いください。",
    `くわしくは[特定商取引法に基づく表記](${transactions_url})をご覧ください。`,
  ].join("\n");
}
