import { type Expression, sql } from "kysely";
import { type HandedMail, MAIL_KINDS, MAILS_ORIGIN, MAILS_PATH } from "../../contract/mails.ts";
import { newId } from "../../kernel/ids.ts";
import { log } from "../../kernel/log.ts";
import type { Identity } from "../storage/database.ts";
import { codeText, type SentGaps, type SentKind } from "./texts.ts";

/** A mail to send. Its kind decides its words and its channel; `gaps` fill the gaps of the words. */
export interface Mail<K extends SentKind> {
  kind: K;
  /** The recipient's e-mail address, or a telephone number in E.164. */
  recipient: string;
  /** The account with which the mail is deleted. Null when the recipient may have no account. */
  local_id: string | null;
  gaps: SentGaps[K];
}

interface Sending {
  /** If given, the mail is sent only if this condition holds when the statement runs. */
  only_if?: Expression<unknown>;
  mail_id?: string;
}

/**
 * Returns the statement that sends a mail. Every mail of the identity worker begins here, in the batch of the change it
 * reports, and has the language of its request. {@link handOverMails} hands the row over to the mails worker.
 */
export function writeMail<K extends SentKind>(
  { db, client: { language }, now, now_ms }: Identity,
  { kind, recipient, local_id, gaps }: Mail<K>,
  { only_if = sql`TRUE`, mail_id = newId(now_ms) }: Sending = {},
) {
  const is_message = kind === "phone_code";
  return db
    .insertInto("mails")
    .columns([
      "mail_id",
      "channel",
      "local_id",
      "recipient",
      "subject",
      "text",
      "created_at",
      "kind",
      "gaps",
      "language",
    ])
    .expression((eb) =>
      db
        .selectNoFrom([
          eb.val(mail_id).as("mail_id"),
          eb.val<"mail" | "sms">(is_message ? "sms" : "mail").as("channel"),
          eb.val(local_id).as("local_id"),
          eb.val(recipient).as("recipient"),
          eb.val(is_message ? "確認コード" : "").as("subject"),
          eb.val(is_message ? codeText(gaps as SentGaps["phone_code"], language) : "").as("text"),
          eb.val(now).as("created_at"),
          eb.val<string | null>(kind).as("kind"),
          eb.val<string | null>(JSON.stringify(gaps)).as("gaps"),
          eb.val(language).as("language"),
        ])
        .where(only_if as Expression<boolean>),
    );
}

/** The mails of one hand-over. */
const HANDED_AT_ONCE = 50;

/**
 * How long a mail is tried that the mails worker refuses. A deployment replaces one worker after the other, and the older
 * one refuses what it does not know yet.
 */
export const REFUSED_FOR_MS = 60 * 60 * 1000;

interface WaitingMail {
  mail_id: string;
  created_at: string;
  kind: string | null;
  recipient: string;
  language: string;
  gaps: string | null;
}

/**
 * Hands the waiting mails over to the mails worker. Runs after an answer and every minute. The mails worker takes an id
 * once, so a mail that is handed over twice is sent once. A mail that the mails worker refuses is tried for an hour, and
 * does not hold the others back.
 *
 * @throws when the mails worker does not answer. The mails wait for the next run.
 */
export async function handOverMails(identity: Identity): Promise<void> {
  for (let after = { created_at: "", mail_id: "" }; ; ) {
    const waiting = await listWaiting(identity, after);
    const last = waiting.at(-1);
    if (!last || (await handOver(identity, waiting))) return;
    for (const mail of waiting) if (!(await handOver(identity, [mail]))) await noteRefusal(identity, mail);
    if (waiting.length < HANDED_AT_ONCE) return;
    after = last;
  }
}

/** Lists the mails to hand over, oldest first, from the one after `after`. */
function listWaiting({ db }: Identity, after: Pick<WaitingMail, "created_at" | "mail_id">): Promise<WaitingMail[]> {
  return (
    db
      .selectFrom("mails")
      .select(["mail_id", "created_at", "kind", "recipient", "language", "gaps"])
      .where(sql<boolean>`(created_at, mail_id) > (${after.created_at}, ${after.mail_id})`)
      .where("handed_at", "is", null)
      .where("kind", "is not", null)
      // After a rollback other kinds wait for the version that wrote them.
      .where("kind", "in", MAIL_KINDS)
      .where("channel", "=", sql.lit("mail"))
      .orderBy("created_at")
      // `+` lets SQLite take the index of the waiting mails. The index by time has the mails of a week.
      .orderBy(sql`+mail_id`)
      .limit(HANDED_AT_ONCE)
      .execute()
  );
}

/** Logs that the mails worker refused a mail, and gives it up when it has refused it for an hour. */
async function noteRefusal(identity: Identity, mail: WaitingMail): Promise<void> {
  const { mail_id, kind, created_at } = mail;
  const is_over = identity.now_ms - Date.parse(created_at) >= REFUSED_FOR_MS;
  const message = is_over ? "a mail that the mails worker refuses was given up" : "the mails worker refused a mail";
  log(is_over ? "error" : "warn", { message, mail_id, kind });
  if (is_over) await markHanded(identity, [mail]);
}

/** Hands mails over in one request. Returns false when the mails worker refuses them. Throws when it does not answer. */
async function handOver(identity: Identity, waiting: readonly WaitingMail[]): Promise<boolean> {
  const mails = waiting.map(
    ({ mail_id, kind, recipient, language, gaps }) =>
      ({ mail_id: `identity:${mail_id}`, kind, recipient, language, gaps: JSON.parse(gaps ?? "{}") }) as HandedMail,
  );
  const answer = await identity.env.MAILS.fetch(`${MAILS_ORIGIN}${MAILS_PATH}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ mails }),
  });
  if (answer.status === 400) return false;
  if (!answer.ok) throw new Error(`the mails worker answered ${answer.status}`);
  await markHanded(identity, waiting);
  return true;
}

async function markHanded({ db, now }: Identity, waiting: readonly WaitingMail[]): Promise<void> {
  await db
    .updateTable("mails")
    .set({ handed_at: now })
    .where(
      "mail_id",
      "in",
      waiting.map(({ mail_id }) => mail_id),
    )
    .execute();
}
