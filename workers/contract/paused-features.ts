/**
 * What operators can switch off for a time, and the sentences that say so. This file imports nothing, because browsers load
 * it too. Source: docs/decisions/0056.
 */

export const PAUSABLE_FEATURES = [
  "registrations",
  "payments",
  "uploads",
  "broadcasts",
  "newsletters",
  "guest_letters",
  "payouts",
] as const;
export type PausableFeature = (typeof PAUSABLE_FEATURES)[number];

/** What a page says above the form of a paused feature. */
export const PAUSED_WORDS: Readonly<Record<PausableFeature, string>> = {
  registrations: "いま、新しい登録の受け付けを休んでいます。",
  payments: "いま、新しいお支払い（有料のofuse、有料コメント、プランへの加入）の受け付けを休んでいます。",
  uploads: "いま、ファイルのアップロードを休んでいます。",
  broadcasts: "いま、ラジオの放送を始めることができません。",
  newsletters: "いま、ニュースレターの配信を休んでいます。",
  guest_letters: "いま、ログインしていない方からの有料のofuseの受け付けを休んでいます。",
  payouts: "いま、振込の手続きを休んでいます。",
};

/** How the person continues, and that nothing is lost. */
export const PAUSED_ADVICE: Readonly<Record<PausableFeature, string>> = {
  registrations: "入力した内容はこの画面に残っています。再開してから、もう一度お試しください。",
  payments: "お支払いは発生していません。書いた内容は残っています。再開してから、もう一度お試しください。",
  uploads: "書いた内容は残っています。ファイルは、再開してから選び直してください。",
  broadcasts: "ラジオの内容と予定は残っています。再開してから、もう一度お試しください。",
  newsletters: "書いた内容は残っています。下書きの保存と予約はできます。予約したものは、再開してから配信します。",
  guest_letters: "書いた内容は残っています。ログインすると送れます。",
  payouts:
    "残高も、申請した振込も、そのまま残っています。再開してから、もう一度お試しください。毎月の自動振込は、再開してから手続きします。",
};

const refusalOf = <F extends PausableFeature>(feature: F) => ({
  status: 409,
  detail: `${PAUSED_WORDS[feature]}${PAUSED_ADVICE[feature]}`,
});

/** The refusals of paused features, as rows of the error catalogue. */
export const pausedErrors = {
  registrations_paused: refusalOf("registrations"),
  payments_paused: refusalOf("payments"),
  uploads_paused: refusalOf("uploads"),
  broadcasts_paused: refusalOf("broadcasts"),
  newsletters_paused: refusalOf("newsletters"),
  guest_letters_paused: refusalOf("guest_letters"),
  payouts_paused: refusalOf("payouts"),
} as const satisfies Record<`${PausableFeature}_paused`, { status: number; detail: string }>;
