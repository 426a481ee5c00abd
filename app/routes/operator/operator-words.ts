import type { AdjustableLimit } from "../../../workers/contract/limits.ts";
import type { MailKind } from "../../../workers/contract/mails.ts";
import type {
  IdentityAccount,
  OperatedCheckout,
  OperatedPayout,
  Report,
  ReportedSubject,
} from "../../../workers/contract/operator.ts";
import type { PausableFeature } from "../../../workers/contract/paused-features.ts";
import { minuteOf } from "../../text/tokyo-time.ts";

/** How the operators' pages name what the API names in English. */

export const SUBJECTS: Record<Report["subject_type"], string> = {
  event: "投稿",
  event_comment: "投稿へのコメント",
  ofuse: "ofuse",
  radio_comment: "ラジオへのコメント",
};

export const REASONS: Record<Report["reason"], string> = {
  sexual: "性的な内容",
  fan_fiction: "二次創作・権利",
  slander: "誹謗中傷",
  others: "その他",
};

export const DECISIONS: Record<NonNullable<Report["decision"]>, string> = {
  removed: "公開を停止した",
  kept: "そのままにした",
};

export const STATES: Record<ReportedSubject["state"], string> = {
  private: "非公開",
  publish_pending: "公開を予約中",
  published: "公開中",
  shown: "表示中",
  deleted: "本人が削除",
  public: "公開のofuse",
  between_two: "二人だけのofuse",
  removed: "運営が公開を停止",
};

/** The names of operators' acts, by the operation. */
export const ACTS: Readonly<Record<string, string>> = {
  enterDesk: "運営として初めて入った",
  decideReport: "通報に判断をくだした",
  takeDown: "公開を停止した",
  giveBack: "公開に戻した",
  answerAppeal: "異議に答えた",
  setMaintenance: "メンテナンスを予定した",
  clearMaintenance: "メンテナンスの予定を消した",
  refundPayment: "支払いを返金した",
  openCampaign: "寄付キャンペーンを開いた、または変更した",
  closeCampaign: "寄付キャンペーンを終えた",
  setPaymentHeld: "支払いを保留した、または保留を解除した",
  setPayoutHeld: "振込を止めた、または再開した",
  retryPayout: "振込をすぐに進めた",
  settleUnknownMoney: "記録にない決済サービスのお金を処理した",
  retryOutboxRow: "止まった出来事をもう一度届けた",
  retryMail: "メールをもう一度送った",
  setMailSuppressed: "アドレスへの送信を止めた、または再開した",
  setFeaturePaused: "機能を休止した、または再開した",
  changeLimit: "上限を変えた、または標準に戻した",
  createNews: "お知らせを書いた",
  updateNews: "お知らせを書き直した、公開した、または取り下げた",
  deleteNews: "お知らせを削除した",
  rebuildSearch: "検索の索引の作り直しを頼んだ",
  createAccount: "アカウントを作った",
  setAccountDisabled: "アカウントの利用を止めた、または再開した",
  signOutAccount: "すべての端末からログアウトさせた",
  removeAccountFactors: "二段階認証を外した",
  setAccountClaims: "IDトークンに入れる項目を決めた",
};

export const FACTORS: Readonly<Record<string, string>> = { totp: "認証アプリ", phone: "SMS" };

/** How a person signs in. */
export function ways(account: IdentityAccount): string[] {
  return [
    ...(account.signs_in_by_email ? [account.has_password ? "パスワード" : "メールのリンク"] : []),
    ...(account.phone_number ? ["電話番号"] : []),
    ...account.providers,
  ];
}

/** The kinds of payments, by the spec's names of transactions. */
export const PAYMENTS: Readonly<Record<string, string>> = {
  ofuse_v3: "ofuse",
  fan_letter_support: "ファンレター",
  membership: "メンバーシップ",
  comment_support: "コメント",
};

export const REFUNDS: Readonly<Record<string, string>> = {
  pending: "返金の手続き中",
  paid: "返金済み",
  failed: "返金できませんでした",
};

/** Where a refund began. */
export const REFUND_CAUSES: Readonly<Record<string, string>> = {
  operator: "運営のページやコマンドから",
  dashboard: "決済サービスの管理画面から",
};

export const DISPUTES: Readonly<Record<string, string>> = {
  open: "審査中",
  won: "認められなかった",
  lost: "認められた",
};

/** Why a card's holder disputed a payment, by Stripe's codes: https://docs.stripe.com/disputes/categories */
export const DISPUTE_REASONS: Readonly<Record<string, string>> = {
  bank_cannot_process: "銀行で処理できない",
  check_returned: "小切手の返却",
  credit_not_processed: "返金が行われていない",
  customer_initiated: "払った人の申し出",
  debit_not_authorized: "許可していない引き落とし",
  duplicate: "二重の支払い",
  fraudulent: "不正な利用",
  general: "その他",
  incorrect_account_details: "口座の情報の誤り",
  insufficient_funds: "残高の不足",
  noncompliant: "カード会社の規則に合わない",
  product_not_received: "商品が届いていない",
  product_unacceptable: "商品が説明と違う",
  subscription_canceled: "定期の支払いは解約済み",
  unrecognized: "覚えのない支払い",
};

const PAYOUTS: Readonly<Record<string, string>> = {
  pending: "手続き中",
  in_transit: "振込中",
  failed: "失敗（資金の引き戻し待ち）",
  canceled: "取り消し（資金の引き戻し待ち）",
};

/** Payouts that need nothing more. */
const ENDED_PAYOUTS: Readonly<Record<string, string>> = { paid: "振込済み", failed: "失敗", canceled: "取り消し" };

/** Names the state of a payout. */
export function describePayout({ status, is_held, check_at }: OperatedPayout): string {
  if (is_held) return "止めています";
  return (check_at === null ? ENDED_PAYOUTS[status] : undefined) ?? PAYOUTS[status] ?? ENDED_PAYOUTS[status] ?? status;
}

export const CHECKOUT_KINDS: Readonly<Record<OperatedCheckout["kind"], string>> = {
  ofuse: "ofuseまたは手紙",
  event_comment: "コメント",
  membership: "プランへの加入",
};

export const CHECKOUTS: Readonly<Record<OperatedCheckout["status"], string>> = {
  open: "支払いのページを開いています",
  processing: "支払いを待っています",
  paid: "支払い済み",
  expired: "支払われずに終わりました",
  failed: "支払いに失敗しました",
  returning: "届けられず、払い戻しの手続き中",
  returned: "届けられず、払い戻しました",
};

export const LEDGER_ACCOUNTS: Readonly<Record<string, string>> = {
  creator_pending: "クリエイターの確定待ちの売上",
  creator_payable: "クリエイターの振り込める残高",
  creator_in_transit: "クリエイターへの振込中の額",
  campaign_donations: "寄付",
  platform_fee: "サービスの手数料",
  bank_fee: "振込手数料",
  refunds: "返金の手続き中の額",
  disputes: "異議で止まっている額",
  gateway_clearing: "決済サービスにある額",
  gateway_fee: "決済サービスの手数料",
};

export const MAIL_STATE_WORDS = {
  queued: "送信待ち",
  sending: "送信中",
  sent: "送信済み",
  failed: "送れなかったもの",
  suppressed: "止めた宛先",
} as const;

export const MAILS: Readonly<Record<string, string>> = {
  verify_email: "メールアドレスの確認",
  reset_password: "パスワードの再設定",
  sign_in_link: "ログインのリンク",
  change_email: "新しいメールアドレスの確認",
  email_changed: "メールアドレスの変更のお知らせ",
  email_taken: "登録済みのアドレスへのお知らせ",
  factor_added: "二段階認証の設定のお知らせ",
  factor_removed: "二段階認証の削除のお知らせ",
  recovery_code_used: "リカバリーコードの使用のお知らせ",
  recovery_codes_created: "リカバリーコードの作成のお知らせ",
  sign_in_method_added: "ログイン方法の追加のお知らせ",
  sign_in_method_removed: "ログイン方法の解除のお知らせ",
  email_restored: "メールアドレスを元に戻したお知らせ",
  password_changed: "パスワードの変更のお知らせ",
  account_deleted: "アカウントの削除のお知らせ",
  payment_receipt: "支払いの控え",
  plan_receipt: "プランへの支払いの控え",
  subscription_renewed: "プランの更新",
  subscription_past_due: "プランの支払いの失敗",
  subscription_canceled: "プランへの加入の終了",
  payout_failed: "振込の失敗",
  payment_refunded: "返金",
  payment_disputed: "支払いへの異議",
  dispute_ended: "支払いへの異議の結果",
  membership_disabled: "プランの募集の終了",
  membership_reopened: "プランの募集の再開",
  plan_left: "プランの解約の控え",
  bank_account_changed: "振込先の口座の変更のお知らせ",
  identity_checked: "本人確認の結果",
  notification: "お知らせ",
  claim_letter: "ゲストへの支払いの控え",
  payment_returned: "返金（お知らせが届かない人へ）",
} satisfies Record<MailKind, string>;

export const APPEALS = { granted: "公開に戻した", refused: "戻さなかった" } as const;

export const FEATURES: Readonly<Record<PausableFeature, { name: string; what: string }>> = {
  registrations: { name: "新規登録", what: "新しいアカウントの登録。ログインは続きます。" },
  payments: {
    name: "新しい支払い",
    what: "有料のofuse、有料コメント、プランへの加入と上のプランへの変更。加入中のプランの更新は続きます。",
  },
  uploads: { name: "アップロード", what: "画像、音声、動画と、取り込みのファイル。放送中の音声は続きます。" },
  broadcasts: { name: "放送の開始", what: "ラジオの放送の開始。放送中のラジオは続きます。" },
  newsletters: { name: "ニュースレターの配信", what: "いますぐの配信と、予約の時刻の配信。予約は再開を待ちます。" },
  guest_letters: { name: "ゲストの有料のofuse", what: "ログインしていない方からの有料のofuse。" },
  payouts: {
    name: "振込",
    what: "新しい申請、毎月の自動振込、まだ送っていない振込とその取り消し。銀行に向かっている振込は続きます。",
  },
};

export const LIMITS: Readonly<Record<AdjustableLimit, string>> = {
  ofuse_young: "ofuse（新しいアカウント、1日）",
  ofuse_older: "ofuse（1日）",
  public_ofuse_young: "公開するofuse（新しいアカウント、1日）",
  public_ofuse_older: "公開するofuse（1日）",
  follow_young: "フォロー（新しいアカウント、1日）",
  follow_older: "フォロー（1日）",
  comment_young: "コメント（新しいアカウント、1日）",
  comment_older: "コメント（1日）",
  like_young: "いいね（新しいアカウントとゲスト、1日）",
  like_older: "いいね（1日）",
  report_young: "通報（新しいアカウント、1日）",
  report_older: "通報（1日）",
  guest_likes_of_an_address: "ゲストのいいね（1つのIPアドレス、1日）",
  guest_payments_of_an_address: "ゲストの支払い（1つのIPアドレス、1日）",
  payments_young: "支払い（新しいアカウント、7日間）",
  payments_older: "支払い（1日）",
  card_pages: "カードの登録画面（1日）",
  uploads: "アップロード（1時間）",
};

export const SUPPRESSIONS = {
  bounce: "届かない",
  complaint: "迷惑メールの報告",
  unsubscribed: "本人が停止",
  operator: "運営が停止",
} as const;

/** The names of an act's inputs, by the field. */
const GIVEN: Readonly<Record<string, string>> = {
  is_paused: "休止する",
  is_held: "止める",
  is_disabled: "利用を止める",
  is_suppressed: "送信を止める",
  is_email_verified: "本人のアドレスとわかっている",
  has_password: "パスワードを決めた",
  refused: "断られた理由",
  started_at: "始まり",
  finished_at: "終わり",
  opens_at: "始まり",
  closes_at: "終わり",
  decision: "判断",
  subject_type: "種類",
  value: "上限",
  reason: "理由",
  note: "ひとこと",
  name: "名前",
  description: "説明",
  email: "メールアドレス",
  claims: "項目",
};

const CHOSEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  decision: { ...DECISIONS, ...APPEALS },
  subject_type: SUBJECTS,
};

/** Describes what an act was given: `止める：はい`. A field without a word here keeps its name. */
export function describeGiven(input: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(input).map(([name, value]) => `${GIVEN[name] ?? name}：${describeValue(name, value)}`);
}

function describeValue(name: string, value: unknown): string {
  if (value === null) return name === "value" ? "標準" : "なし";
  if (typeof value === "boolean") return value ? "はい" : "いいえ";
  if (typeof value !== "string") return JSON.stringify(value);
  if (name.endsWith("_at") && !Number.isNaN(Date.parse(value))) return minuteOf(value);
  return CHOSEN[name]?.[value] ?? value;
}

/** Names what an act was done to: a feature, a limit, or an id. */
export function describeSubject(operation: string, subject: string): string {
  if (operation === "setFeaturePaused") return FEATURES[subject as PausableFeature]?.name ?? subject;
  return operation === "changeLimit" ? (LIMITS[subject as AdjustableLimit] ?? subject) : subject;
}
