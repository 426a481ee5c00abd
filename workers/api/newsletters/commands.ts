import { type RawBuilder, sql } from "kysely";
import { DRAFTS_OF_A_PERSON } from "../../contract/bounds.ts";
import { errorCatalogue } from "../../contract/errors.ts";
import type { Image } from "../../contract/fields.ts";
import { NEWSLETTERS_A_MONTH } from "../../contract/limits.ts";
import type { Newsletter, NewsletterBody, NewsletterStops } from "../../contract/newsletters.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { forgetAnswers } from "../storage/kept-answers.ts";
import type { Limit } from "../storage/limits.ts";
import type { OutboxEvent } from "../storage/outbox.ts";
import { isPaused, requireOpen } from "../storage/paused-features.ts";
import { findOwnPictures } from "../uploads/queries.ts";
import { requireCreator } from "../users/commands.ts";
import { loadUserSummaries, summaryOf } from "../users/queries.ts";
import { countOfMonth, findNewsletter, findNewsletterToSend, findStops, hasReaders, toNewsletter } from "./queries.ts";
import { KEPT_NEWSLETTERS, readStopToken, textOf } from "./rules.ts";

/** Limits how often one person saves newsletters. The form saves a draft two seconds after the last keystroke. */
export const NEWSLETTER_SAVE_LIMIT: Limit = { act: "newsletter", times: 600, window_ms: 10 * 60 * 1000 };
/** Limits test mails, which go to their writer alone. */
export const TEST_MAIL_LIMIT: Limit = { act: "test_mail", times: 20, window_ms: 60 * 60 * 1000 };

type Written = Omit<Parameters<typeof toNewsletter>[0], "created_at"> & { planned_at: string | null; pictures: string };

/**
 * Creates a newsletter of the caller's: a draft, a scheduled one, or one that is sent at once. Throws
 * `publish_at_passed`, `image_not_usable`; the preconditions of its batch throw `creator_required`,
 * `membership_not_found`, `newsletter_without_receivers`, `newsletter_limit_reached`, `draft_limit_reached`, `too_many_requests`.
 */
export async function createNewsletter(context: RequestContext, given: NewsletterBody): Promise<Newsletter> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const row = { ...toRow(context, newId(now_ms), given), created_at: isoTime(now_ms) };
  const change: Change = {
    preconditions: [
      ...requirePublishable(context, user_id, row),
      // The drafts that an import has made do not count: there may be years of them.
      {
        code: "draft_limit_reached",
        holds: sql`${row.status} <> 'draft' OR (SELECT COUNT(*) FROM newsletters
          WHERE user_id = ${user_id} AND status = 'draft' AND NOT EXISTS (SELECT 1 FROM imported_newsletters
            WHERE imported_newsletters.newsletter_id = newsletters.newsletter_id)) < ${DRAFTS_OF_A_PERSON}`,
      },
    ],
    announcements: row.status === "published" ? publicationEvents(row.newsletter_id, now_ms) : [],
    statements: [
      database
        .insertInto("newsletters")
        .values({ ...row, user_id })
        .compile(),
    ],
  };
  return commitNewsletter(context, change, row);
}

/**
 * Returns the change that adds a newsletter of an import as a draft, with the date that it had elsewhere. It is sent to
 * nobody. The batch throws `creator_required`, `membership_not_found`, `image_not_usable`.
 */
export function addImportedNewsletter(
  context: RequestContext,
  given: NewsletterBody,
  { newsletter_id, created_at }: { newsletter_id: string; created_at: string },
): Change {
  const user_id = memberId(context);
  const row = toRow(context, newsletter_id, { ...given, status: "draft" });
  const plan = row.membership_id;
  return {
    preconditions: [
      // The import has made the plan as a draft, which nobody can join yet.
      ...requirePublishable(context, user_id, { ...row, membership_id: null }),
      {
        code: "membership_not_found",
        holds: sql`${plan} IS NULL
          OR EXISTS (SELECT 1 FROM memberships WHERE membership_id = ${plan} AND user_id = ${user_id})`,
      },
    ],
    statements: [
      context.database
        .insertInto("newsletters")
        .values({ ...row, user_id, created_at })
        .compile(),
    ],
  };
}

/**
 * Replaces a draft or a scheduled newsletter of the caller's, and schedules, cancels or sends it. Throws what {@link
 * createNewsletter} throws, `not_found`, `newsletter_published`, and `newsletter_conflict` when another page changed the
 * newsletter after the caller read it.
 */
export async function updateNewsletter(
  context: RequestContext,
  newsletter_id: string,
  { seen_updated_at, ...given }: NewsletterBody & { seen_updated_at?: string },
): Promise<Newsletter> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const before = await findNewsletter(context, user_id, newsletter_id);
  if (!before) throw new Problem("not_found");
  const written = toRow(context, newsletter_id, given);
  const change: Change = {
    preconditions: [
      ...requireUnpublished(user_id, newsletter_id),
      ...(seen_updated_at === undefined
        ? []
        : [
            {
              code: "newsletter_conflict",
              holds: sql`EXISTS (SELECT 1 FROM newsletters
                WHERE newsletter_id = ${newsletter_id} AND updated_at = ${seen_updated_at})`,
            } as const,
          ]),
      ...requirePublishable(context, user_id, written),
    ],
    announcements: written.status === "published" ? publicationEvents(newsletter_id, now_ms) : [],
    statements: [database.updateTable("newsletters").set(written).where("newsletter_id", "=", newsletter_id).compile()],
  };
  return commitNewsletter(context, change, { ...written, created_at: before.created_at });
}

async function commitNewsletter(
  context: RequestContext,
  change: Change,
  row: Written & { created_at: string },
): Promise<Newsletter> {
  const user_id = memberId(context);
  const [users, images] = await Promise.all([loadUserSummaries(context, [user_id]), findImages(context, user_id, row)]);
  const publish_at = row.publish_at ?? row.planned_at;
  const shown = { user: summaryOf(users, user_id), is_locked: false, images };
  const answer = { news_letter: toNewsletter({ ...row, publish_at }, shown) };
  return (await commitLimited(context, NEWSLETTER_SAVE_LIMIT, user_id, change, answer)).news_letter;
}

/** Returns the pictures that a newsletter lists. Throws `image_not_usable`. */
async function findImages(context: RequestContext, user_id: string, row: Written): Promise<Image[]> {
  const listed = picturesOf(row);
  const ids = listed.map(({ image_id }) => image_id);
  const own = await findOwnPictures(context, user_id, ids);
  return listed.map(({ image_id, alt }) => {
    const image = own.get(image_id);
    if (image) return { ...image, alt };
    throw new Problem("image_not_usable", { fields: { images: [errorCatalogue.image_not_usable.detail] } });
  });
}

const picturesOf = ({ pictures }: Written): NewsletterBody["images"] => JSON.parse(pictures);

/** Deletes a draft or a scheduled newsletter of the caller's. Throws `not_found`, `newsletter_published`. */
export function deleteNewsletter(context: RequestContext, newsletter_id: string): Promise<null> {
  const user_id = memberId(context);
  const change: Change = {
    preconditions: requireUnpublished(user_id, newsletter_id),
    statements: [
      ...forgetAnswers(context.database, KEPT_NEWSLETTERS, {
        writers: oneOf([user_id]),
        ids: oneOf([newsletter_id]),
      }),
      context.database.deleteFrom("newsletters").where("newsletter_id", "=", newsletter_id).compile(),
    ],
  };
  return commitAnswer(context, change, null);
}

/** Returns the row of a newsletter. Throws `publish_at_passed`. */
function toRow({ now_ms }: RequestContext, newsletter_id: string, given: NewsletterBody): Written {
  const { title, document, images, fan_scope, membership_id, status, publish_at } = given;
  const planned_at = publish_at === null ? null : isoTime(Date.parse(publish_at));
  const is_draft = status === "draft";
  if (!is_draft && planned_at !== null && planned_at < isoTime(now_ms)) throw new Problem("publish_at_passed");
  return {
    newsletter_id,
    title,
    body: textOf(document),
    document: JSON.stringify(document),
    // Each picture once.
    pictures: JSON.stringify([...new Map(images.map((picture) => [picture.image_id, picture])).values()]),
    fan_scope,
    membership_id,
    status,
    publish_at: is_draft ? null : planned_at,
    planned_at: is_draft ? planned_at : null,
    published_at: status === "published" ? isoTime(now_ms) : null,
    updated_at: isoTime(now_ms),
  };
}

/** The preconditions of writing a newsletter, and, when it is to be sent, of sending it in its month. */
function requirePublishable({ database, now_ms }: RequestContext, user_id: string, written: Written): Precondition[] {
  const { newsletter_id, membership_id, status, publish_at } = written;
  const conditions: Precondition[] = [requireCreator(user_id)];
  if (membership_id !== null) {
    const holds = sql`EXISTS (SELECT 1 FROM memberships
      WHERE membership_id = ${membership_id} AND user_id = ${user_id}
        AND (active_state = 'active' OR EXISTS (SELECT 1 FROM newsletters
          WHERE newsletter_id = ${newsletter_id} AND newsletters.membership_id = ${membership_id})))`;
    conditions.push({ code: "membership_not_found", holds });
  }
  const images = picturesOf(written).map(({ image_id }) => image_id);
  if (images.length > 0) {
    const holds = sql`SELECT COUNT(*) = ${images.length} FROM images WHERE image_id IN ${oneOf(images)}
      AND owner_user_id = ${user_id} AND access = 'public' AND processing_status = 'completed'`;
    conditions.push({ code: "image_not_usable", holds });
  }
  // A scheduled newsletter waits until newsletters are open again, and may find its first readers until it is sent.
  if (status === "published") {
    const holds = hasReaders({ user_id, membership_id, now_ms });
    conditions.push(requireOpen("newsletters"), { code: "newsletter_without_receivers", holds });
  }
  if (status !== "draft") {
    const moment_ms = publish_at === null ? now_ms : Date.parse(publish_at);
    const others = countOfMonth(database, user_id, moment_ms).where("newsletter_id", "<>", newsletter_id);
    conditions.push({ code: "newsletter_limit_reached", holds: sql`SELECT ${others} < ${NEWSLETTERS_A_MONTH}` });
  }
  return conditions;
}

/** The preconditions that a newsletter is the caller's and not sent yet. */
function requireUnpublished(user_id: string, newsletter_id: string): Precondition[] {
  const ownHas = (what: RawBuilder<unknown>) => sql`EXISTS (SELECT 1 FROM newsletters
    WHERE newsletter_id = ${newsletter_id} AND user_id = ${user_id} AND ${what})`;
  return [
    { code: "not_found", holds: ownHas(sql`TRUE`) },
    { code: "newsletter_published", holds: ownHas(sql`status <> 'published'`) },
  ];
}

/** Announces a newsletter twice: an outage of mails must not delay its notifications. */
function publicationEvents(newsletter_id: string, now_ms: number): { event: OutboxEvent }[] {
  const payloadOf = () => ({ newsletter_id, fan_out_id: newId(now_ms), after: null });
  return [
    { event: { kind: "newsletter_published", payload: payloadOf() } },
    { event: { kind: "newsletter_mailed", payload: payloadOf() } },
  ];
}

/** How many due newsletters one batch publishes, and how many batches one run of the clock makes. */
const DUE_BATCH_SIZE = 50;
const DUE_BATCHES = 20;

/**
 * Publishes scheduled newsletters. Runs of the clock may overlap: the batch checks again that a newsletter still waits,
 * so each is published once. Newsletters of disabled accounts wait,
 * and all newsletters while they are paused.
 *
 * A newsletter is due only when the worker's clock and the database's clock both say so, because a mail sent early cannot
 * be taken back.
 */
export async function publishDue({
  database,
  d1,
  now_ms,
}: {
  database: Database;
  d1: D1Database;
  now_ms: number;
}): Promise<void> {
  const now = sql<string>`min(${isoTime(now_ms)}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`;
  for (let batch = 0; batch < DUE_BATCHES; batch++) {
    const due = await database
      .selectFrom("newsletters")
      .select("newsletter_id")
      .where("status", "=", sql.lit("scheduled"))
      .where("publish_at", "<=", now)
      .where(sql<boolean>`NOT ${isPaused("newsletters")}`)
      .where(isUserEnabled("newsletters.user_id"))
      .orderBy("publish_at")
      .orderBy("newsletter_id")
      .limit(DUE_BATCH_SIZE)
      .execute();
    if (due.length === 0) return;
    const ids = due.map(({ newsletter_id }) => newsletter_id);
    await commit(
      { database, d1, now_ms, idempotency: null },
      {
        announcements: ids.flatMap((newsletter_id) =>
          publicationEvents(newsletter_id, now_ms).map(({ event }) => ({
            event,
            only_if: sql`EXISTS (SELECT 1 FROM newsletters
              WHERE newsletter_id = ${newsletter_id} AND status = 'scheduled' AND publish_at <= ${now})`,
          })),
        ),
        statements: [
          database
            .updateTable("newsletters")
            .set({ status: "published", published_at: sql<string>`publish_at` })
            .where("newsletter_id", "in", oneOf(ids))
            .where("status", "=", sql.lit("scheduled"))
            .where("publish_at", "<=", now)
            .compile(),
        ],
      },
    );
    if (due.length < DUE_BATCH_SIZE) return;
  }
}

/**
 * Mails a newsletter of the caller's to the caller. Throws `not_found`, `newsletter_empty` without a title or a body, and
 * `too_many_requests`.
 */
export async function testNewsletter(context: RequestContext, newsletter_id: string): Promise<{ is_sent: true }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const found = await findNewsletterToSend(database, newsletter_id, { is_test: true });
  if (!found || found.user_id !== user_id) throw new Problem("not_found");
  if (found.title === "" || found.body.trim() === "") throw new Problem("newsletter_empty");
  const event: OutboxEvent = { kind: "newsletter_tested", payload: { newsletter_id, test_id: newId(now_ms) } };
  const change: Change = { announcements: [{ event }], statements: [] };
  return commitLimited(context, TEST_MAIL_LIMIT, user_id, change, { is_sent: true });
}

/** Returns what the receiver of a mail's link has stopped. Throws `not_found` for a link that we did not sign. */
export async function readStops(context: RequestContext, token: string): Promise<NewsletterStops> {
  const link = await readStopToken(token, context.media_key);
  const found = link && (await findStops(context.database, link));
  if (!found) throw new Problem("not_found");
  const { creator_user_id: _, ...stops } = found;
  return stops;
}

/**
 * Stops or resumes the newsletters that a mail's link names. Repeating it changes nothing. Those of a creator who has left
 * stay stopped. Throws `not_found` for a link that we did not sign.
 */
export async function updateStops(
  context: RequestContext,
  { token, is_stopped, is_all_stopped }: { token: string; is_stopped?: boolean; is_all_stopped?: boolean },
): Promise<NewsletterStops> {
  const link = await readStopToken(token, context.media_key);
  const found = link && (await findStops(context.database, link));
  if (!found) throw new Problem("not_found");
  const { creator_user_id, ...before } = found;
  const { newsletter_id, user_id } = link;
  const now = isoTime(context.now_ms);
  const stops = is_stopped === true || is_all_stopped === true;
  const statements = [
    ...(stops && creator_user_id !== null
      ? [
          // Counts a stop only while nothing is stopped, so a repeated one counts nothing. A stop after a resumption counts
          // again. The writer is no receiver: only their own test mail has a link of theirs.
          sql`UPDATE newsletters SET unsubscribed_count = unsubscribed_count + 1
            WHERE newsletter_id = ${newsletter_id} AND user_id <> ${user_id}
              AND NOT EXISTS (SELECT 1 FROM newsletter_stops
                WHERE user_id = ${user_id} AND creator_user_id = ${creator_user_id})
              AND NOT EXISTS (SELECT 1 FROM newsletter_refusals WHERE user_id = ${user_id})`,
        ]
      : []),
    ...(is_stopped === undefined || creator_user_id === null
      ? []
      : [
          is_stopped
            ? sql`INSERT INTO newsletter_stops (user_id, creator_user_id, stopped_at)
                VALUES (${user_id}, ${creator_user_id}, ${now}) ON CONFLICT DO NOTHING`
            : sql`DELETE FROM newsletter_stops WHERE user_id = ${user_id} AND creator_user_id = ${creator_user_id}`,
        ]),
    ...(is_all_stopped === undefined
      ? []
      : [
          is_all_stopped
            ? sql`INSERT INTO newsletter_refusals (user_id, refused_at) VALUES (${user_id}, ${now})
                ON CONFLICT DO NOTHING`
            : sql`DELETE FROM newsletter_refusals WHERE user_id = ${user_id}`,
        ]),
  ].map((statement) => statement.compile(context.database));
  const answer = {
    ...before,
    is_stopped: creator_user_id === null || (is_stopped ?? before.is_stopped),
    is_all_stopped: is_all_stopped ?? before.is_all_stopped,
  };
  return commitAnswer({ ...context, idempotency: null }, { statements }, answer);
}

/** Takes over what the mails worker reports of newsletters. The clock runs it. Repeating it changes nothing. */
export async function recordDeliveries({ d1, database, mails, clock }: Services): Promise<void> {
  const deliveries = await mails.readDeliveries();
  if (deliveries.length === 0) return;
  const statement = sql`UPDATE newsletters SET receivers_count = said.value ->> 'handed_count',
      sent_count = said.value ->> 'sent_count', bounced_count = said.value ->> 'bounced_count'
    FROM json_each(${JSON.stringify(deliveries)}) AS said WHERE newsletter_id = said.value ->> 'content_id'`;
  await commit({ d1, database, now_ms: clock.now(), idempotency: null }, { statements: [statement.compile(database)] });
  await mails.forgetDeliveries(deliveries);
}
