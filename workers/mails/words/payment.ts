import { groupDigits } from "../../contract/group-digits.ts";
import { type MailGaps, yenInEnglish } from "../../contract/mails.ts";
import type { MailLanguage } from "../../contract/notifications.ts";
import type { InLanguages, Part, Words } from "./parts.ts";

/** The words of mails about money. Japanese ones show prices as the pages do: `1,100円（税込）`. */

/** The formatters of moments. Constructing them takes tens of milliseconds, so a worker does not begin with it. */
const TIMES = {
  ja: () =>
    new Intl.DateTimeFormat("ja-JP", {
      timeZone: "Asia/Tokyo",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    }),
  en: () => new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Tokyo", dateStyle: "long", timeStyle: "short" }),
};

const yenText = (amount: number): string => `${groupDigits(amount)}円`;

const NOT_YOURS = {
  ja: "このお支払いにお心当たりがない場合は、下記のお問い合わせ窓口までお知らせください。",
  en: "If you do not know of this payment, please write to the contact below.",
};
const THANKS = {
  ja: "お支払いを確認し、クリエイターへお届けしました。ありがとうございます。",
  en: "Your payment has arrived, and the creator has got it. Thank you!",
};

type Paid = Pick<MailGaps["payment_receipt"], "title" | "amount" | "paid_at">;

function paymentFacts({ title, amount, paid_at }: Paid, language: MailLanguage): Part {
  const paid = TIMES[language]().format(new Date(paid_at));
  return language === "ja"
    ? {
        facts: [
          ["内容", title],
          ["金額", `${yenText(amount)}（税込）`],
          ["お支払い日時", paid],
        ],
      }
    : {
        facts: [
          ["For", title],
          ["Amount", `${yenInEnglish(amount)} (tax included)`],
          ["Paid on", `${paid} (Japan time)`],
        ],
      };
}

const paidSubject = (amount: number, language: MailLanguage) =>
  language === "ja"
    ? `【ofuse】お支払いが完了しました（${yenText(amount)}）`
    : `[ofuse] Your payment is complete (${yenInEnglish(amount)})`;

export const paymentReceipt: InLanguages<"payment_receipt"> = {
  ja: (gaps) => ({
    subject: paidSubject(gaps.amount, "ja"),
    parts: [
      THANKS.ja,
      paymentFacts(gaps, "ja"),
      "領収書は、次のページで表示・印刷できます。",
      { link: gaps.receipt_link, label: "領収書を見る" },
      NOT_YOURS.ja,
    ],
  }),
  en: (gaps) => ({
    subject: paidSubject(gaps.amount, "en"),
    parts: [
      THANKS.en,
      paymentFacts(gaps, "en"),
      "You can view and print the receipt on this page.",
      { link: gaps.receipt_link, label: "See the receipt" },
      NOT_YOURS.en,
    ],
  }),
};

export const planReceipt: InLanguages<"plan_receipt"> = {
  ja: (gaps) => ({
    subject: paidSubject(gaps.amount, "ja"),
    parts: [
      "プランのお支払いを確認しました。ありがとうございます。",
      paymentFacts(gaps, "ja"),
      `お支払いいただいた期間は、${TIMES.ja().format(new Date(gaps.paid_until))}までです。その後は自動で更新され、登録したカードへ請求します。加入中のプランのページで、いつでも解約できます。`,
      { link: gaps.receipt_link, label: "領収書を見る" },
      NOT_YOURS.ja,
    ],
  }),
  en: (gaps) => ({
    subject: paidSubject(gaps.amount, "en"),
    parts: [
      "Your payment of a plan has arrived. Thank you!",
      paymentFacts(gaps, "en"),
      `You have paid until ${TIMES.en().format(new Date(gaps.paid_until))} (Japan time). Then the plan renews by itself, and your card is charged. You can cancel at any time on the page of your plans.`,
      { link: gaps.receipt_link, label: "See the receipt" },
      NOT_YOURS.en,
    ],
  }),
};

export const planLeft: InLanguages<"plan_left"> = {
  ja: ({ title, ends_at, link }) => ({
    subject: "【ofuse】プランの解約を受け付けました",
    parts: [
      `${title}の解約を受け付けました。次回の更新とお支払いはありません。`,
      { facts: [["読める期間", `${TIMES.ja().format(new Date(ends_at))}まで`]] },
      "この日時より前なら、加入の内容のページの「更新を続ける」で、解約を取りやめられます。",
      { link, label: "加入の内容を見る" },
      "お心当たりがない場合は、下記のお問い合わせ窓口までお知らせください。",
    ],
  }),
  en: ({ title, ends_at, link }) => ({
    subject: "[ofuse] You have canceled a plan",
    parts: [
      `You have canceled this plan: ${title}. It will not be renewed or charged again.`,
      { facts: [["You can read until", `${TIMES.en().format(new Date(ends_at))} (Japan time)`]] },
      "Before that moment you can still choose to continue, on the page of the plan.",
      { link, label: "See the plan" },
      "If you do not know of this, please write to the contact below.",
    ],
  }),
};

export const bankAccountChanged: InLanguages<"bank_account_changed"> = {
  ja: ({ bank, branch, number_end, link }) => ({
    subject: "【ofuse】振込先の口座が登録・変更されました",
    parts: [
      "売上の振込先の口座が、次の口座になりました。",
      {
        facts: [
          ["銀行", bank],
          ["支店", branch],
          ["口座番号の下3桁", number_end],
        ],
      },
      `これから申請される振込と、まだ送金していない手続き中の振込は、この口座にお送りします。
すでに送金した振込は、前の口座に届きます。`,
      { link, label: "振込先の口座を見る" },
      `お心当たりがない場合は、すぐにログイン画面の「パスワードをお忘れの方」から、新しいパスワードを設定してください。すべての端末からログアウトします。
そのあと、正しい口座を登録し直し、設定の「ログイン方法」と手続き中の振込をご確認ください。お困りのときは、下記のお問い合わせ窓口までお知らせください。`,
    ],
  }),
  en: ({ bank, branch, number_end, link }) => ({
    subject: "[ofuse] Your bank account for payouts was registered or changed",
    parts: [
      "Your earnings are now paid out to this bank account.",
      {
        facts: [
          ["Bank", bank],
          ["Branch", branch],
          ["Last 3 digits", number_end],
        ],
      },
      `Payouts that you ask for from now on go to this account, and so do pending payouts that we have not sent yet.
Payouts that we have sent arrive at the earlier account.`,
      { link, label: "See the bank account" },
      `If this was not you, please reset your password at once on the login page. This signs out all devices.
Then register the right account again, and check your ways to log in and your pending payouts. If you need help, please write to the contact below.`,
    ],
  }),
};

export const claimLetter: InLanguages<"claim_letter"> = {
  ja: (gaps) => ({
    subject: paidSubject(gaps.amount, "ja"),
    parts: [
      THANKS.ja,
      paymentFacts(gaps, "ja"),
      `領収書は、次のページで表示・印刷できます。
同じページから、このofuseをあなたのアカウントに残せます。残すと、返信や「いいね」を受け取れます。アカウントをお持ちでない方は、無料で登録できます。`,
      { link: gaps.receipt_link, label: "領収書を見る・アカウントに残す" },
      "このページを開いた方は、ofuseをご自身のアカウントに残せます。リンクをほかの方に伝えたり、転送したりしないでください。",
      NOT_YOURS.ja,
    ],
  }),
  en: (gaps) => ({
    subject: paidSubject(gaps.amount, "en"),
    parts: [
      THANKS.en,
      paymentFacts(gaps, "en"),
      `You can view and print the receipt on this page.
There you can also add the ofuse to your account, and then get replies and likes. An account is free.`,
      { link: gaps.receipt_link, label: "See the receipt, or add it to your account" },
      "Anybody who opens this page can add the ofuse to their own account. Please do not share or forward the link.",
      NOT_YOURS.en,
    ],
  }),
};

export const paymentReturned: InLanguages<"payment_returned"> = {
  ja: (gaps) => ({
    subject: `【ofuse】お支払いを返金しました（${yenText(gaps.amount)}）`,
    parts: [
      gaps.is_undelivered
        ? "お支払いのあいだに、お届けできない状態になりました（クリエイターの退会など）。お支払いいただいた金額は、全額お返しします。"
        : "次のお支払いの全額を返金しました。",
      {
        facts: [
          ["内容", gaps.title],
          ["返金した金額", `${yenText(gaps.amount)}（税込）`],
        ],
      },
      "お手元に戻る時期は、お支払い方法によって異なります。カードでは、カード会社の処理に数日かかることがあります。",
      { link: gaps.receipt_link, label: "お支払いの状態を見る" },
      NOT_YOURS.ja,
    ],
  }),
  en: (gaps) => ({
    subject: `[ofuse] Your payment was refunded (${yenInEnglish(gaps.amount)})`,
    parts: [
      gaps.is_undelivered
        ? "While you paid, it became impossible to deliver, for example because the creator left. You get back all that you paid."
        : "We refunded this payment in full.",
      {
        facts: [
          ["For", gaps.title],
          ["Refunded", `${yenInEnglish(gaps.amount)} (tax included)`],
        ],
      },
      "When the money is back depends on how you paid. A card company may take a few days.",
      { link: gaps.receipt_link, label: "See the payment" },
      NOT_YOURS.en,
    ],
  }),
};

type NoticeGaps = { message: string; link: string };

/** Returns the words of a kind of mail that repeats a notification. */
export function noticeOf(titles: { readonly [L in MailLanguage]: readonly [title: string, label: string] }) {
  const partsOf = ({ message, link }: NoticeGaps, [, label]: readonly [string, string]) => [message, { link, label }];
  return {
    ja: (gaps: NoticeGaps): Words => ({ subject: `【ofuse】${titles.ja[0]}`, parts: partsOf(gaps, titles.ja) }),
    en: (gaps: NoticeGaps): Words => ({ subject: `[ofuse] ${titles.en[0]}`, parts: partsOf(gaps, titles.en) }),
  };
}
