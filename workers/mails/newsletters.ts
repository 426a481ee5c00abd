import { sql } from "kysely";
import { type Delivery, isSendable, type NewsletterMail } from "../contract/mails.ts";
import { isoTime } from "../kernel/clock.ts";
import { runBatch } from "../storage/commit.ts";
import { type ClaimedMail, hashAddress, type Mails } from "./commands.ts";
import { WORDS_MS } from "./rules.ts";
import { NEWSLETTER, newsletterWords } from "./words/newsletter.ts";
import { renderMail, type Sender } from "./words/render.ts";

/** Stands in the content for the link of each receiver. */
const stopMark = (content_id: string) => `{stop ${content_id}}`;

/**
 * Returns a content with a receiver's link in its footer. The footer ends each mail, so only the last mark is ours: a
 * creator who types a mark must not get the receivers' links. The link has only characters that need no escaping in HTML.
 */
function fillFooter(content: string, content_id: string, stop_link: string): string {
  const mark = stopMark(content_id);
  const at = content.lastIndexOf(mark);
  return at < 0 ? content : content.slice(0, at) + stop_link + content.slice(at + mark.length);
}

/**
 * Writes the mails of a newsletter for some of its receivers, and its content if it is not stored yet or was emptied by
 * {@link forgetContents}. A mail that is handed over again is not written again.
 */
export async function acceptNewsletter(
  { d1, db, now_ms }: Mails,
  { content_id, receivers, ...newsletter }: NewsletterMail,
  sender: Sender,
): Promise<void> {
  const now = isoTime(now_ms);
  const content = renderMail(newsletterWords({ ...newsletter, stop_link: stopMark(content_id) }), sender);
  const rows = await Promise.all(
    receivers.map(async (receiver) => ({
      ...receiver,
      recipient_hash: await hashAddress(receiver.recipient),
      is_sendable: isSendable(receiver.recipient) ? 1 : 0,
    })),
  );
  const json = JSON.stringify(rows);
  await runBatch(d1, [
    db
      .insertInto("newsletter_contents")
      .values({ content_id, ...content, created_at: now })
      .onConflict((conflict) =>
        conflict
          .column("content_id")
          .doUpdateSet(content)
          .where("newsletter_contents.html", "=", "")
          .where("newsletter_contents.canceled_at", "is", null),
      ),
    // Counts before it inserts: a mail that is handed over again is there already.
    sql`UPDATE newsletter_contents SET is_reported = 0, handed_count = handed_count + (
        SELECT COUNT(*) FROM json_each(${json})
        WHERE NOT EXISTS (SELECT 1 FROM mails WHERE mail_id = value ->> 'mail_id'))
      WHERE content_id = ${content_id}`.compile(db),
    sql`INSERT INTO mails (mail_id, kind, recipient, recipient_hash, subject, text, html, state, next_attempt_at,
        answer, created_at, ended_at, content_id, stop_link)
      SELECT value ->> 'mail_id', ${NEWSLETTER}, value ->> 'recipient', value ->> 'recipient_hash', '', '', '',
        iif(value ->> 'is_sendable', 'queued', 'failed'), ${now},
        iif(value ->> 'is_sendable', NULL, 'no address that a mail can be sent to'), ${now},
        iif(value ->> 'is_sendable', NULL, ${now}), ${content_id}, value ->> 'stop_link'
      FROM json_each(${json}) WHERE TRUE ON CONFLICT DO NOTHING`.compile(db),
  ]);
}

/**
 * Cancels newsletters: what was handed over of them and what comes later is not sent. Mails that a run has claimed still leave.
 * Repeating it changes nothing.
 */
export async function cancelNewsletters({ db, now_ms }: Mails, content_ids: readonly string[]): Promise<void> {
  const now = isoTime(now_ms);
  // The first hand-over may be on its way, so a content that is not there gets its row.
  await sql`INSERT INTO newsletter_contents (content_id, subject, text, html, created_at, canceled_at)
    SELECT value, '', '', '', ${now}, ${now} FROM json_each(${JSON.stringify(content_ids)}) WHERE TRUE
    ON CONFLICT (content_id) DO UPDATE SET canceled_at = coalesce(canceled_at, excluded.canceled_at)`.execute(db);
}

/** Returns a newsletter's mail as its first receiver gets it. */
export function previewNewsletter({ content_id: _, receivers, ...newsletter }: NewsletterMail, sender: Sender) {
  return renderMail(newsletterWords({ ...newsletter, stop_link: receivers[0]?.stop_link ?? "" }), sender);
}

/** A mail whose words may be in a content. */
type Worded = Pick<ClaimedMail, "subject" | "text" | "html" | "content_id" | "stop_link">;

/** Returns mails with their words: those of newsletters are in their contents. */
export async function readWords<M extends Worded>({ db }: Pick<Mails, "db">, mails: readonly M[]): Promise<M[]> {
  const ids = [...new Set(mails.flatMap(({ content_id }) => content_id ?? []))];
  if (ids.length === 0) return [...mails];
  const contents = await db
    .selectFrom("newsletter_contents")
    .select(["content_id", "subject", "text", "html"])
    .where("content_id", "in", ids)
    .execute();
  const byId = new Map(contents.map(({ content_id, ...words }) => [content_id, words]));
  return mails.map((mail) => {
    const { content_id, stop_link } = mail;
    const words = content_id === null ? undefined : byId.get(content_id);
    if (!words || content_id === null) return mail;
    const fill = (content: string) => fillFooter(content, content_id, stop_link ?? "");
    return { ...mail, subject: words.subject, text: fill(words.text), html: fill(words.html) };
  });
}

/** The newsletters of one answer. */
const DELIVERIES_AT_ONCE = 50;

/** Lists the counts of newsletters that the API does not have yet. */
export function listDeliveries({ db }: Pick<Mails, "db">): Promise<Delivery[]> {
  return db
    .selectFrom("newsletter_contents")
    .select(["content_id", "handed_count", "sent_count", "bounced_count"])
    .where("is_reported", "=", sql.lit(0))
    .orderBy("content_id")
    .limit(DELIVERIES_AT_ONCE)
    .execute();
}

/** Says that the API has these counts. Counts that have changed meanwhile are listed again. */
export async function forgetDeliveries({ db }: Pick<Mails, "db">, deliveries: readonly Delivery[]): Promise<void> {
  await sql`UPDATE newsletter_contents SET is_reported = 1
    FROM json_each(${JSON.stringify(deliveries)}) AS said
    WHERE content_id = said.value ->> 'content_id' AND handed_count = said.value ->> 'handed_count'
      AND sent_count = said.value ->> 'sent_count' AND bounced_count = said.value ->> 'bounced_count'`.execute(db);
}

/** Empties the contents of old newsletters, unless a mail of one still waits. */
export async function forgetContents({ db, now_ms }: Pick<Mails, "db" | "now_ms">): Promise<void> {
  await sql`UPDATE newsletter_contents SET subject = '', text = '', html = ''
    WHERE html <> '' AND created_at <= ${isoTime(now_ms - WORDS_MS)}
      AND NOT EXISTS (SELECT 1 FROM mails WHERE mails.content_id = newsletter_contents.content_id
        AND state IN ('queued', 'sending'))`.execute(db);
}
