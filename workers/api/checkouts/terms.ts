import { type TermsOf, withCommonTerms } from "../payments/rules.ts";

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
