import { type Expression, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import type { Identity } from "../storage/database.ts";
import { type MailGaps, type MailKind, renderMail } from "./texts.ts";

/** A mail to send: its kind decides its words and its channel, `gaps` are what the words leave open. */
export interface Mail<K extends MailKind> {
  kind: K;
  /** The address; the number of a message to a telephone. */
  recipient: string;
  /** The account that the mail is deleted with; null where the recipient may have none. */
  local_id: string | null;
  gaps: MailGaps[K];
}

interface Sending {
  /** Sends the mail only where this holds when the statement runs. */
  only_if?: Expression<unknown>;
  mail_id?: string;
}

/**
 * The statement that sends a mail. Every mail of identity goes out here, in the batch of the change that it tells of: the row
 * is the mail, and whatever delivers it reads the table.
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
