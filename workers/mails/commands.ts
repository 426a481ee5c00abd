import { type CompiledQuery, sql } from "kysely";
import { type HandedMail, isSendable, suppressionKey } from "../contract/mails.ts";
import { isoTime } from "../kernel/clock.ts";
import { sha256Hex } from "../kernel/digest.ts";
import { runBatch } from "../storage/commit.ts";
import { expiryOf, LONGEST_RETRY_WAIT_MS, retryWaitMs, WORDS_MS } from "./rules.ts";
import type { MailDatabase, SuppressionReason } from "./storage/database.ts";
import type { Outcome, Sending } from "./transports/transport.ts";
import { isRequested, wordsOf } from "./words/kinds.ts";
import { renderMail, type Sender } from "./words/render.ts";

/** What every write of mails needs. */
export interface Mails {
  d1: D1Database;
  db: MailDatabase;
  now_ms: number;
}

export const hashAddress = (address: string): Promise<string> => sha256Hex(suppressionKey(address));

/** Writes the mails that are handed over. One that is handed over again is not written again. */
export async function acceptMails(
  { d1, db, now_ms }: Mails,
  handed: readonly HandedMail[],
  sender: Sender,
): Promise<void> {
  const now = isoTime(now_ms);
  const rows = await Promise.all(
    handed.map(async (mail) => {
      const is_sendable = isSendable(mail.recipient);
      const { language = "ja" } = mail;
      const words = wordsOf(mail, language);
      const expiry_ms = expiryOf(mail, now_ms);
      return {
        mail_id: mail.mail_id,
        kind: mail.kind,
        recipient: mail.recipient,
        recipient_hash: await hashAddress(mail.recipient),
        ...renderMail(words, sender, language),
        stop_link: words.stop?.link ?? null,
        expires_at: expiry_ms === null ? null : isoTime(expiry_ms),
        state: is_sendable ? ("queued" as const) : ("failed" as const),
        attempts: 0,
        next_attempt_at: now,
        answer: is_sendable ? null : "no address that a mail can be sent to",
        created_at: now,
        ended_at: is_sendable ? null : now,
      };
    }),
  );
  await runBatch(
    d1,
    rows.map((row) =>
      db
        .insertInto("mails")
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    ),
  );
}

/** A mail that this run has claimed. */
export interface ClaimedMail extends Sending {
  kind: string;
  recipient: string;
  recipient_hash: string;
  subject: string;
  text: string;
  html: string;
  attempts: number;
  /** The content that has the words of a newsletter; null for other mails. */
  content_id: string | null;
  /** The page that stops such mails; null for mails that cannot be stopped. */
  stop_link: string | null;
  /** Why it must not be sent: its newsletter is canceled, or its time is over; null otherwise. */
  cancellation: string | null;
}

/** What operators read of a mail of a canceled newsletter, and of a mail whose time is over. */
const CANCELED = "取り消し（送り主のアカウントの停止または退会）";
const EXPIRED = "取り消し（届けるには遅すぎるため）";

/** SQL: the mails that are due. It repeats the condition of the index `mails_in_turn`. */
const dueAt = (now_ms: number) => sql`state = 'queued' AND next_attempt_at <= ${isoTime(now_ms)}`;

/** Returns the statement for mails that were put off while the clock was ahead: they are due now. */
export function mendWaits({ db, now_ms }: Mails): CompiledQuery[] {
  return [
    db
      .updateTable("mails")
      .set({ next_attempt_at: isoTime(now_ms) })
      .where("state", "=", "queued")
      .where("next_attempt_at", ">", isoTime(now_ms + LONGEST_RETRY_WAIT_MS))
      .compile(),
  ];
}

/** SQL: whether this run has the right to deliver. */
const isDelivering = (run_id: string) => sql<boolean>`EXISTS (SELECT 1 FROM delivery WHERE run_id = ${run_id})`;

/** SQL: the turn of a mail: those that nobody can stop, notifications, newsletters. The index `mails_in_turn` repeats it. */
const TURN = sql<number>`(stop_link IS NOT NULL) + (content_id IS NOT NULL)`;

/** Claims the mails whose turn it is, of these the ones that have been due longest. Claims none when another run delivers. */
export async function claimMails({ db, now_ms }: Mails, run_id: string, limit: number): Promise<ClaimedMail[]> {
  // Named, because SQLite would read every due mail and sort.
  const due = sql<string>`(SELECT mail_id FROM mails INDEXED BY mails_in_turn WHERE ${dueAt(now_ms)}
    ORDER BY ${TURN}, next_attempt_at, mail_id LIMIT ${limit})`;
  const claimed = await db
    .updateTable("mails")
    .set({ state: "sending" })
    .where("mail_id", "in", due)
    .where(isDelivering(run_id))
    .returning(["mail_id", "kind", "recipient", "recipient_hash", "subject", "text", "html", "attempts"])
    .returning(["content_id", "stop_link", "next_attempt_at", "retries"])
    .returning([
      TURN.as("turn"),
      sql<string | null>`CASE WHEN EXISTS (SELECT 1 FROM newsletter_contents AS content
          WHERE content.content_id = mails.content_id AND content.canceled_at IS NOT NULL) THEN ${CANCELED}
        WHEN expires_at <= ${isoTime(now_ms)} THEN ${EXPIRED} END`.as("cancellation"),
    ])
    .execute();
  // RETURNING has no order.
  const placeOf = ({ turn, next_attempt_at, mail_id }: (typeof claimed)[number]) =>
    `${turn} ${next_attempt_at} ${mail_id}`;
  return claimed.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/**
 * SQL that queues the mails again that are claimed and not attempted, at their old places. Does nothing unless this run
 * delivers.
 */
const releaseClaims = (db: MailDatabase, run_id: string) =>
  db.updateTable("mails").set({ state: "queued" }).where("state", "=", "sending").where(isDelivering(run_id)).compile();

/** Returns why these mails must not be sent, by the hash of the address. */
export async function findSuppressions(
  { db }: Mails,
  claimed: readonly ClaimedMail[],
): Promise<Map<string, SuppressionReason[]>> {
  const rows = await db
    .selectFrom("suppressions")
    .select(["recipient_hash", "reason"])
    .where(
      "recipient_hash",
      "in",
      claimed.map(({ recipient_hash }) => recipient_hash),
    )
    .execute();
  const byHash = Map.groupBy(rows, ({ recipient_hash }) => recipient_hash);
  return new Map([...byHash].map(([hash, found]) => [hash, found.map(({ reason }) => reason)]));
}

/** Records that a mail was not sent because its address gets none, or because of its cancellation. */
export async function recordSuppressed({ db, now_ms }: Mails, { mail_id, cancellation }: ClaimedMail): Promise<void> {
  await db
    .updateTable("mails")
    .set({
      state: "suppressed",
      text: "",
      html: "",
      ended_at: isoTime(now_ms),
      ...(cancellation !== null && { answer: cancellation }),
    })
    .where("mail_id", "=", mail_id)
    .where("state", "=", "sending")
    .execute();
}

/**
 * Records what became of an attempt. A sent mail loses its words, which may hold links that sign in.
 *
 * @param keeps_words true in a demo, whose outbox shows sent mails.
 */
export async function recordOutcome(
  { d1, db, now_ms }: Mails,
  { mail_id, kind, recipient, recipient_hash, attempts, content_id }: ClaimedMail,
  outcome: Outcome,
  keeps_words: boolean,
): Promise<void> {
  const now = isoTime(now_ms);
  const made = attempts + 1;
  const { answer } = outcome;
  const mail = db.updateTable("mails").where("mail_id", "=", mail_id);
  // Another run may have taken the mail over meanwhile. A sent one is sent; any other outcome is that run's to record.
  const still_ours = mail.where("state", "=", "sending");
  if (outcome.kind === "sent") {
    const words = keeps_words ? {} : { text: "", html: "" };
    await runBatch(d1, [
      ...(content_id === null ? [] : [countOutcome(db, mail_id, "sent", ["queued", "sending"])]),
      mail
        .set({ state: "sent", attempts: made, answer, ended_at: now, ...words })
        .where("state", "in", ["queued", "sending"]),
      // The mailbox exists again: a person asked for this mail there, and the server took it. The provider may have reported
      // its bounce already.
      ...(isRequested(kind)
        ? [
            db
              .deleteFrom("suppressions")
              .where("recipient_hash", "=", recipient_hash)
              .where("reason", "=", "bounce")
              .where(sql<boolean>`EXISTS (SELECT 1 FROM mails WHERE mail_id = ${mail_id} AND state = 'sent')`),
          ]
        : []),
    ]);
    return;
  }
  const wait_ms = outcome.kind === "deferred" ? retryWaitMs(made) : null;
  if (wait_ms !== null) {
    const next_attempt_at = isoTime(now_ms + wait_ms);
    await still_ours.set({ state: "queued", attempts: made, answer, next_attempt_at }).execute();
    return;
  }
  const is_bounce = outcome.kind === "refused" && outcome.is_bounce;
  await runBatch(d1, [
    ...(is_bounce && content_id !== null ? [countOutcome(db, mail_id, "bounced", ["sending"])] : []),
    still_ours.set({ state: "failed", attempts: made, answer, ended_at: now }),
    ...(is_bounce ? [suppressStatement(db, recipient_hash, "bounce", now, recipient)] : []),
  ]);
}

/** SQL that counts an outcome for the newsletter of a mail that has one of these states. Runs before the mail changes. */
function countOutcome(db: MailDatabase, mail_id: string, column: "sent" | "bounced", states: readonly string[]) {
  const counted = sql.ref(`${column}_count`);
  return sql`UPDATE newsletter_contents SET ${counted} = ${counted} + 1, is_reported = 0
    WHERE content_id = (SELECT content_id FROM mails WHERE mail_id = ${mail_id} AND state IN (${sql.join(states)}))`.compile(
    db,
  );
}

/** A report of the provider that a mail which it took did not arrive. */
interface FailureReport {
  /** The sending that the report names; null when it names none, as for a mail that another program sent. */
  sending: Sending | null;
  /** Why, for operators. */
  answer: string;
  /** Addresses that do not exist. */
  bounced: readonly string[];
}

/**
 * Records that a mail which the provider took did not arrive, also when its sending is not recorded yet: the mail fails, and
 * no run sends it. Suppresses the bounced addresses. Returns the mail's kind; null when nothing is new, as for a repeated
 * report, or one of a sending before an operator queued the mail again.
 */
export async function recordFailure(
  { d1, db, now_ms }: Mails,
  { sending, answer, bounced }: FailureReport,
): Promise<string | null> {
  const now = isoTime(now_ms);
  const { mail_id, retries } = sending ?? { mail_id: "", retries: 0 };
  // A forgotten mail keeps no answer, because answers name the address.
  const news = sql<boolean>`mail_id = ${mail_id} AND retries = ${retries} AND state IN ('queued', 'sending', 'sent')
    AND recipient_hash <> ${FORGOTTEN_HASH}`;
  // The address may have been released since the first report.
  const not_repeated = sql<boolean>`NOT EXISTS (SELECT 1 FROM mails WHERE mail_id = ${mail_id}
    AND (retries > ${retries} OR (retries = ${retries} AND state = 'failed' AND answer = ${answer})))`;
  const addresses = await Promise.all(
    bounced.map(async (address) => ({ address, recipient_hash: await hashAddress(address) })),
  );
  // The first two statements read the mail before it changes.
  const [, , [failed]] = await runBatch(d1, [
    sql`INSERT INTO suppressions (recipient_hash, reason, since, unreported_address)
      SELECT value ->> 'recipient_hash', 'bounce', ${now}, value ->> 'address'
      FROM json_each(${JSON.stringify(addresses)}) WHERE ${not_repeated}
      ON CONFLICT (recipient_hash, reason) DO UPDATE SET unreported_address = excluded.unreported_address`.compile(db),
    sql`UPDATE newsletter_contents SET sent_count = sent_count - (mail.state = 'sent'),
        bounced_count = bounced_count + ${addresses.length > 0 ? 1 : 0}, is_reported = 0
      FROM (SELECT content_id, state FROM mails WHERE ${news}) AS mail
      WHERE newsletter_contents.content_id = mail.content_id`.compile(db),
    db
      .updateTable("mails")
      .set({ state: "failed", answer, ended_at: now, attempts: sql<number>`max(attempts, 1)`, text: "", html: "" })
      .where(news)
      .returning("kind"),
  ]);
  return failed?.kind ?? null;
}

function suppressStatement(
  db: MailDatabase,
  recipient_hash: string,
  reason: SuppressionReason,
  since: string,
  unreported_address: string | null,
) {
  return db
    .insertInto("suppressions")
    .values({ recipient_hash, reason, since, unreported_address })
    .onConflict((conflict) => conflict.doUpdateSet({ unreported_address }));
}

/** Suppresses addresses for a reason. A bounce is reported to the API (`unreported_address`). */
export async function suppressAddresses(
  { d1, db, now_ms }: Mails,
  addresses: readonly string[],
  reason: SuppressionReason,
): Promise<void> {
  const since = isoTime(now_ms);
  const hashes = await Promise.all(addresses.map(hashAddress));
  await runBatch(
    d1,
    addresses.map((address, n) =>
      suppressStatement(db, hashes[n] ?? "", reason, since, reason === "bounce" ? address : null),
    ),
  );
}

/** Ends every suppression of an address. */
export async function releaseAddress({ db }: Mails, address: string): Promise<void> {
  await db
    .deleteFrom("suppressions")
    .where("recipient_hash", "=", await hashAddress(address))
    .execute();
}

/** Queues a failed mail again. Returns false when there is none with this id, or when its words are gone. */
export async function retryMail({ db, now_ms }: Mails, mail_id: string): Promise<boolean> {
  const [queued] = await db
    .updateTable("mails")
    .set({ state: "queued", attempts: 0, next_attempt_at: isoTime(now_ms), ended_at: null })
    // Reports of the failed sending no longer concern this mail.
    .set({ retries: sql<number>`retries + 1` })
    .where("mail_id", "=", mail_id)
    .where("state", "=", "failed")
    .where(
      sql<boolean>`(text <> '' OR EXISTS (SELECT 1 FROM newsletter_contents c
        WHERE c.content_id = mails.content_id AND c.html <> ''))`,
    )
    .returning("mail_id")
    .execute();
  return queued !== undefined;
}

/** Says that the API has marked the accounts of these addresses. Their suppression stays. */
export async function forgetBounces({ db }: Mails, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  await db
    .updateTable("suppressions")
    .set({ unreported_address: null })
    .where("unreported_address", "in", addresses)
    .execute();
}

/** More than any two machines' clocks differ. */
const MUCH_MS = 60_000;

/**
 * Takes the right to deliver until `until`, unless another run has it, and the mails that a dead run had claimed. Returns when the
 * next mail may leave; null when another run delivers.
 */
export async function takeDelivery({ d1, db, now_ms }: Mails, run_id: string, until: number): Promise<number | null> {
  const [[taken]] = await runBatch(d1, [
    db
      .updateTable("delivery")
      .set({ run_id, leased_until: isoTime(until) })
      // A lease that ends much later than one of now was written while the clock was ahead.
      .where((row) =>
        row.or([
          row("run_id", "is", null),
          row("leased_until", "<=", isoTime(now_ms)),
          row("leased_until", ">", isoTime(until + MUCH_MS)),
        ]),
      )
      .returning("next_mail_at"),
    releaseClaims(db, run_id),
  ]);
  if (!taken) return null;
  return taken.next_mail_at === "" ? 0 : Date.parse(taken.next_mail_at);
}

/** Keeps the right to deliver until `until`. Returns false when this run has lost it or given it back. */
export async function renewDelivery({ db }: Mails, run_id: string, until: number): Promise<boolean> {
  const [renewed] = await db
    .updateTable("delivery")
    .set({ leased_until: isoTime(until) })
    .where("run_id", "=", run_id)
    .returning("run_id")
    .execute();
  return renewed !== undefined;
}

/**
 * Gives the right to deliver back if no mail is due. Returns false when a mail is due: the request
 * that handed it over relies on this run. @param next_ms when the next run may send its first mail.
 */
export async function endDelivery({ db, now_ms }: Mails, run_id: string, next_ms: number): Promise<boolean> {
  const [ended] = await db
    .updateTable("delivery")
    .set({ run_id: null, leased_until: "", next_mail_at: isoTime(next_ms) })
    .where("run_id", "=", run_id)
    .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM mails WHERE ${dueAt(now_ms)})`)
    .returning("delivery_id")
    .execute();
  return ended !== undefined;
}

/** Gives the right to deliver back although mails wait, and those that this run has claimed. The next run of the clock continues. */
export async function leaveDelivery({ d1, db }: Mails, run_id: string, next_ms: number): Promise<void> {
  await runBatch(d1, [
    releaseClaims(db, run_id),
    db
      .updateTable("delivery")
      .set({ run_id: null, leased_until: "", next_mail_at: isoTime(next_ms) })
      .where("run_id", "=", run_id),
  ]);
}

/** The hash of mails whose address is forgotten. The index `mails_to_forget` repeats it. */
const FORGOTTEN_HASH = "0".repeat(64);
/** D1 ends a statement after 30 seconds. */
const FORGOTTEN_AT_ONCE = 5000;

/**
 * Empties the recipient and the words of old mails, the server's answer, which often names the recipient, and the hash, which
 * anybody can make of an address. The ids stay, so that no occasion is mailed twice.
 */
export async function forgetWords({ db, now_ms }: Mails): Promise<void> {
  const old = sql<string>`(SELECT mail_id FROM mails INDEXED BY mails_to_forget
    WHERE recipient_hash <> ${sql.lit(FORGOTTEN_HASH)} AND created_at <= ${isoTime(now_ms - WORDS_MS)}
      AND state NOT IN ('queued', 'sending') LIMIT ${FORGOTTEN_AT_ONCE})`;
  await db
    .updateTable("mails")
    .set({
      recipient: "",
      recipient_hash: FORGOTTEN_HASH,
      subject: "",
      text: "",
      html: "",
      stop_link: null,
      answer: null,
    })
    .where("mail_id", "in", old)
    .execute();
}
