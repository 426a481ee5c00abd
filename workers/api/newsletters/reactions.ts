import type { Broadcast } from "../domain.ts";
import type { Database } from "../storage/database.ts";
import { continuationStatement, type OutboxEvent, type OutboxEvents, type ReactionContext } from "../storage/outbox.ts";
import { findMailReceiver } from "../users/queries.ts";
import { findNewsletterReaders, findNewsletterToSend, findReceivers, toMail } from "./queries.ts";
import { noticeOf, stopToken } from "./rules.ts";

/** Notifies the people who may read a newsletter. Returns null when its writer is gone. */
export async function broadcastNewsletter(
  { newsletter_id }: OutboxEvents["newsletter_published"],
  database: Database,
  now_ms: number,
): Promise<Broadcast | null> {
  const newsletter = await findNewsletterToSend(database, newsletter_id);
  if (!newsletter) return null;
  return {
    ...noticeOf(newsletter_id),
    type: "news_letter_received",
    actor_user_id: newsletter.user_id,
    findReaders: (after, limit) => findNewsletterReaders(database, newsletter, { after, limit, now_ms }),
  };
}

/** How many readers one outbox row mails. The next row mails the readers after them. */
const RECEIVERS_AT_ONCE = 500;

/**
 * Hands the mails of the next readers of a newsletter over, and enqueues the row that continues after them. A mail's id
 * is made of the newsletter and the receiver, so a repeated row sends nothing twice.
 */
export async function mailNewsletter(
  { payload }: OutboxEvent<"newsletter_mailed">,
  { database, gateway, mails, media_key, now_ms }: ReactionContext,
) {
  const { newsletter_id, fan_out_id, after } = payload;
  const newsletter = await findNewsletterToSend(database, newsletter_id);
  if (!newsletter) return [];
  const readers = await findNewsletterReaders(database, newsletter, { after, limit: RECEIVERS_AT_ONCE, now_ms });
  const last = readers.at(-1);
  if (!last) return [];
  const found = await findReceivers(
    database,
    newsletter.user_id,
    readers.map(({ user_id }) => user_id),
  );
  const receivers = await Promise.all(
    found.map(async ({ user_id, email }) => ({
      mail_id: `newsletter:${newsletter_id}:${user_id}`,
      recipient: email,
      stop_link: gateway.addressOf(`/unsubscribe/${await stopToken({ newsletter_id, user_id }, media_key)}`),
    })),
  );
  const content = toMail(newsletter, gateway.addressOf);
  if (receivers.length > 0) await mails.handOverNewsletter({ content_id: newsletter_id, ...content, receivers });
  if (readers.length < RECEIVERS_AT_ONCE) return [];
  const next: OutboxEvent = { kind: "newsletter_mailed", payload: { ...payload, after: last } };
  return [continuationStatement(database, `${fan_out_id}-${last.user_id}`, next, now_ms)];
}

/** Cancels the mails of newsletters whose writer was disabled or has left. They are not resumed. */
export async function cancelMails(
  { payload: { newsletter_ids } }: OutboxEvent<"newsletters_canceled">,
  { mails }: ReactionContext,
) {
  await mails.cancelNewsletters(newsletter_ids);
  return [];
}

/** Mails a newsletter to its writer alone, as its receivers would get it. */
export async function mailTest(
  { payload: { newsletter_id, test_id } }: OutboxEvent<"newsletter_tested">,
  { database, gateway, mails, media_key }: ReactionContext,
) {
  const newsletter = await findNewsletterToSend(database, newsletter_id, { is_test: true });
  const member = newsletter && (await findMailReceiver({ database }, newsletter.user_id));
  if (!newsletter || !member) return [];
  const token = await stopToken({ newsletter_id, user_id: newsletter.user_id }, media_key);
  const receiver = {
    mail_id: `newsletter-test:${test_id}`,
    recipient: member.recipient,
    stop_link: gateway.addressOf(`/unsubscribe/${token}`),
  };
  const { title, ...content } = toMail(newsletter, gateway.addressOf);
  await mails.handOverNewsletter({
    content_id: test_id,
    title: `［テスト］${title}`,
    ...content,
    receivers: [receiver],
  });
  return [];
}
