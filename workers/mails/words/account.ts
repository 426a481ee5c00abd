import type { InLanguages } from "./parts.ts";

/** The words of mails about an account. */

const THANKS = { ja: "ofuseをご利用いただき、ありがとうございます。", en: "Thank you for using ofuse." };
const IF_NOT_YOU = {
  ja: "お心当たりがない場合は、すぐにパスワードを変更し、設定の「ログイン方法」と「二段階認証」をご確認ください。",
  en: "If this was not you, please change your password at once, and check your ways to log in and your two-step verification.",
};
/** A reset also works for an account without a password, and signs out a thief. */
const RESET_IF_NOT_YOU = {
  ja: `お心当たりがない場合は、すぐにログイン画面の「パスワードをお忘れの方」から、新しいパスワードを設定してください。すべての端末からログアウトします。
そのあと、設定の「ログイン方法」と「二段階認証」で、お心当たりのないものを解除してください。`,
  en: `If this was not you, please reset your password at once on the login page. This signs out all devices.
Then check your ways to log in and your two-step verification in the settings, and remove what you do not know.`,
};

export const verifyEmail: InLanguages<"verify_email"> = {
  ja: ({ link }) => ({
    subject: "【ofuse】メールアドレスの確認をお願いします",
    parts: [
      THANKS.ja,
      "下のリンクを開くと、このメールアドレスの確認が完了します。",
      { link, label: "メールアドレスを確認する" },
      `リンクの有効期限は、このメールの送信から24時間です。
期限が過ぎた場合は、お手数ですが、確認メールの送信をもう一度お試しください。
登録の手続きをはじめたブラウザーで開いてください。別のブラウザーで開いた場合は、新しいパスワードの設定をお願いしています。`,
      `このメールにお心当たりがない場合は、ほかの方がメールアドレスを間違えて入力された可能性があります。
リンクを開かずに、このメールを削除してください。`,
    ],
  }),
  en: ({ link }) => ({
    subject: "[ofuse] Please confirm your e-mail address",
    parts: [
      THANKS.en,
      "Open this link to confirm your e-mail address.",
      { link, label: "Confirm the address" },
      `The link works for 24 hours after this mail was sent. After that, please ask for another confirmation mail.
Open it in the browser in which you signed up. In another browser you will be asked to choose a new password.`,
      `If you do not know of this mail, somebody may have mistyped their address.
Please do not open the link, and delete this mail.`,
    ],
  }),
};

export const resetPassword: InLanguages<"reset_password"> = {
  ja: ({ link }) => ({
    subject: "【ofuse】パスワードの再設定のご案内",
    parts: [
      `${THANKS.ja}
パスワードの再設定のお申し込みを受け付けました。`,
      "下のリンクを開いて、新しいパスワードを設定してください。",
      { link, label: "新しいパスワードを設定する" },
      `リンクの有効期限は、このメールの送信から1時間です。
パスワードを変更すると、ログイン中のすべての端末からログアウトします。`,
      `このメールにお心当たりがない場合は、リンクを開かずに、このメールを削除してください。
リンクを開かない限り、パスワードは変更されません。`,
    ],
  }),
  en: ({ link }) => ({
    subject: "[ofuse] Reset your password",
    parts: [
      `${THANKS.en}
You asked to reset your password.`,
      "Open this link and choose a new password.",
      { link, label: "Choose a new password" },
      `The link works for one hour after this mail was sent.
A new password signs you out on all your devices.`,
      `If you do not know of this mail, please do not open the link, and delete this mail.
Your password changes only when the link is opened.`,
    ],
  }),
};

export const signInLink: InLanguages<"sign_in_link"> = {
  ja: ({ link }) => ({
    subject: "【ofuse】ログイン用リンクのお知らせ",
    parts: [
      THANKS.ja,
      `下のリンクを開くと、ログインできます。
アカウントをお持ちでない場合は、このメールアドレスで新しく作成されます。`,
      { link, label: "ログインする" },
      `リンクの有効期限は、このメールの送信から1時間です。使えるのは1回だけです。
お申し込みになった端末とは別の端末で開いた場合は、メールアドレスの入力をお願いしています。`,
      `このメールにお心当たりがない場合は、リンクを開かずに、このメールを削除してください。
リンクをほかの方に伝えたり、転送したりしないでください。`,
    ],
  }),
  en: ({ link }) => ({
    subject: "[ofuse] Your link to log in",
    parts: [
      THANKS.en,
      `Open this link to log in.
If you have no account yet, one is made with this address.`,
      { link, label: "Log in" },
      `The link works once, for one hour after this mail was sent.
On another device than the one on which you asked for it, you will be asked for your e-mail address.`,
      `If you do not know of this mail, please do not open the link, and delete this mail.
Please do not share or forward the link.`,
    ],
  }),
};

export const changeEmail: InLanguages<"change_email"> = {
  ja: ({ link }) => ({
    subject: "【ofuse】新しいメールアドレスの確認をお願いします",
    parts: [
      `${THANKS.ja}
メールアドレスの登録または変更のお申し込みを受け付けました。`,
      "下のリンクを開くと、このメールアドレスが、ofuseでのあなたのメールアドレスになります。",
      { link, label: "このメールアドレスを使う" },
      `リンクの有効期限は、このメールの送信から24時間です。
変更をお申し込みになったアカウントで、ログインしているブラウザーで開いてください。
完了すると、ログイン中の端末で、もう一度ログインが必要になることがあります。`,
      `このメールにお心当たりがない場合は、リンクを開かずに、このメールを削除してください。
リンクを開かない限り、何も変わりません。`,
    ],
  }),
  en: ({ link }) => ({
    subject: "[ofuse] Please confirm your new e-mail address",
    parts: [
      `${THANKS.en}
You asked to add or change your e-mail address.`,
      "Open this link to make this your address on ofuse.",
      { link, label: "Use this address" },
      `The link works for 24 hours after this mail was sent.
Open it in a browser in which you are logged in to the account that asked for the change.
After the change you may have to log in again on your devices.`,
      `If you do not know of this mail, please do not open the link, and delete this mail.
Nothing changes unless the link is opened.`,
    ],
  }),
};

export const emailChanged: InLanguages<"email_changed"> = {
  ja: ({ link }) => ({
    subject: "【ofuse】メールアドレスが変更されました",
    parts: [
      "ofuseに登録されているメールアドレスが、このメールアドレスから別のものに変更されました。",
      "ご自身で変更された場合は、何もしていただく必要はありません。",
      `お心当たりがない場合は、ほかの方に操作された可能性があります。
下のリンクを開くと、登録されているメールアドレスを元に戻し、すべての端末からログアウトします。
パスワードと、電話番号やほかのサービスでのログインも、安全のために解除されます。
そのあと、新しいパスワードの設定をお願いします。売上の振込先を登録されている場合は、その口座もご確認ください。`,
      { link, label: "メールアドレスを元に戻す" },
      "リンクの有効期限は、このメールの送信から7日間です。",
    ],
  }),
  en: ({ link }) => ({
    subject: "[ofuse] Your e-mail address was changed",
    parts: [
      "The e-mail address of your ofuse account was changed from this one to another.",
      "If you did this yourself, there is nothing to do.",
      `If you did not, somebody else may have done it.
This link brings your address back and signs out all devices.
To be safe, it also removes your password and log-ins by telephone and by other services.
After that you will be asked to set a new password. If you have a bank account for payouts, please check it too.`,
      { link, label: "Bring my address back" },
      "The link works for seven days after this mail was sent.",
    ],
  }),
};

export const emailTaken: InLanguages<"email_taken"> = {
  ja: () => ({
    subject: "【ofuse】このメールアドレスはすでに登録されています",
    parts: [
      "このメールアドレスを、別のアカウントに登録しようとする操作がありました。",
      `このメールアドレスは、すでにofuseのアカウントに登録されているため、変更は行われていません。
お使いのアカウントに影響はありません。`,
      `ご自身で操作された場合は、このメールアドレスでログインできます。
お心当たりがない場合は、このメールを削除してください。`,
    ],
  }),
  en: () => ({
    subject: "[ofuse] This e-mail address already has an account",
    parts: [
      "Somebody tried to add this e-mail address to another account.",
      `The address already belongs to an account on ofuse, so nothing was changed.
Your account is not affected.`,
      `If it was you, you can log in with this address.
If you do not know of this, please delete this mail.`,
    ],
  }),
};

export const factorAdded: InLanguages<"factor_added"> = {
  ja: ({ factor }) => ({
    subject: "【ofuse】二段階認証を設定しました",
    parts: [
      THANKS.ja,
      "お使いのアカウントに、二段階認証の方法を追加しました。",
      { facts: [["追加した方法", factor]] },
      `安全のため、ほかの端末からはログアウトしました。
端末をなくしたときに備えて、リカバリーコードの保管をおすすめします。`,
      IF_NOT_YOU.ja,
    ],
  }),
  en: ({ factor }) => ({
    subject: "[ofuse] Two-step verification is on",
    parts: [
      THANKS.en,
      "A way of two-step verification was added to your account.",
      { facts: [["Added", factor]] },
      `To be safe, your other devices were signed out.
Please keep recovery codes in case you lose your device.`,
      IF_NOT_YOU.en,
    ],
  }),
};

export const factorRemoved: InLanguages<"factor_removed"> = {
  ja: ({ factor, factors_left }) => ({
    subject: "【ofuse】二段階認証の方法を削除しました",
    parts: [
      THANKS.ja,
      "お使いのアカウントから、二段階認証の方法を削除しました。",
      { facts: [["削除した方法", factor]] },
      `${factors_left > 0 ? "ほかの方法による二段階認証は、引き続き有効です。" : "二段階認証は、すべて解除されました。"}
安全のため、ほかの端末からはログアウトしました。`,
      IF_NOT_YOU.ja,
    ],
  }),
  en: ({ factor, factors_left }) => ({
    subject: "[ofuse] A way of two-step verification was removed",
    parts: [
      THANKS.en,
      "A way of two-step verification was removed from your account.",
      { facts: [["Removed", factor]] },
      `${factors_left > 0 ? "Your other ways of two-step verification stay on." : "Two-step verification is now off."}
To be safe, your other devices were signed out.`,
      IF_NOT_YOU.en,
    ],
  }),
};

export const recoveryCodeUsed: InLanguages<"recovery_code_used"> = {
  ja: ({ codes_left }) => ({
    subject: "【ofuse】リカバリーコードでログインしました",
    parts: [
      THANKS.ja,
      `リカバリーコードを使って、お使いのアカウントにログインしました。
使用したコードは、もう使えません。${
        codes_left > 0
          ? `残りのリカバリーコードは${codes_left}個です。`
          : "リカバリーコードはすべて使用されました。設定画面で、新しいコードを作成してください。"
      }`,
      IF_NOT_YOU.ja,
    ],
  }),
  en: ({ codes_left }) => ({
    subject: "[ofuse] A recovery code was used to log in",
    parts: [
      THANKS.en,
      `Somebody logged in to your account with a recovery code.
The code cannot be used again. ${
        codes_left > 0
          ? `Recovery codes left: ${codes_left}.`
          : "You have used all recovery codes. Please make new ones in the settings."
      }`,
      IF_NOT_YOU.en,
    ],
  }),
};

export const recoveryCodesCreated: InLanguages<"recovery_codes_created"> = {
  ja: () => ({
    subject: "【ofuse】リカバリーコードを作成しました",
    parts: [
      THANKS.ja,
      "お使いのアカウントのリカバリーコードを、新しく作成しました。以前のコードは、もう使えません。",
      `${IF_NOT_YOU.ja}
リカバリーコードも、作り直してください。`,
    ],
  }),
  en: () => ({
    subject: "[ofuse] New recovery codes were made",
    parts: [
      THANKS.en,
      "New recovery codes were made for your account. Earlier codes no longer work.",
      `${IF_NOT_YOU.en}
Please also make new recovery codes.`,
    ],
  }),
};

export const signInMethodAdded: InLanguages<"sign_in_method_added"> = {
  ja: ({ method }) => ({
    subject: "【ofuse】ログイン方法を追加しました",
    parts: [
      THANKS.ja,
      "お使いのアカウントに、ログイン方法を追加しました。",
      { facts: [["追加した方法", method]] },
      RESET_IF_NOT_YOU.ja,
    ],
  }),
  en: ({ method }) => ({
    subject: "[ofuse] A way to log in was added",
    parts: [
      THANKS.en,
      "A way to log in was added to your account.",
      { facts: [["Added", method]] },
      RESET_IF_NOT_YOU.en,
    ],
  }),
};

export const signInMethodRemoved: InLanguages<"sign_in_method_removed"> = {
  ja: ({ method }) => ({
    subject: "【ofuse】ログイン方法を解除しました",
    parts: [
      THANKS.ja,
      "お使いのアカウントのログイン方法を、ひとつ解除しました。",
      { facts: [["解除した方法", method]] },
      RESET_IF_NOT_YOU.ja,
    ],
  }),
  en: ({ method }) => ({
    subject: "[ofuse] A way to log in was removed",
    parts: [
      THANKS.en,
      "A way to log in was removed from your account.",
      { facts: [["Removed", method]] },
      RESET_IF_NOT_YOU.en,
    ],
  }),
};

export const emailRestored: InLanguages<"email_restored"> = {
  ja: () => ({
    subject: "【ofuse】メールアドレスが変更前のものに戻されました",
    parts: [
      "ofuseに登録されているメールアドレスが、このメールアドレスから、変更前のものに戻されました。",
      `変更前のメールアドレスにお送りした「元に戻す」リンクが使われたためです。
安全のため、すべての端末からログアウトし、パスワードと、電話番号やほかのサービスでのログインを解除しました。`,
      "お心当たりがない場合は、下記のお問い合わせ窓口までお知らせください。",
    ],
  }),
  en: () => ({
    subject: "[ofuse] Your earlier e-mail address was brought back",
    parts: [
      "The e-mail address of your ofuse account was changed from this one back to the earlier one.",
      `Somebody used the link that we had mailed to the earlier address.
To be safe, all devices were signed out, and the password and log-ins by telephone and by other services were removed.`,
      "If this was not you, please write to the contact below.",
    ],
  }),
};

export const passwordChanged: InLanguages<"password_changed"> = {
  ja: () => ({
    subject: "【ofuse】パスワードが変更されました",
    parts: [THANKS.ja, "お使いのアカウントのパスワードが、設定または変更されました。", RESET_IF_NOT_YOU.ja],
  }),
  en: () => ({
    subject: "[ofuse] Your password was changed",
    parts: [THANKS.en, "The password of your account was set or changed.", RESET_IF_NOT_YOU.en],
  }),
};

export const accountDeleted: InLanguages<"account_deleted"> = {
  ja: () => ({
    subject: "【ofuse】アカウントを削除しました",
    parts: [
      "ofuseをご利用いただき、ありがとうございました。",
      `退会のお手続きにより、このメールアドレスのアカウントを削除しました。
消えたものは元に戻せません。同じメールアドレスで、あらためて登録することはできます。`,
      "お心当たりがない場合は、下記のお問い合わせ窓口までお知らせください。",
    ],
  }),
  en: () => ({
    subject: "[ofuse] Your account was deleted",
    parts: [
      "Thank you for having used ofuse.",
      `The account of this e-mail address was deleted, as asked on the site.
What was deleted cannot be brought back. You can sign up again with the same address.`,
      "If this was not you, please write to the contact below.",
    ],
  }),
};
