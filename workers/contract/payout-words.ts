import type { PayoutFailureReason } from "./payouts.ts";

/** Why a payout failed, and what the creator does next, for pages and notifications. */
export const PAYOUT_FAILURES: Record<PayoutFailureReason, { reason: string; next: string }> = {
  account_closed: {
    reason: "振込先の口座が解約されています。",
    next: "別の口座を登録してから、もう一度振込を申請してください。",
  },
  account_frozen: {
    reason: "振込先の口座が凍結されています。",
    next: "銀行にお問い合わせいただくか、別の口座を登録してください。",
  },
  bank_account_restricted: {
    reason: "振込先の口座は、受け取りが制限されています。",
    next: "銀行にお問い合わせいただくか、別の口座を登録してください。",
  },
  bank_ownership_changed: {
    reason: "振込先の口座の名義人が変わっています。",
    next: "ご本人の口座を登録し直してください。",
  },
  could_not_process: {
    reason: "銀行で振込を処理できませんでした。",
    next: "口座の内容をご確認のうえ、しばらくしてからもう一度申請してください。",
  },
  debit_not_authorized: {
    reason: "振込先の口座で、この取引が許可されていません。",
    next: "銀行にお問い合わせいただくか、別の口座を登録してください。",
  },
  declined: {
    reason: "銀行が振込を受け付けませんでした。",
    next: "銀行にお問い合わせいただくか、別の口座を登録してください。",
  },
  insufficient_funds: {
    reason: "決済サービスの側の残高が足りず、振り込めませんでした。",
    next: "お客さまの手続きは必要ありません。しばらくしてからもう一度申請してください。",
  },
  invalid_account_number: {
    reason: "口座番号が正しくありません。",
    next: "通帳などで口座番号をご確認のうえ、登録し直してください。",
  },
  incorrect_account_holder_name: {
    reason: "口座名義が、銀行に登録された名義と一致しません。",
    next: "通帳のとおりのカタカナで、口座名義を登録し直してください。",
  },
  invalid_currency: {
    reason: "振込先の口座では、日本円を受け取れません。",
    next: "円の普通預金などの口座を登録してください。",
  },
  no_account: {
    reason: "振込先の口座が見つかりません。",
    next: "銀行、支店、口座番号をご確認のうえ、登録し直してください。",
  },
  unsupported_card: {
    reason: "振込先に使えないカードや口座です。",
    next: "銀行の普通預金などの口座を登録してください。",
  },
};
