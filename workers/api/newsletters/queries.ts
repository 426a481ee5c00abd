import { type RawBuilder, sql } from "kysely";
import { LEFT_NAME } from "../../contract/bounds.ts";
import type { Document } from "../../contract/document.ts";
import type { Image } from "../../contract/fields.ts";
import type { NewsletterMail } from "../../contract/mails.ts";
import type {
  Newsletter,
  NewsletterAudience,
  NewsletterListing,
  NewsletterStops,
  OwnNewsletterSummary,
  ReceivedNewsletter,
} from "../../contract/newsletters.ts";
import { isoTime, japaneseMonthOf } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { isNotBlocked } from "../blocks/queries.ts";
import { findReaders, selectFollowedAuthors, selectReaders } from "../events/queries.ts";
import { documentOfText } from "../events/rules.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { isMember } from "../storage/members.ts";
import { listedImagesJson, readListedImages } from "../uploads/queries.ts";
import { readUser, userJson } from "../users/queries.ts";
import { countRemaining, imagesShownIn, type StopLink, stopToken } from "./rules.ts";

/** Which of a person's own newsletters are listed: those that match both. */
interface ListFilter {
  is_draft?: boolean;
  listing?: NewsletterListing;
}

/** SQL: whether a newsletter is listed. It repeats the conditions of the partial indexes, so that SQLite uses them. */
function matchesFilter({ is_draft, listing = "all" }: ListFilter) {
  const drafts = sql<boolean>`status = 'draft'`;
  const others = sql<boolean>`status <> 'draft'`;
  const listed = {
    all: [],
    draft: [drafts],
    scheduled: [others, sql<boolean>`status = 'scheduled'`],
    published: [others, sql<boolean>`status = 'published'`],
  }[listing];
  const kept = is_draft === undefined ? [] : [is_draft ? drafts : others];
  return sql<boolean>`${sql.join([sql`true`, ...kept, ...listed], sql` AND `)}`;
}

/**
 * SQL for the number of newsletters that a person has sent or scheduled in the Japanese month of a moment. A newsletter
 * counts by its planned moment, so that a late run of the clock takes nothing from the next month.
 */
export function countOfMonth(database: Database, user_id: string, moment_ms: number) {
  const month = japaneseMonthOf(moment_ms);
  return database
    .selectFrom("newsletters")
    .select(({ fn }) => fn.countAll<number>().as("counted"))
    .where("user_id", "=", user_id)
    .where("status", "<>", sql.lit("draft"))
    .where(sql`coalesce(publish_at, published_at)`, ">=", isoTime(month.start_ms))
    .where(sql`coalesce(publish_at, published_at)`, "<", isoTime(month.end_ms));
}

/** SQL for when a newsletter is to be sent; of a draft, when its writer would like it to be. */
const plannedAt = sql<string | null>`coalesce(publish_at, planned_at)`.as("publish_at");

/**
 * Lists a person's own newsletters, newest first, and how many more the person may send this month. It is one statement
 * because every page of a creator asks for it.
 */
export async function listOwnNewsletters(
  context: RequestContext,
  user_id: string,
  { is_draft, listing, with_audiences = false, ...page }: Page & ListFilter & { with_audiences?: boolean },
) {
  const { limit, offset, page_size } = rowsOf(page, context.caller === null);
  const own = context.database
    .selectFrom("newsletters")
    .select(["newsletter_id", "title", "status", "fan_scope", "membership_id"])
    .select([plannedAt, "published_at", "created_at", "updated_at"])
    .select(["receivers_count", "sent_count", "bounced_count", "unsubscribed_count"])
    .where("user_id", "=", user_id)
    .where(matchesFilter({ is_draft, listing }))
    .orderBy("newsletter_id", "desc")
    .limit(limit)
    .offset(offset);
  const counted = countOfMonth(context.database, user_id, context.now_ms);
  const counting_audiences = with_audiences ? countAudiences(context, user_id) : null;
  const reading = context.database
    .selectFrom("users")
    .select([
      sql<string>`(
        SELECT json_group_array(
          json_object('id', newsletter_id, 'title', title, 'status', status, 'fan_scope', fan_scope,
            'membership_id', membership_id, 'publish_at', publish_at, 'published_at', published_at,
            'created_at', created_at, 'updated_at', updated_at, 'receivers_count', receivers_count,
            'sent_count', sent_count, 'bounced_count', bounced_count, 'unsubscribed_count', unsubscribed_count)
          ORDER BY newsletter_id DESC)
        FROM ${own})`.as("newsletters"),
      sql<number>`${counted}`.as("counted"),
      "is_creator",
    ])
    .where("user_id", "=", user_id)
    .executeTakeFirstOrThrow();
  const [{ newsletters, ...of_month }, audiences] = await Promise.all([reading, counting_audiences]);
  const fetched: Omit<OwnNewsletterSummary, "is_draft">[] = JSON.parse(newsletters);
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return {
    news_letters: rows.map((row): OwnNewsletterSummary => ({ ...row, is_draft: row.status === "draft" })),
    ...closing,
    remaining_count: countRemaining({ is_creator: of_month.is_creator === 1, counted: of_month.counted }),
    ...(audiences && { audiences }),
  };
}

/**
 * SQL: whether the viewer may read the body of a row of `newsletters`. Writers may always read theirs. Followers read
 * published ones for fans, and members of the plan read those for members. Source:
 * decisions, "Visibility and permissions".
 */
function isReadable(viewer: string, now_ms: number): RawBuilder<number> {
  return sql<number>`(newsletters.user_id = ${viewer} OR (newsletters.status = 'published' AND CASE newsletters.fan_scope
    WHEN 'fans' THEN EXISTS (
      SELECT 1 FROM relationships r WHERE r.follower_id = ${viewer} AND r.following_id = newsletters.user_id)
    ELSE EXISTS (
      SELECT 1 FROM subscriptions s WHERE s.user_id = ${viewer}
        AND s.membership_id = newsletters.membership_id AND ${isMember(now_ms, "s")})
    END))`;
}

/**
 * Returns a newsletter as a member may see it: locked for members outside its audience, and for others than its writer
 * with the pictures that its document shows. Null for unpublished ones of others.
 */
export async function findNewsletter(
  { database, now_ms }: RequestContext,
  viewer: string,
  newsletter_id: string,
): Promise<Newsletter | null> {
  const row = await database
    .selectFrom("newsletters")
    .select(["newsletter_id", "user_id", "title", "body", "document", "fan_scope", "membership_id", "status"])
    .select([plannedAt, "published_at", "created_at", "updated_at"])
    .select([isReadable(viewer, now_ms).as("is_readable"), userJson("newsletters.user_id").as("writer")])
    .select(listedImagesJson("newsletters.pictures").as("images"))
    .where("newsletter_id", "=", newsletter_id)
    .where((where) => where.or([where("user_id", "=", viewer), where("status", "=", sql.lit("published"))]))
    .where((where) => where.or([where("user_id", "=", viewer), isUserEnabled("newsletters.user_id")]))
    .executeTakeFirst();
  if (!row) return null;
  const listed = readListedImages(row.images);
  const images = row.user_id === viewer ? listed : imagesShownIn(documentOf(row), listed);
  return toNewsletter(row, { user: readUser(row.writer), is_locked: row.is_readable !== 1, images });
}

/** Returns the document of a row. Newsletters older than documents have only a text. */
function documentOf({ document, body }: { document: string | null; body: string }): Document {
  return document === null ? documentOfText(body) : JSON.parse(document);
}

type NewsletterRow = Omit<Newsletter, "id" | "user" | "is_draft" | "is_locked" | "document" | "body" | "images"> & {
  newsletter_id: string;
  body: string;
  document: string | null;
};

/** Returns a row as the contract shows it. */
export function toNewsletter(
  row: NewsletterRow,
  { user, is_locked, images }: { user: Newsletter["user"]; is_locked: boolean; images: Image[] },
): Newsletter {
  const { newsletter_id, title, fan_scope, membership_id, status, publish_at, published_at } = row;
  return {
    id: newsletter_id,
    title,
    is_draft: status === "draft",
    status,
    fan_scope,
    membership_id,
    publish_at,
    published_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    user,
    is_locked,
    body: is_locked ? null : row.body,
    document: is_locked ? null : documentOf(row),
    images: is_locked ? [] : images,
  };
}

/**
 * Lists the newsletters that a member may read now, newest first: of the people they follow, and of the plans they have
 * joined. SQLite leaves each of them at the first newsletter that is too old for the page, as in the timeline
 * (`selectTimelineIds`). A test counts the rows read.
 */
export async function listReceivedNewsletters(context: RequestContext, user_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const newestOf = (audience: RawBuilder<unknown>) => sql`SELECT * FROM (
    SELECT newsletter_id, published_at FROM newsletters WHERE status = 'published' AND ${audience}
    ORDER BY published_at DESC, newsletter_id DESC LIMIT ${limit + offset})`;
  const authors = selectFollowedAuthors(context, user_id, "all");
  const plans = sql`SELECT s.membership_id FROM subscriptions s JOIN memberships m ON m.membership_id = s.membership_id
    WHERE s.user_id = ${user_id} AND ${isMember(context.now_ms, "s")} AND ${isUserEnabled("m.user_id")}`;
  const chosen = sql<string>`(
    SELECT newsletter_id FROM (
      ${newestOf(sql`fan_scope = 'fans' AND user_id IN (${authors})`)}
      UNION ALL ${newestOf(sql`fan_scope = 'memberships' AND membership_id IN (${plans})`)})
    ORDER BY published_at DESC, newsletter_id DESC LIMIT ${limit} OFFSET ${offset})`;
  const fetched = await context.database
    .selectFrom("newsletters")
    .select(["newsletter_id as id", "title", "fan_scope", "published_at"])
    .select(userJson("newsletters.user_id").as("writer"))
    .where("newsletter_id", "in", chosen)
    .orderBy("published_at", "desc")
    .orderBy("newsletter_id", "desc")
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return {
    news_letters: rows.map(
      ({ writer, published_at, ...row }): ReceivedNewsletter => ({
        ...row,
        // Only published newsletters are listed, and each has this moment: a CHECK of the table.
        published_at: published_at ?? "",
        user: readUser(writer),
      }),
    ),
    ...closing,
  };
}

/** A published newsletter with what its mail and its notification need. */
export interface SentNewsletter {
  newsletter_id: string;
  user_id: string;
  title: string;
  body: string;
  document: string | null;
  /** The JSON of {@link listedImagesJson}. */
  images: string;
  fan_scope: "fans" | "memberships";
  membership_id: string | null;
  creator_name: string;
}

/** Returns a newsletter to send: the published one, or with `is_test` any. Null when its writer is disabled or gone. */
export async function findNewsletterToSend(
  database: Database,
  newsletter_id: string,
  { is_test = false } = {},
): Promise<SentNewsletter | null> {
  let query = database
    .selectFrom("newsletters")
    .innerJoin("users", "users.user_id", "newsletters.user_id")
    .select(["newsletter_id", "newsletters.user_id", "title", "body", "document", "fan_scope", "membership_id"])
    .select(["users.name as creator_name", listedImagesJson("newsletters.pictures").as("images")])
    .where("newsletter_id", "=", newsletter_id)
    .where("users.disabled_at", "is", null)
    .where("users.left_at", "is", null);
  if (!is_test) query = query.where("status", "=", sql.lit("published"));
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns what every receiver of a newsletter gets. */
export function toMail(
  newsletter: SentNewsletter,
  addressOf: (path: string) => string,
): Omit<NewsletterMail, "content_id" | "receivers"> {
  const { newsletter_id, title, creator_name } = newsletter;
  const document = documentOf(newsletter);
  const images = imagesShownIn(document, readListedImages(newsletter.images));
  return {
    title,
    creator_name,
    document,
    pictures: images.map(({ image_id, alt, width, height, medium_url }) => ({
      image_id,
      url: addressOf(medium_url),
      alt,
      width,
      height,
    })),
    page_link: addressOf(`/my/news_letters/${newsletter_id}`),
  };
}

/** Returns the mail of a newsletter of the caller's. Throws `not_found`. */
export async function previewNewsletter(context: RequestContext, user_id: string, newsletter_id: string) {
  const { database, gateway, mails, media_key } = context;
  const found = await findNewsletterToSend(database, newsletter_id, { is_test: true });
  if (!found || found.user_id !== user_id) throw new Problem("not_found");
  const stop_link = gateway.addressOf(`/unsubscribe/${await stopToken({ newsletter_id, user_id }, media_key)}`);
  const receiver = { mail_id: `newsletter-preview:${newsletter_id}`, recipient: "", stop_link };
  return mails.previewNewsletter({
    content_id: newsletter_id,
    ...toMail(found, gateway.addressOf),
    receivers: [receiver],
  });
}

/** Returns the next people who may read a newsletter and want its writer's notifications, in the order of an index. */
export function findNewsletterReaders(
  database: Database,
  { user_id, fan_scope, membership_id }: SentNewsletter,
  at: Parameters<typeof findReaders>[2],
) {
  const audience = { user_id, publish_target_type: fan_scope, publish_target_membership_id: membership_id };
  return findReaders(database, audience, at);
}

/** SQL: whether the person of a row of `users` gets a creator's newsletters by mail. */
function getsMails(creator_user_id: string): RawBuilder<boolean> {
  return sql<boolean>`users.email IS NOT NULL AND users.email_invalid = 0 AND users.left_at IS NULL
    AND users.disabled_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM newsletter_stops s
      WHERE s.user_id = users.user_id AND s.creator_user_id = ${creator_user_id})
    AND NOT EXISTS (SELECT 1 FROM newsletter_refusals r WHERE r.user_id = users.user_id)`;
}

/**
 * SQL for the people who get a newsletter by mail when it is sent now, with `what` of each. CROSS JOIN keeps the order:
 * the readers by their index, then each one's address.
 *
 * @param membership_id the plan, also as a column; null for all followers.
 */
const selectReceivers = (
  what: RawBuilder<unknown>,
  {
    user_id,
    membership_id,
    now_ms,
  }: { user_id: string; membership_id: string | RawBuilder<unknown> | null; now_ms: number },
) => sql<number>`
  SELECT ${what} FROM (${selectReaders(
    {
      user_id,
      publish_target_type: membership_id === null ? "fans" : "memberships",
      publish_target_membership_id: membership_id,
    },
    now_ms,
  )}) AS readers CROSS JOIN users ON users.user_id = readers.user_id WHERE ${getsMails(user_id)}`;

/**
 * SQL: whether anybody can read a newsletter when it is sent now, on the site if not by mail. Counts also readers who have
 * stopped mails and notifications.
 *
 * @param membership_id the plan, also as a column; null for all followers.
 */
export const hasReaders = ({ user_id, membership_id, now_ms }: Parameters<typeof selectReceivers>[1]) =>
  membership_id === null
    ? sql<number>`EXISTS (SELECT 1 FROM relationships WHERE following_id = ${user_id}
        AND ${isUserEnabled("relationships.follower_id")}
        AND ${isNotBlocked(user_id, sql.ref("relationships.follower_id"))})`
    : sql<number>`EXISTS (SELECT 1 FROM subscriptions WHERE subscriptions.membership_id = ${membership_id}
        AND ${isMember(now_ms)} AND ${isUserEnabled("subscriptions.user_id")}
        AND ${isNotBlocked(user_id, sql.ref("subscriptions.user_id"))})`;

/**
 * Returns how many people would get a newsletter by mail now, and whether anybody could read it: all followers
 * (`membership_id` null), and each plan's members.
 */
async function countAudiences({ database, now_ms }: RequestContext, user_id: string): Promise<NewsletterAudience[]> {
  const countsOf = (membership_id: RawBuilder<unknown> | null) => {
    const audience = { user_id, membership_id, now_ms };
    return sql`(${selectReceivers(sql`COUNT(*)`, audience)}) AS receivers_count, ${hasReaders(audience)} AS has_readers`;
  };
  const { rows } = await sql<Omit<NewsletterAudience, "has_readers"> & { has_readers: number }>`
    SELECT NULL AS membership_id, ${countsOf(null)}
    UNION ALL
    SELECT membership_id, ${countsOf(sql.ref("memberships.membership_id"))} FROM memberships
    WHERE user_id = ${user_id}`.execute(database);
  return rows.map((row) => ({ ...row, has_readers: row.has_readers === 1 }));
}

/** Returns the addresses of those readers who get a creator's newsletters by mail. */
export async function findReceivers(
  database: Database,
  creator_user_id: string,
  user_ids: readonly string[],
): Promise<{ user_id: string; email: string }[]> {
  const rows = await database
    .selectFrom("users")
    .select(["user_id", "email"])
    .where("user_id", "in", oneOf(user_ids))
    .where(getsMails(creator_user_id))
    .execute();
  return rows.flatMap(({ user_id, email }) => (email === null ? [] : [{ user_id, email }]));
}

/**
 * Returns what the receiver of a newsletter has stopped; null when the receiver has left. The newsletters of a creator who
 * has left are gone: they count as stopped, and `creator_user_id` is null.
 */
export async function findStops(
  database: Database,
  { newsletter_id, user_id }: StopLink,
): Promise<(NewsletterStops & { creator_user_id: string | null }) | null> {
  const row = await database
    .selectFrom("users as receiver")
    .leftJoin("newsletters", (join) => join.on("newsletter_id", "=", newsletter_id))
    .leftJoin("users as creator", "creator.user_id", "newsletters.user_id")
    .select(["creator.user_id as creator_user_id", "creator.name as creator_name"])
    .select([
      sql<number>`creator.user_id IS NULL OR EXISTS (SELECT 1 FROM newsletter_stops s
        WHERE s.user_id = ${user_id} AND s.creator_user_id = creator.user_id)`.as("is_stopped"),
      sql<number>`EXISTS (SELECT 1 FROM newsletter_refusals WHERE user_id = ${user_id})`.as("is_all_stopped"),
    ])
    .where("receiver.user_id", "=", user_id)
    .where("receiver.left_at", "is", null)
    .executeTakeFirst();
  if (!row) return null;
  const { creator_user_id, creator_name, is_stopped, is_all_stopped } = row;
  return {
    creator_user_id,
    creator_name: creator_name ?? LEFT_NAME,
    is_stopped: is_stopped === 1,
    is_all_stopped: is_all_stopped === 1,
    has_creator_left: creator_user_id === null,
  };
}
