import type { MailCopy } from "./mail-copy.ts";

/** What is written to telephones, and the notices about second factors. */

/**
 * The message that carries a code. Its last line lets a browser offer the code to this site alone.
 * Source: https://wicg.github.io/sms-one-time-codes/
 */
export function codeMessage(code: string, action_url: string): MailCopy {
  return {
    subject: "確認コード",
    text: `ofuseの確認コードは ${code} です。
5分以内に入力してください。このコードは、ほかの人に教えないでください。

@${new URL(action_url).hostname} #${code}`,
  };
}

const IF_NOT_YOU = `お心当たりがない場合は、すぐにパスワードを変更し、二段階認証の設定をご確認ください。

ofuse
`;

export function factorAddedMail(name: string): MailCopy {
  return {
    subject: "【ofuse】二段階認証を設定しました",
    text: `ofuseをご利用いただき、ありがとうございます。

お使いのアカウントに、二段階認証の方法を追加しました。

追加した方法：${name}

安全のため、ほかの端末からはログアウトしました。
端末をなくしたときに備えて、リカバリーコードの保管をおすすめします。

${IF_NOT_YOU}`,
  };
}

export function factorRemovedMail(name: string, left: number): MailCopy {
  const rest = left > 0 ? "ほかの方法による二段階認証は、引き続き有効です。" : "二段階認証は、すべて解除されました。";
  return {
    subject: "【ofuse】二段階認証の方法を削除しました",
    text: `ofuseをご利用いただき、ありがとうございます。

お使いのアカウントから、二段階認証の方法を削除しました。

削除した方法：${name}

${rest}
安全のため、ほかの端末からはログアウトしました。

${IF_NOT_YOU}`,
  };
}

export function recoveryCodeUsedMail(left: number): MailCopy {
  const next =
    left > 0
      ? `残りのリカバリーコードは${left}個です。`
      : "リカバリーコードはすべて使用されました。設定画面で、新しいコードを作成してください。";
  return {
    subject: "【ofuse】リカバリーコードでログインしました",
    text: `ofuseをご利用いただき、ありがとうございます。

リカバリーコードを使って、お使いのアカウントにログインしました。
使用したコードは、もう使えません。${next}

${IF_NOT_YOU}`,
  };
}
