import type { OobRequestType } from "../storage/schema.ts";

export interface MailCopy {
  subject: string;
  text: string;
}

/** The mail that carries a code's link, which stands on a line of its own. */
export function oobMail(request_type: OobRequestType, link: string): MailCopy {
  return request_type === "VERIFY_EMAIL" ? verifyEmail(link) : resetPassword(link);
}

function verifyEmail(link: string): MailCopy {
  return {
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
  };
}

function resetPassword(link: string): MailCopy {
  return {
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
  };
}
