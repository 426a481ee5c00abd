import type { OobRequestType } from "../storage/schema.ts";

export interface MailCopy {
  subject: string;
  text: string;
}

/** The mail that carries a code's link, which stands on a line of its own. */
export function oobMail(request_type: OobRequestType, link: string): MailCopy {
  return copies[request_type](link);
}

const copies: Record<OobRequestType, (link: string) => MailCopy> = {
  VERIFY_EMAIL: (link) => ({
    subject: "【ofuse】メールアドレスの確認をお願いします",
    text: `ofuseをご利用いただき、ありがとうございます。

下のリンクを開くと、このメールアドレスの確認が完了します。

${link}

リンクの有効期限は、このメールの送信から24時間です。
期限が過ぎた場合は、お手数ですが、確認メールの送信をもう一度お試しください。

このメールにお心当たりがない場合は、ほかの方がメールアドレスを間違えて入力された可能性があります。
リンクを開かずに、このメールを削除してください。

ofuse
`,
  }),

  PASSWORD_RESET: (link) => ({
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

  EMAIL_SIGNIN: (link) => ({
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

  VERIFY_AND_CHANGE_EMAIL: (link) => ({
    subject: "【ofuse】新しいメールアドレスの確認をお願いします",
    text: `ofuseをご利用いただき、ありがとうございます。
メールアドレスの登録または変更のお申し込みを受け付けました。

下のリンクを開くと、このメールアドレスが、ofuseでのあなたのメールアドレスになります。

${link}

リンクの有効期限は、このメールの送信から24時間です。
完了すると、ログイン中の端末で、もう一度ログインが必要になることがあります。

このメールにお心当たりがない場合は、リンクを開かずに、このメールを削除してください。
リンクを開かない限り、何も変わりません。

ofuse
`,
  }),

  RECOVER_EMAIL: (link) => ({
    subject: "【ofuse】メールアドレスが変更されました",
    text: `ofuseに登録されているメールアドレスが、このメールアドレスから別のものに変更されました。

ご自身で変更された場合は、何もしていただく必要はありません。

お心当たりがない場合は、ほかの方に操作された可能性があります。
下のリンクを開くと、登録されているメールアドレスを元に戻し、すべての端末からログアウトします。
そのあと、パスワードの再設定をお願いします。

${link}

リンクの有効期限は、このメールの送信から7日間です。

ofuse
`,
  }),
};

/** The mail to an address that somebody asked for and another account has. */
export function takenMail(): MailCopy {
  return {
    subject: "【ofuse】このメールアドレスはすでに登録されています",
    text: `このメールアドレスを、別のアカウントに登録しようとする操作がありました。

このメールアドレスは、すでにofuseのアカウントに登録されているため、変更は行われていません。
お使いのアカウントに影響はありません。

ご自身で操作された場合は、このメールアドレスでログインできます。
お心当たりがない場合は、このメールを削除してください。

ofuse
`,
  };
}
