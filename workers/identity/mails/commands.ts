import { type Expression, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import type { Identity } from "../storage/database.ts";
import { type MailGaps, type MailKind, renderMail } from "./texts.ts";

/** A mail to send. Its kind decides its text and channel; `gaps` fill the placeholders of the text. */
export interface Mail<K extends MailKind> {
  kind: K;
  /** The recipient's e-mail address, or a telephone number in E.164. */
  recipient: string;
  /** The account with which the mail is deleted. Null when the recipient may have no account. */
  local_id: string | null;
  gaps: MailGaps[K];
}

interface Sending {
  /** If given, the mail is sent only if this condition holds when the statement runs. */
  only_if?: Expression<unknown>;
  mail_id?: string;
}

/**
 * Returns the statement that sends a mail. Every mail of the identity worker goes out here, in the batch of the change
 * it reports: the row is the mail, and the delivery reads the table.
 */
export function writeMail<K extends MailKind>(
  { db, now, now_ms }: Identity,
  { kind, recipient, local_id, gaps }: Mail<K>,
  { only_if = sql`TRUE`, mail_id = newId(now_ms) }: Sending = {},
) {
  const { subject, text } = renderMail(kind, gaps);
  const channel = kind === "phone_code" ? "sms" : "mail";
  return db
    .insertInto("mails")
    .columns(["mail_id", "channel", "local_id", "recipient", "subject", "text", "created_at"])
    .expression((eb) =>
      db
        .selectNoFrom([
          eb.val(mail_id).as("mail_id"),
          eb.val<"mail" | "sms">(channel).as("channel"),
          eb.val(local_id).as("local_id"),
          eb.val(recipient).as("recipient"),
          eb.val(subject).as("subject"),
          eb.val(text).as("text"),
          eb.val(now).as("created_at"),
        ])
        .where(only_if as Expression<boolean>),
    );
}
