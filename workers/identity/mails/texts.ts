/** The placeholders of each kind of mail. A link is on a line of its own. */

export interface MailGaps {
  /** The mail to a new account's address. Its link proves the address. */
  verify_email: { link: string };
  reset_password: { link: string };
  sign_in_link: { link: string };
  /** The mail to the new address. Its link makes the address the account's. */
  change_email: { link: string };
  /** The mail to the old address. Its link undoes the change. */
  email_changed: { link: string };
  /** The mail to the holder of an address that another account asked for. */
  email_taken: Record<string, never>;
  factor_added: { factor: string };
  factor_removed: { factor: string; factors_left: number };
  recovery_code_used: { codes_left: number };
  /** The text message with a code. */
  phone_code: { code: string; site: string };
}

export type MailKind = keyof MailGaps;

export interface MailText {
  subject: string;
  text: string;
}

/** Returns the subject and text of a mail of this kind. */
export function renderMail<K extends MailKind>(kind: K, gaps: MailGaps[K]): MailText {
  return texts[kind](gaps);
}

const IF_NOT_YOU = `お心当たりがない場合は、すぐにパスワードを変更し、二段階認証の設定をご確認ください。

ofuse
`;

const texts: { [K in MailKind]: (gaps: MailGaps[K]) => MailText } = {
  verify_email: ({ link }) => ({
    subject: "【ofuse】メールアドレスの確認をお願いします",
    text: `ofuseをご利用いただき、ありがとうございます。

下のリンクを開くと、このメールアドレスの確認が完了します。

${link}

リンクの有効期限は、このメールの送信から24時間です。
期限が過ぎた場合は、お手数ですが、確認メールの送信をもう一度お試しください。
登録の手続きをはじめたブラウザーで開いてください。別のブラウザーで開いた場合は、新しいパスワードの設定をお願いしています。

このメールにお心当たりがない場合は、ほかの方がメールアドレスを間違えて入力された可能性があります。
リンクを開かずに、このメールを削除してください。

ofuse
`,
  }),

  reset_password: ({ link }) => ({
    subject: "【ofuse】パスワードの再設定のご案内",
    text: `ofuseをご利用いただき、ありがとうございます。
パスワードの再設定のお申し込みを受け付けました。

下のリンクを開いて、新しいパスワードを設定してください。

${link}

リンクの有効期限は、このメールの送信から1時間です。
パスワードを変更すると、ログイン中のすべての端末からログアウトします。

このメールにお心当たりがない場合は、リンクを開かずに、このメールを削除してください。
リンクを開かない限り、パスワードは変更されません。

ofuse
`,
  }),

  sign_in_link: ({ link }) => ({
    subject: "【ofuse】ログイン用リンクのお知らせ",
    text: `ofuseをご利用いただき、ありがとうございます。

下のリンクを開くと、ログインできます。
アカウントをお持ちでない場合は、このメールアドレスで新しく作成されます。

${link}

リンクの有効期限は、このメールの送信から1時間です。使えるのは1回だけです。
お申し込みになった端末とは別の端末で開いた場合は、メールアドレスの入力をお願いしています。

このメールにお心当たりがない場合は、リンクを開かずに、このメールを削除してください。
リンクをほかの方に伝えたり、転送したりしないでください。

ofuse
`,
  }),

  change_email: ({ link }) => ({
    subject: "【ofuse】新しいメールアドレスの確認をお願いします",
    text: `ofuseをご利用いただき、ありがとうございます。
メールアドレスの登録または変更のお申し込みを受け付けました。

下のリンクを開くと、このメールアドレスが、ofuseでのあなたのメールアドレスになります。

${link}

リンクの有効期限は、このメールの送信から24時間です。
変更をお申し込みになったアカウントで、ログインしているブラウザーで開いてください。
完了すると、ログイン中の端末で、もう一度ログインが必要になることがあります。

このメールにお心当たりがない場合は、リンクを開かずに、このメールを削除してください。
リンクを開かない限り、何も変わりません。

ofuse
`,
  }),

  email_changed: ({ link }) => ({
    subject: "【ofuse】メールアドレスが変更されました",
    text: `ofuseに登録されているメールアドレスが、このメールアドレスから別のものに変更されました。

ご自身で変更された場合は、何もしていただく必要はありません。

お心当たりがない場合は、ほかの方に操作された可能性があります。
下のリンクを開くと、登録されているメールアドレスを元に戻し、すべての端末からログアウトします。
電話番号やほかのサービスでのログインも、安全のために解除されます。
そのあと、パスワードの再設定をお願いします。

${link}

リンクの有効期限は、このメールの送信から7日間です。

ofuse
`,
  }),

  email_taken: () => ({
    subject: "【ofuse】このメールアドレスはすでに登録されています",
    text: `このメールアドレスを、別のアカウントに登録しようとする操作がありました。

このメールアドレスは、すでにofuseのアカウントに登録されているため、変更は行われていません。
お使いのアカウントに影響はありません。

ご自身で操作された場合は、このメールアドレスでログインできます。
お心当たりがない場合は、このメールを削除してください。

ofuse
`,
  }),

  factor_added: ({ factor }) => ({
    subject: "【ofuse】二段階認証を設定しました",
    text: `ofuseをご利用いただき、ありがとうございます。

お使いのアカウントに、二段階認証の方法を追加しました。

追加した方法：${factor}

安全のため、ほかの端末からはログアウトしました。
端末をなくしたときに備えて、リカバリーコードの保管をおすすめします。

${IF_NOT_YOU}`,
  }),

  factor_removed: ({ factor, factors_left }) => {
    const rest =
      factors_left > 0 ? "ほかの方法による二段階認証は、引き続き有効です。" : "二段階認証は、すべて解除されました。";
    return {
      subject: "【ofuse】二段階認証の方法を削除しました",
      text: `ofuseをご利用いただき、ありがとうございます。

お使いのアカウントから、二段階認証の方法を削除しました。

削除した方法：${factor}

${rest}
安全のため、ほかの端末からはログアウトしました。

${IF_NOT_YOU}`,
    };
  },

  recovery_code_used: ({ codes_left }) => {
    const next =
      codes_left > 0
        ? `残りのリカバリーコードは${codes_left}個です。`
        : "リカバリーコードはすべて使用されました。設定画面で、新しいコードを作成してください。";
    return {
      subject: "【ofuse】リカバリーコードでログインしました",
      text: `ofuseをご利用いただき、ありがとうございます。

リカバリーコードを使って、お使いのアカウントにログインしました。
使用したコードは、もう使えません。${next}

${IF_NOT_YOU}`,
    };
  },

  // The last line lets a browser offer the code to this site alone. Source: https://wicg.github.io/sms-one-time-codes/
  phone_code: ({ code, site }) => ({
    subject: "確認コード",
    text: `ofuseの確認コードは ${code} です。
5分以内に入力してください。このコードは、ほかの人に教えないでください。

@${site} #${code}`,
  }),
};
