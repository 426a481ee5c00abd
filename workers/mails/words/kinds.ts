import type { HandedMail, MailGaps, MailKind } from "../../contract/mails.ts";
import {
  changeEmail,
  emailChanged,
  emailTaken,
  factorAdded,
  factorRemoved,
  recoveryCodeUsed,
  resetPassword,
  signInLink,
  verifyEmail,
} from "./account.ts";
import { notificationWords } from "./notification.ts";
import type { Words } from "./parts.ts";
import { claimLetter, noticeOf, paymentReceipt, paymentReturned } from "./payment.ts";

interface Kind<K extends MailKind> {
  words: (gaps: MailGaps[K]) => Words;
  /**
   * Whether a person has just asked for this mail at this address. Such a mail is sent although an earlier one bounced:
   * it is the only way to prove that the address works again.
   */
  is_requested: boolean;
}

const requested = <K extends MailKind>(words: Kind<K>["words"]): Kind<K> => ({ words, is_requested: true });
const notice = <K extends MailKind>(words: Kind<K>["words"]): Kind<K> => ({ words, is_requested: false });

const kinds: { readonly [K in MailKind]: Kind<K> } = {
  verify_email: requested(verifyEmail),
  reset_password: requested(resetPassword),
  sign_in_link: requested(signInLink),
  change_email: requested(changeEmail),
  email_changed: notice(emailChanged),
  email_taken: notice(emailTaken),
  factor_added: notice(factorAdded),
  factor_removed: notice(factorRemoved),
  recovery_code_used: notice(recoveryCodeUsed),
  payment_receipt: notice(paymentReceipt),
  claim_letter: notice(claimLetter),
  subscription_renewed: notice(noticeOf("プランが更新されました", "プランを見る")),
  subscription_past_due: notice(noticeOf("プランのお支払いを確認できませんでした", "お支払い方法を確認する")),
  subscription_canceled: notice(noticeOf("プランへの加入が終了しました", "プランを見る")),
  payout_failed: notice(noticeOf("振込ができませんでした", "収益のページを見る")),
  payment_refunded: notice(noticeOf("お支払いの返金について", "くわしく見る")),
  payment_disputed: notice(noticeOf("お支払いに異議の申し立てがありました", "収益のページを見る")),
  membership_disabled: notice(noticeOf("加入しているプランの募集が終了しました", "加入中のプランを見る")),
  notification: notice(notificationWords),
  payment_returned: notice(paymentReturned),
};

/** Returns the words of a mail. */
export function wordsOf<K extends MailKind>({ kind, gaps }: Extract<HandedMail, { kind: K }>): Words {
  return kinds[kind].words(gaps as MailGaps[typeof kind]);
}

/** Whether a person has just asked for a mail of this kind; false for a kind of another version of the worker. */
export function isRequested(kind: string): boolean {
  return Object.hasOwn(kinds, kind) && kinds[kind as MailKind].is_requested;
}
