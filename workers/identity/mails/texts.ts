import type { MailGaps } from "../../contract/mails.ts";
import type { MailLanguage } from "../../contract/notifications.ts";

/** The gaps of the text message with a code. */
export interface CodeMessage {
  code: string;
  /** The host of the site. */
  site: string;
}

/** What the identity worker sends: mails, whose words the mails worker writes, and text messages. */
export type SentGaps = MailGaps & { phone_code: CodeMessage };
export type SentKind = keyof SentGaps;

/**
 * Returns the text message with a code. The last line lets a browser offer the code to this site alone. Source:
 * https://wicg.github.io/sms-one-time-codes/
 */
export const codeText = ({ code, site }: CodeMessage, language: MailLanguage): string => `${SENTENCES[language](code)}

@${site} #${code}`;

const SENTENCES: { readonly [L in MailLanguage]: (code: string) => string } = {
  ja: (code) => `ofuseの確認コードは ${code} です。
5分以内に入力してください。このコードは、ほかの人に教えないでください。`,
  en: (code) => `Your ofuse code is ${code}.
Please enter it within 5 minutes, and tell it to nobody.`,
};
