import * as z from "zod";
import { document } from "./document.ts";
import { groupDigits } from "./group-digits.ts";
import { toNormalForm } from "./normal-form.ts";
import { type MailLanguage, mailLanguage, notificationTopic } from "./notifications.ts";

/**
 * What the workers hand over to the mails worker: a kind, a recipient, and the values for the gaps of its words. The
 * mails worker alone writes the words (workers/mails/words).
 */

const link = z.string().max(4000);
/** A name or title has at most 100 graphemes, each with a few combining characters. */
const name = z.string().max(2000);
const sentence = z.string().max(2000);
const yen = z.int().nonnegative();
const moment = z.iso.datetime();

/** The gaps of each kind of mail. */
const gapsOfKinds = {
  /** To a new account's address. The link proves the address. */
  verify_email: z.object({ link }),
  reset_password: z.object({ link }),
  sign_in_link: z.object({ link }),
  /** To the new address. The link makes the address the account's. */
  change_email: z.object({ link }),
  /** To the old address. The link undoes the change. */
  email_changed: z.object({ link }),
  /** To the holder of an address that another account asked for. */
  email_taken: z.object({}),
  factor_added: z.object({ factor: name }),
  factor_removed: z.object({ factor: name, factors_left: z.int().nonnegative() }),
  recovery_code_used: z.object({ codes_left: z.int().nonnegative() }),
  recovery_codes_created: z.object({}),
  /** To the owner of an account that can be signed in to in another way, or in one way less. */
  sign_in_method_added: z.object({ method: name }),
  sign_in_method_removed: z.object({ method: name }),
  /** To the address that an account loses because its earlier one was brought back. */
  email_restored: z.object({}),
  /** To the owner of an account whose password was set, changed or reset. */
  password_changed: z.object({}),
  /** To the address of an account that was deleted. It is the last mail to that account. */
  account_deleted: z.object({}),
  /** To a member who paid for a letter or a comment. */
  payment_receipt: z.object({ title: name, amount: yen, paid_at: moment, receipt_link: link }),
  /** To a member who paid to join a plan, or to change to a dearer one. A renewal has a notice, which is mailed. */
  plan_receipt: z.object({ title: name, amount: yen, paid_at: moment, paid_until: moment, receipt_link: link }),
  /** To a member who has left a plan that is paid until `ends_at`. */
  plan_left: z.object({ title: name, ends_at: moment, link }),
  /** To a creator who registered a bank account for payouts, or replaced it. Of its number only the last digits. */
  bank_account_changed: z.object({ bank: name, branch: name, number_end: z.string().max(3), link }),
  /** What happened to a person's money, as the notification says it, and the page to open. */
  subscription_renewed: z.object({ message: sentence, link }),
  subscription_past_due: z.object({ message: sentence, link }),
  subscription_canceled: z.object({ message: sentence, link }),
  payout_failed: z.object({ message: sentence, link }),
  payment_refunded: z.object({ message: sentence, link }),
  payment_disputed: z.object({ message: sentence, link }),
  dispute_ended: z.object({ message: sentence, link }),
  membership_disabled: z.object({ message: sentence, link }),
  membership_reopened: z.object({ message: sentence, link }),
  identity_checked: z.object({ message: sentence, link }),
  /** What a notification says. The receiver may stop such mails: `stop_link` (RFC 8058). */
  notification: z.object({ topic: notificationTopic, message: sentence, link, stop_link: link }),
  /** To a guest who paid for a letter. The page of the receipt also makes the letter an account's. */
  claim_letter: z.object({ title: name, amount: yen, paid_at: moment, receipt_link: link }),
  /**
   * To a payer who gets no notification of it: a guest whose payment was refunded, and anybody whose payment went back because it
   * could not be delivered.
   */
  payment_returned: z.object({ title: name, amount: yen, is_undelivered: z.boolean(), receipt_link: link }),
};

export type MailKind = keyof typeof gapsOfKinds;
export const MAIL_KINDS = Object.keys(gapsOfKinds) as [MailKind, ...MailKind[]];
export type MailGaps = { [K in MailKind]: z.output<(typeof gapsOfKinds)[K]> };

/** Returns an amount as mails in English write it. */
export const yenInEnglish = (amount: number): string => `¥${groupDigits(amount)}`;

/** The kinds of mail that repeat a notification. */
export type NoticeMailKind =
  | "subscription_renewed"
  | "subscription_past_due"
  | "subscription_canceled"
  | "payout_failed"
  | "payment_refunded"
  | "payment_disputed"
  | "dispute_ended"
  | "membership_disabled"
  | "membership_reopened"
  | "identity_checked";

/** The longest address of an e-mail, in characters. Source: RFC 5321, section 4.5.3.1.3. */
const MAX_ADDRESS_LENGTH = 254;

/**
 * Whether an address fits into an envelope and a header: one line, one @, no brackets. A quoted local part may hold
 * spaces, and names of hosts may be international.
 */
export function isSendable(address: string): boolean {
  const [, local = "", host = ""] =
    /^("(?:[^"\\\p{Cc}]|\\[^\p{Cc}])+"|[^\s"@<>(),:;\\[\]\p{C}]+)@([^\s@<>\p{C}]+)$/u.exec(address) ?? [];
  return local !== "" && host !== "" && !host.startsWith(".") && !host.endsWith(".") && !host.includes("..");
}

/** One mail that a worker hands over. */
export type HandedMail = {
  [K in MailKind]: {
    /** The id of the occasion. An id makes one mail, however often it is handed over. */
    mail_id: string;
    kind: K;
    recipient: string;
    /** The language of the words that are ours. Japanese when it is not said. */
    language?: MailLanguage;
    gaps: MailGaps[K];
  };
}[MailKind];

const mailId = z.string().regex(/^[\w:.-]{1,120}$/);

const handedMail = z
  .object({
    mail_id: mailId,
    kind: z.enum(MAIL_KINDS),
    recipient: z.string().max(MAX_ADDRESS_LENGTH),
    language: mailLanguage.optional(),
    gaps: z.unknown(),
  })
  .transform(({ kind, gaps, ...mail }, context) => {
    const checked = gapsOfKinds[kind].safeParse(gaps);
    if (!checked.success) {
      context.addIssue({ code: "custom", path: ["gaps"], message: `the gaps are not those of ${kind}` });
      return z.NEVER;
    }
    return { ...mail, kind, gaps: checked.data } as HandedMail;
  });

/** The body of a hand-over. */
export const handedMails = z.object({ mails: z.array(handedMail).max(100) });

/** How many receivers of a newsletter one hand-over holds. */
const RECEIVERS_AT_ONCE = 500;

/**
 * A newsletter and some of its receivers. The content is stored once, however many hand-overs name it. Newsletters wait
 * for all other mails.
 */
export const newsletterMail = z.object({
  content_id: z.string().regex(/^[0-9a-z]{26}$/),
  title: name,
  creator_name: name,
  document,
  /** The pictures of the document. Mailboxes fetch them from the site. */
  pictures: z
    .array(
      z.object({
        image_id: z.string(),
        url: link,
        alt: z.string(),
        width: z.int().positive(),
        height: z.int().positive(),
      }),
    )
    .default([]),
  /** The page on which the whole newsletter can be read. */
  page_link: link,
  receivers: z
    .array(
      z.object({
        /** As in a {@link HandedMail}. */
        mail_id: mailId,
        recipient: z.string().max(MAX_ADDRESS_LENGTH),
        /** The page that stops the newsletters. A POST to it stops them at once (RFC 8058). */
        stop_link: link,
      }),
    )
    .max(RECEIVERS_AT_ONCE),
});
export type NewsletterMail = z.output<typeof newsletterMail>;

/** The newsletters to cancel. */
export const newsletterCancellation = z.object({ content_ids: z.array(z.string()) });

/** What a mail looks like. */
export const renderedMail = z.object({ subject: z.string(), text: z.string(), html: z.string() });
export type RenderedMail = z.output<typeof renderedMail>;

/** The outcomes of the mails of a newsletter. */
const delivery = z.object({
  content_id: z.string(),
  handed_count: z.int(),
  sent_count: z.int(),
  bounced_count: z.int(),
});
export type Delivery = z.output<typeof delivery>;
export const deliveriesAnswer = z.object({ deliveries: z.array(delivery).max(100) });

/** The path that takes newsletters. */
export const NEWSLETTERS_PATH = "/newsletters";
/** The path that cancels newsletters of which mails still wait. */
export const NEWSLETTER_CANCELLATIONS_PATH = "/newsletter-cancellations";
/** The path that shows a newsletter's mail and sends nothing. */
export const NEWSLETTER_PREVIEWS_PATH = "/newsletter-previews";
/** The path of the deliveries: GET lists those that changed, DELETE says that the API has these numbers. */
export const DELIVERIES_PATH = "/deliveries";

/** The host by which the other workers reach the mails worker, through a service binding. */
export const MAILS_ORIGIN = "http://mails.internal";
/** The path that takes mails. */
export const MAILS_PATH = "/mails";
/** The site's address for the webhooks of the mail provider. */
export const MAIL_WEBHOOK_PATH = "/v4/webhooks/mails";
/** The path that lists the mails of a demo, which stay in the database. */
export const KEPT_MAILS_PATH = "/kept-mails";
/** The path of the addresses that do not exist: GET lists those that the API has not marked, DELETE says that it has. */
export const BOUNCES_PATH = "/bounces";
export const bouncesAnswer = z.object({ addresses: z.array(z.string()).max(100) });

/** The path with which operators let a failed mail be sent again. */
export const RETRIES_PATH = "/retries";
const suppressionReason = z
  .enum(["bounce", "complaint", "unsubscribed", "operator"])
  .meta({ id: "SuppressionReason", description: "送らない理由", examples: ["bounce"] });
/** The path with which operators list suppressions (GET), and suppress an address, or release it. */
export const SUPPRESSIONS_PATH = "/suppressions";

/** Returns the form of an address that is hashed: mailboxes that differ in case are one in practice. */
export function suppressionKey(address: string): string {
  return toNormalForm(address).toLowerCase();
}

/** The digits of an address's hash that operators see in place of the address. */
export const HASH_PREFIX_LENGTH = 12;

/** Suppressions as operators see them. The mails worker keeps hashes of addresses, so a list names none. */
export const suppressionList = z.object({
  counts: z
    .array(z.object({ reason: suppressionReason, count: z.int().meta({ description: "数", examples: [3] }) }))
    .meta({ description: "理由ごとの数。アドレスを指定したときは空" }),
  suppressions: z
    .array(
      z.object({
        reason: suppressionReason,
        since: z.iso.datetime().meta({ description: "止めた日時", examples: ["2026-11-22T15:30:00.000Z"] }),
        hash_prefix: z.string().meta({ description: "アドレスのハッシュの先頭", examples: ["3f79bb7b435b"] }),
      }),
    )
    .meta({ description: "新しい順に50件まで、または指定したアドレスのもの" }),
});

export const MAIL_STATES = ["queued", "sending", "sent", "failed", "suppressed"] as const;

/** A mail as operators see it: without its words. */
const operatedMail = z
  .object({
    mail_id: z.string().meta({ description: "きっかけのID", examples: ["receipt:01m7zvhtjmkdshhcvbmqvkbzqe"] }),
    kind: z.string().meta({ description: "種類", examples: ["payment_receipt"] }),
    recipient: z.string().meta({ description: "宛先。30日後に空になる", examples: ["hana@example.jp"] }),
    state: z.enum(MAIL_STATES).meta({ description: "状態" }),
    attempts: z.int().meta({ description: "送信を試した回数", examples: [1] }),
    next_attempt_at: z.iso.datetime().meta({ description: "つぎに試す日時", examples: ["2026-11-22T15:30:00.000Z"] }),
    answer: z
      .string()
      .nullable()
      .meta({ description: "サーバーの最後の応答", examples: ["250 2.0.0 OK"] }),
    created_at: z.iso.datetime().meta({ description: "作成日時", examples: ["2026-11-22T15:30:00.000Z"] }),
  })
  .meta({ id: "OperatedMail", description: "メール（運営から見たもの。本文は含まない）" });

/** A count of mails stops here. Larger numbers would say no more. */
export const MOST_MAILS_COUNTED = 10_000;

/** A page of the mails of a state or to an address, newest first. */
export const operatedMails = z.object({
  mails: z.array(operatedMail),
  next_page_token: z
    .string()
    .nullable()
    .meta({ description: "続きの印。続きがなければ null", examples: [null] }),
  count: z.int().meta({ description: `全部の件数。${MOST_MAILS_COUNTED}まで数える`, examples: [3] }),
  oldest_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: "いちばん古いものの作成日時。なければ null", examples: ["2026-11-22T15:30:00.000Z"] }),
});
export type OperatedMails = z.output<typeof operatedMails>;

export const MAIL_ID_PART = "[\\w:.-]{1,120}";
