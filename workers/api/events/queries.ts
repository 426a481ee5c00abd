import { type RawBuilder, sql } from "kysely";
import type { Document } from "../../contract/document.ts";
import { freePart, plainText } from "../../contract/document-text.ts";
import type { Event, EventSummary } from "../../contract/events.ts";
import type { MediaFile } from "../../contract/fields.ts";
import { isNotBlocked } from "../blocks/queries.ts";
import type { Reader } from "../domain.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { isMember } from "../storage/members.ts";
import { removalOf } from "../storage/removals.ts";
import {
  imageJson,
  mediaJson,
  openImage,
  openMedia,
  readImage,
  type StoredImage,
  signImage,
  signMedia,
} from "../uploads/queries.ts";
import { readUser, userJson } from "../users/queries.ts";
import { documentOfText, type Parts } from "./rules.ts";

/** The columns that lists of posts show. The body is left out because it may be as long as the rest of the page. */
const summaryColumns = [
  "events.event_id",
  "events.user_id",
  "events.event_category_id",
  "events.kind",
  "events.title",
  "events.lead",
  "events.lead_is_free",
  "events.comment_filter",
  "events.status",
  "events.publish_target_type",
  "events.publish_target_membership_id",
  "events.publish_at",
  "events.published_at",
] as const;

/**
 * SQL: whether the viewer may read the body of a row of `events`. Owners may always read their posts. Other people may
 * read published posts only: everybody reads `public` ones, followers read `fans`, and members of the plan read
 * `memberships`. Source: decisions, "Visibility and permissions".
 */
export function isReadable(viewer: string | null, now_ms: number): RawBuilder<number> {
  if (viewer === null) {
    return sql<number>`(events.status = 'published' AND events.publish_target_type = 'public'
      AND ${isUserEnabled("events.user_id")})`;
  }
  return sql<number>`(events.user_id = ${viewer} OR (events.status = 'published' AND ${isUserEnabled("events.user_id")} AND CASE events.publish_target_type
    WHEN 'public' THEN 1
    WHEN 'fans' THEN EXISTS (
      SELECT 1 FROM relationships r WHERE r.follower_id = ${viewer} AND r.following_id = events.user_id)
    ELSE EXISTS (
      SELECT 1 FROM subscriptions s WHERE s.user_id = ${viewer}
        AND s.membership_id = events.publish_target_membership_id AND ${isMember(now_ms, "s")})
    END))`;
}

/**
 * SQL: whether the viewer has reported the post in a column. A reported post disappears for the reporter and for nobody
 * else.
 */
export function isReported(column: string, viewer: string | null): RawBuilder<boolean> {
  // `IN` lets SQLite run this subquery once for a whole list and not once for each post.
  return sql<boolean>`${sql.ref(column)} IN (
    SELECT subject_id FROM reports WHERE reporter_user_id = ${viewer} AND subject_type = 'event')`;
}

/**
 * SQL for the words by which a sentence names the post in a column. Readers see the title of their own posts and of
 * published posts. For other posts, for those that they reported and for those of disabled accounts, they see a general
 * phrase.
 */
export function eventLabel(column: string, viewer: string): RawBuilder<string> {
  return sql<string>`coalesce((SELECT CASE
      WHEN ${isReported("named.event_id", viewer)} THEN 'あなたが通報した投稿'
      WHEN named.user_id = ${viewer} OR (named.status = 'published' AND owner.disabled_at IS NULL)
        THEN '「' || named.title || '」'
      ELSE '非公開になった投稿' END
    FROM events named JOIN users owner ON owner.user_id = named.user_id
    WHERE named.event_id = ${sql.ref(column)}), '削除された投稿')`;
}

/**
 * The precondition that no post was made from this draft yet. The writer may have published it in another browser tab.
 */
export function requireUnpublishedDraft(user_id: string, draft_id: string): Precondition {
  return {
    code: "draft_published",
    holds: sql`NOT EXISTS (SELECT 1 FROM events WHERE user_id = ${user_id} AND draft_id = ${draft_id})`,
  };
}

const isNotReportedBy = (column: string, viewer: string | null) =>
  viewer === null ? sql<boolean>`true` : sql<boolean>`NOT (${isReported(column, viewer)})`;

function eventQuery(context: RequestContext) {
  const viewer = viewerId(context);
  return context.database
    .selectFrom("events")
    .select(summaryColumns)
    .select([
      isReadable(viewer, context.now_ms).as("is_readable"),
      userJson("events.user_id").as("author"),
      imageJson("events.image_id").as("picture"),
      sql<number>`EXISTS (SELECT 1 FROM event_images cover
        WHERE cover.image_id = events.image_id AND cover.is_free = 1)`.as("is_picture_free"),
      sql<number>`(SELECT COUNT(*) FROM event_images counted WHERE counted.event_id = events.event_id)`.as(
        "images_count",
      ),
      sql<string | null>`(SELECT json_array(likes_count, comments_count, visits_count) FROM event_counts
        WHERE event_counts.event_id = events.event_id)`.as("counts"),
      (viewer === null
        ? sql<number>`0`
        : sql<number>`EXISTS (SELECT 1 FROM event_likes
            WHERE event_likes.event_id = events.event_id AND event_likes.liker = ${viewer})`
      ).as("is_liked"),
    ])
    .where(isUserEnabled("events.user_id"))
    .where(isNotReportedBy("events.event_id", viewer));
}
type EventRow = Awaited<ReturnType<ReturnType<typeof eventQuery>["executeTakeFirstOrThrow"]>>;

/** Returns the numbers of likes, comments and visits. A post that has none of them has no row. */
const countsOf = (row: EventRow): number[] => (row.counts === null ? [0, 0, 0] : JSON.parse(row.counts));

/** Whether everybody may read the post, so that its pictures and files need no signed addresses. */
const isOpenToEverybody = (row: EventRow) => row.status === "published" && row.publish_target_type === "public";

async function presentSummary(context: RequestContext, row: EventRow): Promise<EventSummary> {
  const { user_id: _, author, picture, is_picture_free, is_readable, lead, lead_is_free, counts: __, ...shown } = row;
  const is_locked = is_readable !== 1;
  const [likes_count = 0, comments_count = 0] = countsOf(row);
  const cover = readImage(picture);
  return {
    ...shown,
    user: readUser(author),
    lead: is_locked && lead_is_free !== 1 ? null : lead,
    image: is_locked && is_picture_free !== 1 ? null : await signUnlessOpen(context, row, cover, is_picture_free === 1),
    placeholder: cover?.placeholder ?? null,
    likes_count,
    comments_count,
    is_liked: row.is_liked === 1,
    is_locked,
  };
}

/**
 * Signs a picture's addresses unless everybody may see it. Everybody may see the pictures of public posts, and those
 * before the paywall line of any published post.
 */
function signUnlessOpen(context: RequestContext, row: EventRow, image: ReturnType<typeof readImage>, is_free: boolean) {
  return isOpenToEverybody(row) || (is_free && row.status === "published") ? image : signImage(image, context);
}

const presentSummaries = (context: RequestContext, rows: EventRow[]) =>
  Promise.all(rows.map((row) => presentSummary(context, row)));

async function loadPage(
  context: RequestContext,
  page: Page,
  narrow: (query: ReturnType<typeof eventQuery>) => ReturnType<typeof eventQuery>,
  order: "published_at" | "created_at" = "published_at",
) {
  const { limit, offset, page_size } = rowsOf(page, context.caller === null);
  const fetched = await narrow(eventQuery(context))
    .orderBy(`events.${order}`, "desc")
    .orderBy("events.event_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return pageOf(fetched, page.page_number, page_size);
}

async function listPage(...asked: Parameters<typeof loadPage>) {
  const { rows, closing } = await loadPage(...asked);
  return { events: await presentSummaries(asked[0], rows), ...closing };
}

/** Lists a person's published posts, newest first. Posts that the caller may not read are locked. */
export function listUserEvents(
  context: RequestContext,
  user_id: string,
  {
    event_category_id,
    publish_target_type,
    ...page
  }: Page & Pick<OwnEventFilter, "event_category_id" | "publish_target_type">,
) {
  return listPage(context, page, (query) => {
    let listed = query.where("events.user_id", "=", user_id).where("events.status", "=", sql.lit("published"));
    if (event_category_id) listed = listed.where("events.event_category_id", "=", event_category_id);
    // Written into the statement, so that SQLite uses the index of public posts.
    if (publish_target_type) listed = listed.where("events.publish_target_type", "=", sql.lit(publish_target_type));
    return listed;
  });
}

/** Lists the published posts of one plan, newest first. */
export function listMembershipEvents(context: RequestContext, membership_id: string, page: Page) {
  return listPage(context, page, (query) =>
    query
      .where("events.publish_target_membership_id", "=", membership_id)
      .where("events.status", "=", sql.lit("published")),
  );
}

type FollowListFilter = "all" | "subscribing";

/**
 * SQL for the ids of the people whom a person follows, or only of those whose plan the person pays for. Leaves out
 * disabled accounts.
 */
export function selectFollowedAuthors({ now_ms }: RequestContext, user_id: string, filter: FollowListFilter) {
  return filter === "all"
    ? sql<string>`SELECT following_id FROM relationships
        WHERE follower_id = ${user_id} AND ${isUserEnabled("relationships.following_id")}`
    : sql<string>`SELECT m.user_id FROM subscriptions s JOIN memberships m ON m.membership_id = s.membership_id
        WHERE s.user_id = ${user_id} AND ${isMember(now_ms, "s")} AND ${isUserEnabled("m.user_id")}`;
}

/**
 * For each followed author, the timeline reads this many of the newest posts of the whole site before it reads author
 * by author.
 */
const NEWEST_READ_PER_AUTHOR = 2;

/**
 * SQL for the ids of the rows `offset` to `offset + limit` of the timeline, read from indexes alone. A test counts the
 * rows read.
 *
 * - A person who follows many authors finds the first pages among the newest posts of the whole site, which the query
 *   reads first. If these hold enough posts for the page, no other post can be newer. How many it reads grows with the
 *   number of authors, so it always costs little compared with reading every author.
 * - Otherwise SQLite reads each author's posts from the newest on, and leaves the author at the first post that is too
 *   old for the page. A thousand authors cost a thousand index lookups, and not all of their posts.
 *
 * @param isWanted leaves out other posts, before they are counted.
 */
export function selectTimelineIds(
  authors: RawBuilder<string>,
  user_id: string,
  { limit, offset, isWanted = sql`1` }: { limit: number; offset: number; isWanted?: RawBuilder<unknown> },
): RawBuilder<string> {
  const needed = limit + offset;
  const isListed = sql`status = 'published' AND ${isWanted}`;
  const is_in_sight = isNotReportedBy("event_id", user_id);
  // The condition is inside the list of authors because SQLite then evaluates it before it reads any post.
  return sql<string>`(
    WITH recent AS MATERIALIZED (
      SELECT event_id FROM (
        SELECT event_id, user_id FROM events WHERE ${isListed} ORDER BY published_at DESC, event_id DESC
        LIMIT (SELECT ${NEWEST_READ_PER_AUTHOR} * COUNT(*) FROM (${authors}))) AS walked
      WHERE user_id IN (${authors}) AND ${is_in_sight} LIMIT ${needed})
    SELECT * FROM (
      SELECT event_id FROM recent WHERE (SELECT COUNT(*) FROM recent) = ${needed} LIMIT ${limit} OFFSET ${offset})
    UNION ALL SELECT * FROM (
      SELECT event_id FROM events
      WHERE user_id IN (SELECT * FROM (${authors}) WHERE (SELECT COUNT(*) FROM recent) < ${needed})
        AND ${isListed} AND ${is_in_sight}
      ORDER BY published_at DESC, event_id DESC LIMIT ${limit} OFFSET ${offset}))`;
}

/**
 * Lists the timeline: published posts of all people whom the caller follows, or only of those whose plan the caller
 * pays for.
 */
export async function listFollowedEvents(
  context: RequestContext,
  user_id: string,
  { filter, ...page }: Page & { filter: FollowListFilter },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const chosen = selectTimelineIds(selectFollowedAuthors(context, user_id, filter), user_id, { limit, offset });
  const fetched = await eventQuery(context)
    .where("events.event_id", "in", chosen)
    .orderBy("events.published_at", "desc")
    .orderBy("events.event_id", "desc")
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { events: await presentSummaries(context, rows), ...closing };
}

/** Lists the newest posts that everybody may read, by any writer. */
export async function listNewestEvents(context: RequestContext, limit: number): Promise<EventSummary[]> {
  const rows = await eventQuery(context)
    .where("events.status", "=", sql.lit("published"))
    .where("events.publish_target_type", "=", sql.lit("public"))
    .orderBy("events.published_at", "desc")
    .orderBy("events.event_id", "desc")
    .limit(limit)
    .execute();
  return presentSummaries(context, rows);
}

/** Loads posts for a list by id, as the caller may see them. Leaves out unpublished posts. */
export async function loadEventSummaries(
  context: RequestContext,
  event_ids: readonly string[],
): Promise<Map<string, EventSummary>> {
  if (event_ids.length === 0) return new Map();
  const rows = await eventQuery(context)
    .where("events.event_id", "in", oneOf(event_ids))
    .where("events.status", "=", sql.lit("published"))
    .execute();
  const events = await presentSummaries(context, rows);
  return new Map(events.map((event) => [event.event_id, event]));
}

export interface OwnEventFilter {
  status?: "is_publish_pending" | "is_published" | "is_private";
  event_category_id?: string;
  publish_target_type?: "public" | "fans" | "memberships";
  publish_target_membership_id?: string;
  /** The draft that the post was made of. */
  draft_id?: string;
}

/** Lists the caller's own posts in every status, latest created first, and counts them by status. */
export async function listOwnEvents(
  context: RequestContext,
  user_id: string,
  { page_number, page_size, ...filter }: Page & OwnEventFilter,
) {
  const removals = context.database
    .selectFrom("removals")
    .select(["removal_id", "subject_id"])
    .where("owner_user_id", "=", user_id)
    .where("subject_type", "=", "event")
    .where("given_back_at", "is", null)
    .execute();
  const [page, counts, removed] = await Promise.all([
    loadPage(
      context,
      { page_number, page_size },
      (query) => {
        let narrowed = query.where("events.user_id", "=", user_id);
        if (filter.status) {
          narrowed = narrowed.where("events.status", "=", filter.status.slice(3) as EventRow["status"]);
        }
        if (filter.event_category_id) narrowed = narrowed.where("event_category_id", "=", filter.event_category_id);
        if (filter.publish_target_type) {
          narrowed = narrowed.where("publish_target_type", "=", filter.publish_target_type);
        }
        if (filter.publish_target_membership_id) {
          narrowed = narrowed.where("publish_target_membership_id", "=", filter.publish_target_membership_id);
        }
        if (filter.draft_id) narrowed = narrowed.where("draft_id", "=", filter.draft_id);
        return narrowed;
      },
      "created_at",
    ),
    countOwnEvents(context, user_id),
    removals,
  ]);
  const { rows, closing } = page;
  const summaries = await presentSummaries(context, rows);
  const events = summaries.map((event, index) => ({
    ...event,
    visits_count: countsOf(rows[index] as EventRow)[2] ?? 0,
    removal_id: removed.find(({ subject_id }) => subject_id === event.event_id)?.removal_id ?? null,
  }));
  return { ...closing, events, counts };
}

/** Counts a person's posts by status, reading only an index. */
async function countOwnEvents(context: RequestContext, user_id: string) {
  const rows = await context.database
    .selectFrom("events")
    .select(["status", ({ fn }) => fn.countAll<number>().as("counted")])
    .where("user_id", "=", user_id)
    .groupBy("status")
    .execute();
  const countOf = (status: EventRow["status"]) => rows.find((row) => row.status === status)?.counted ?? 0;
  const counts = {
    is_published: countOf("published"),
    is_publish_pending: countOf("publish_pending"),
    is_private: countOf("private"),
  };
  return { all: counts.is_published + counts.is_publish_pending + counts.is_private, ...counts };
}

/** Selects a post with everything that its own page shows. */
function wholeEventQuery(context: RequestContext) {
  return eventQuery(context)
    .select(["events.body", "events.document", "events.video_url", "events.updated_at", "events.removed_at"])
    .select(removalOf("event", "events.event_id").as("removal_id"))
    .select([
      sql<string>`(
        SELECT json_group_array(
          json_object('is_free', shown.is_free, 'picture', json(${imageJson("shown.image_id")})) ORDER BY shown.position)
        FROM event_images shown WHERE shown.event_id = events.event_id)`.as("pictures"),
      sql<string>`(
        SELECT json_group_array(
          json_object('is_free', played.is_free, 'file', json(${mediaJson("played.media_id")})) ORDER BY played.position)
        FROM event_media played WHERE played.event_id = events.event_id)`.as("files"),
    ]);
}
type WholeEventRow = Awaited<ReturnType<ReturnType<typeof wholeEventQuery>["executeTakeFirstOrThrow"]>>;

type PictureOf<Image> = { is_free: number; picture: Image };
type FileOf<File> = { is_free: number; file: File };

/**
 * Converts a post to the form that its own page shows. A locked post ends at its paywall line; without that line its
 * body is not shown at all.
 */
async function presentEvent(context: RequestContext, row: WholeEventRow): Promise<Event> {
  const { body, document, video_url, updated_at, removed_at, removal_id, pictures, files, ...listed } = row;
  const summary = await presentSummary(context, listed);
  const { is_locked } = summary;
  const whole: Document = document === null ? documentOfText(body) : JSON.parse(document);
  const seen = is_locked ? freePart(whole) : whole;
  const is_own = row.user_id === viewerId(context);
  const isSeen = ({ is_free }: { is_free: number }) => !is_locked || is_free === 1;
  const images = (JSON.parse(pictures) as PictureOf<StoredImage>[]).filter(isSeen);
  const media = (JSON.parse(files) as FileOf<Omit<MediaFile, "url">>[]).filter(isSeen);
  const shownImages = await Promise.all(
    images.map(({ picture, is_free }) => signUnlessOpen(context, listed, openImage(picture), is_free === 1)),
  );
  const isOpenTo = (is_free: number) => isOpenToEverybody(listed) || (is_free === 1 && row.status === "published");
  return {
    ...summary,
    body: is_locked ? seen && plainText(seen) : body,
    document: seen,
    images: shownImages.filter((image) => image !== null),
    media: await Promise.all(
      media.map(({ file, is_free }) => (isOpenTo(is_free) ? openMedia(file) : signMedia(openMedia(file), context))),
    ),
    video_url: is_locked ? null : video_url,
    visits_count: is_own ? (countsOf(row)[2] ?? 0) : null,
    is_removed: is_own && removed_at !== null,
    removal_id: is_own ? removal_id : null,
    updated_at,
  };
}

/**
 * Returns a whole post as the caller may see it; null when it does not exist, or when it is unpublished and not the
 * caller's.
 */
async function findWholeEvent(context: RequestContext, event_id: string): Promise<WholeEventRow | null> {
  const row = await wholeEventQuery(context).where("events.event_id", "=", event_id).executeTakeFirst();
  return row && (row.status === "published" || row.user_id === viewerId(context)) ? row : null;
}

/** Returns one of the person's own posts as it is stored; null for other people's posts. */
export async function findOwnEvent(
  context: RequestContext,
  user_id: string,
  event_id: string,
): Promise<WholeEventRow | null> {
  const row = await wholeEventQuery(context)
    .where("events.event_id", "=", event_id)
    .where("events.user_id", "=", user_id)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Reads the writer, and the pictures and files that a post is about to use, in the columns that {@link wholeEventQuery}
 * would return.
 */
export function findOwnParts(context: RequestContext, user_id: string, { images, media }: Parts) {
  const selectParts = (parts: Parts["images" | "media"]) => sql`(
    SELECT key, value ->> 'id' AS id, value ->> 'is_free' AS is_free FROM json_each(${JSON.stringify(parts)})) named`;
  return context.database
    .selectFrom("users")
    .select([
      userJson("users.user_id").as("author"),
      sql<string>`(
        SELECT json_group_array(
          json_object('is_free', named.is_free, 'picture', json(${imageJson("named.id")})) ORDER BY named.key)
        FROM ${selectParts(images)})`.as("pictures"),
      sql<string>`(
        SELECT json_group_array(
          json_object('is_free', named.is_free, 'file', json(${mediaJson("named.id")})) ORDER BY named.key)
        FROM ${selectParts(media)})`.as("files"),
    ])
    .where("user_id", "=", user_id)
    .executeTakeFirstOrThrow();
}

type StoredColumns = Omit<
  WholeEventRow,
  keyof OwnParts | "is_readable" | "picture" | "is_picture_free" | "images_count" | "counts" | "is_liked"
>;
type OwnParts = Awaited<ReturnType<typeof findOwnParts>>;

/**
 * Converts a post of the caller's to the form in which the API answers, as it will be after the batch has written it.
 */
export function presentOwnEvent(
  context: RequestContext,
  columns: StoredColumns & { image_id: string | null },
  before: WholeEventRow | null,
  { author, ...made_of }: OwnParts,
  { alts }: Parts,
): Promise<Event> {
  const { image_id, ...row } = columns;
  const alt = new Map(alts.map((said) => [said.image_id, said.alt]));
  // The list lacks pictures that are not the writer's own. The batch's preconditions then reject the post.
  const pictures = (JSON.parse(made_of.pictures) as PictureOf<StoredImage | null>[]).flatMap(({ is_free, picture }) =>
    picture ? [{ is_free, picture: { ...picture, alt: alt.get(picture.image_id) ?? picture.alt } }] : [],
  );
  const files = (JSON.parse(made_of.files) as FileOf<unknown>[]).filter(({ file }) => file !== null);
  const cover = pictures.find(({ picture }) => picture.image_id === image_id);
  return presentEvent(context, {
    ...row,
    author,
    is_readable: 1,
    picture: cover ? JSON.stringify(cover.picture) : null,
    is_picture_free: cover?.is_free ?? 0,
    images_count: pictures.length,
    counts: before?.counts ?? null,
    is_liked: before?.is_liked ?? 0,
    pictures: JSON.stringify(pictures),
    files: JSON.stringify(files),
  });
}

/**
 * Returns whether this is a browser's first visit to a post; null when the caller cannot see the post. Visits do not
 * count when the caller wrote the post or may not read it.
 */
export async function findVisit(
  context: RequestContext,
  event_id: string,
  visit_id: string,
): Promise<{ is_new: boolean } | null> {
  const viewer = viewerId(context);
  const row = await context.database
    .selectFrom("events")
    .select(["user_id", "status", isReadable(viewer, context.now_ms).as("is_readable")])
    .select(
      sql<number>`EXISTS (SELECT 1 FROM event_visits
        WHERE event_visits.event_id = events.event_id AND visit_id = ${visit_id})`.as("is_known"),
    )
    .where("event_id", "=", event_id)
    .where(isUserEnabled("events.user_id"))
    .where(isNotReportedBy("event_id", viewer))
    .executeTakeFirst();
  if (!row || (row.status !== "published" && row.user_id !== viewer)) return null;
  return { is_new: row.is_readable === 1 && row.user_id !== viewer && row.is_known === 0 };
}

/**
 * Returns a post with its neighbours by date. Returns null when the post does not exist, when it is unpublished and not
 * the caller's, or when the caller reported it. A locked post ends at its paywall line.
 */
export async function findEvent(
  context: RequestContext,
  event_id: string,
  context_event_category_id: string | undefined,
): Promise<{ event: Event; previous: EventSummary | null; next: EventSummary | null } | null> {
  const named = (column: string) =>
    sql<string>`(SELECT ${sql.ref(column)} FROM events named
      WHERE named.event_id = ${event_id} AND named.status = 'published')`;
  const neighbourQuery = (older: boolean) => {
    const sign = sql.raw(older ? "<" : ">");
    let query = eventQuery(context)
      .where("events.user_id", "=", named("named.user_id"))
      .where("events.status", "=", sql.lit("published"))
      .where(sql<boolean>`(published_at, event_id) ${sign} (${named("named.published_at")}, ${event_id})`)
      .orderBy("published_at", older ? "desc" : "asc")
      .orderBy("event_id", older ? "desc" : "asc")
      .limit(1);
    if (context_event_category_id) query = query.where("event_category_id", "=", context_event_category_id);
    return query.execute();
  };
  const [row, [older], [newer]] = await Promise.all([
    findWholeEvent(context, event_id),
    neighbourQuery(true),
    neighbourQuery(false),
  ]);
  if (!row) return null;
  return {
    event: await presentEvent(context, row),
    previous: older ? await presentSummary(context, older) : null,
    next: newer ? await presentSummary(context, newer) : null,
  };
}

/** The audience of a post, a newsletter or a radio of `user_id`. The plan may be a column of the statement around it. */
interface Audience {
  user_id: string;
  publish_target_type: "public" | "fans" | "memberships";
  publish_target_membership_id: string | null | RawBuilder<unknown>;
}

/**
 * SQL for the people who get a notification of a post or of a newsletter. For a post of a plan they are its subscribers
 * who have not turned off the creator's notifications, and otherwise the followers who want notifications. Leaves out
 * people who have blocked the writer or whom the writer has blocked.
 */
export function selectReaders(post: Audience, now_ms: number): RawBuilder<Reader> {
  const { user_id: writer } = post;
  return post.publish_target_type === "memberships"
    ? sql<Reader>`
        SELECT user_id, paid_until AS at FROM subscriptions
        WHERE membership_id = ${post.publish_target_membership_id} AND ${isMember(now_ms)}
          AND NOT EXISTS (SELECT 1 FROM relationships
            WHERE follower_id = subscriptions.user_id AND following_id = ${writer} AND receives_notifications = 0)
          AND ${isNotBlocked(writer, sql.ref("subscriptions.user_id"))}`
    : sql<Reader>`
        SELECT follower_id AS user_id, created_at AS at FROM relationships
        WHERE following_id = ${writer} AND receives_notifications = 1
          AND ${isNotBlocked(writer, sql.ref("relationships.follower_id"))}`;
}

/** Returns the next people to tell of a post or of a newsletter, in the order of an index. */
export async function findReaders(
  database: Database,
  post: Audience,
  { after, limit, now_ms }: { after: Reader | null; limit: number; now_ms: number },
): Promise<Reader[]> {
  const rest =
    post.publish_target_type === "memberships"
      ? sql`AND ${after ? sql`(paid_until, user_id) > (${after.at}, ${after.user_id})` : sql`TRUE`}
          ORDER BY paid_until, user_id`
      : sql`AND ${after ? sql`created_at <= ${after.at} AND (created_at < ${after.at} OR follower_id > ${after.user_id})` : sql`TRUE`}
          ORDER BY created_at DESC, follower_id`;
  return (await sql<Reader>`${selectReaders(post, now_ms)} ${rest} LIMIT ${limit}`.execute(database)).rows;
}
