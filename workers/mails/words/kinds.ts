import type { HandedMail, MailGaps, MailKind } from "../../contract/mails.ts";
import type { MailLanguage } from "../../contract/notifications.ts";
import {
  accountDeleted,
  changeEmail,
  emailChanged,
  emailRestored,
  emailTaken,
  factorAdded,
  factorRemoved,
  passwordChanged,
  recoveryCodesCreated,
  recoveryCodeUsed,
  resetPassword,
  signInLink,
  signInMethodAdded,
  signInMethodRemoved,
  verifyEmail,
} from "./account.ts";
import { notificationWords } from "./notification.ts";
import type { InLanguages, Words } from "./parts.ts";
import {
  bankAccountChanged,
  claimLetter,
  noticeOf,
  paymentReceipt,
  paymentReturned,
  planLeft,
  planReceipt,
} from "./payment.ts";

interface Kind<K extends MailKind> {
  words: InLanguages<K>;
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
  recovery_codes_created: notice(recoveryCodesCreated),
  sign_in_method_added: notice(signInMethodAdded),
  sign_in_method_removed: notice(signInMethodRemoved),
  email_restored: notice(emailRestored),
  password_changed: notice(passwordChanged),
  account_deleted: notice(accountDeleted),
  payment_receipt: notice(paymentReceipt),
  claim_letter: notice(claimLetter),
  plan_receipt: notice(planReceipt),
  plan_left: notice(planLeft),
  bank_account_changed: notice(bankAccountChanged),
  subscription_renewed: notice(
    noticeOf({ ja: ["プランが更新されました", "プランを見る"], en: ["Your plan was renewed", "See the plan"] }),
  ),
  subscription_past_due: notice(
    noticeOf({
      ja: ["プランのお支払いを確認できませんでした", "お支払い方法を確認する"],
      en: ["We could not confirm the payment of your plan", "Check your payment method"],
    }),
  ),
  subscription_canceled: notice(
    noticeOf({ ja: ["プランへの加入が終了しました", "プランを見る"], en: ["Your plan has ended", "See the plan"] }),
  ),
  payout_failed: notice(
    noticeOf({
      ja: ["振込ができませんでした", "売上のページを見る"],
      en: ["Your payout did not go through", "See your earnings"],
    }),
  ),
  payment_refunded: notice(
    noticeOf({ ja: ["お支払いの返金について", "くわしく見る"], en: ["About a refund", "Read more"] }),
  ),
  payment_disputed: notice(
    noticeOf({
      ja: ["お支払いに異議の申し立てがありました", "くわしく見る"],
      en: ["A payment is disputed", "Read more"],
    }),
  ),
  dispute_ended: notice(
    noticeOf({
      ja: ["お支払いへの異議の結果のお知らせ", "売上のページを見る"],
      en: ["The result of a dispute", "See your earnings"],
    }),
  ),
  membership_disabled: notice(
    noticeOf({
      ja: ["プランの募集が終了しました", "加入中のプランを見る"],
      en: ["A plan has closed", "See your plans"],
    }),
  ),
  membership_reopened: notice(
    noticeOf({
      ja: ["プランの募集が再開されました", "加入中のプランを見る"],
      en: ["A plan is open again", "See your plans"],
    }),
  ),
  identity_checked: notice(
    noticeOf({
      ja: ["本人確認の結果のお知らせ", "収益化登録のページを見る"],
      en: ["The result of your identity check", "See your registration"],
    }),
  ),
  notification: notice(notificationWords),
  payment_returned: notice(paymentReturned),
};

/** Returns the words of a mail. */
export function wordsOf<K extends MailKind>(
  { kind, gaps }: Extract<HandedMail, { kind: K }>,
  language: MailLanguage,
): Words {
  return kinds[kind].words[language](gaps as MailGaps[typeof kind]);
}

/** Whether a person has just asked for a mail of this kind; false for a kind of another version of the worker. */
export function isRequested(kind: string): boolean {
  return Object.hasOwn(kinds, kind) && kinds[kind as MailKind].is_requested;
}
