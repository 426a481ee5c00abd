import type { MailGaps } from "../../contract/mails.ts";
import type { Part, Words } from "./parts.ts";

/** The words of mails about money. Prices are shown as on the pages: `1,100円（税込）`. */

const TIME = new Intl.DateTimeFormat("ja-JP", {
  timeZone: "Asia/Tokyo",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
});

const NOT_YOURS = "このお支払いにお心当たりがない場合は、下記のお問い合わせ窓口までお知らせください。";

const yenText = (amount: number): string => `${amount.toLocaleString("ja-JP")}円`;

function paymentFacts({ title, amount, paid_at }: MailGaps["payment_receipt"]): Part {
  return {
    facts: [
      ["内容", title],
      ["金額", `${yenText(amount)}（税込）`],
      ["お支払い日時", TIME.format(new Date(paid_at))],
    ],
  };
}

export const paymentReceipt = (gaps: MailGaps["payment_receipt"]): Words => ({
  subject: `【ofuse】お支払いが完了しました（${yenText(gaps.amount)}）`,
  parts: [
    "お支払いを確認し、クリエイターへお届けしました。ありがとうございます。",
    paymentFacts(gaps),
    "領収書は、次のページで表示・印刷できます。",
    { link: gaps.receipt_link, label: "領収書を見る" },
    NOT_YOURS,
  ],
});

export const claimLetter = (gaps: MailGaps["claim_letter"]): Words => ({
  subject: `【ofuse】お支払いが完了しました（${yenText(gaps.amount)}）`,
  parts: [
    "お支払いを確認し、クリエイターへお届けしました。ありがとうございます。",
    paymentFacts(gaps),
    `領収書は、次のページで表示・印刷できます。
同じページから、このofuseをあなたのアカウントに残せます。残すと、返信や「いいね」を受け取れます。アカウントをお持ちでない方は、無料で登録できます。`,
    { link: gaps.receipt_link, label: "領収書を見る・アカウントに残す" },
    "このページを開いた方は、ofuseをご自身のアカウントに残せます。リンクをほかの方に伝えたり、転送したりしないでください。",
    NOT_YOURS,
  ],
});

export const paymentReturned = (gaps: MailGaps["payment_returned"]): Words => ({
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
    NOT_YOURS,
  ],
});

/** Returns the words of a kind of mail that repeats a notification. */
export const noticeOf =
  (title: string, label: string) =>
  ({ message, link }: { message: string; link: string }): Words => ({
    subject: `【ofuse】${title}`,
    parts: [message, { link, label }],
  });
