import { type RawBuilder, sql } from "kysely";
import type { Document } from "../../contract/document.ts";
import { freePart, plainText } from "../../contract/document-text.ts";
import type { Event, EventSummary } from "../../contract/events.ts";
import type { MediaFile } from "../../contract/fields.ts";
import { isoTime } from "../../kernel/clock.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import { oneOf } from "../storage/database.ts";
import { isOfEnabled } from "../storage/disabled.ts";
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

/** What a list shows of a post: everything but the body, which may be as long as all the rest of the page. */
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
 * Whether the caller may read the body of a row of `events`, as SQL. The owner always; otherwise published posts only:
 * public ones everybody, `fans` the followers, `memberships` those whose paid time on that plan is not over.
 * Source: decisions, "Visibility and permissions".
 */
export function isReadable(viewer: string | null, now_ms: number): RawBuilder<number> {
  if (viewer === null) {
    return sql<number>`(events.status = 'published' AND events.publish_target_type = 'public'
      AND ${isOfEnabled("events.user_id")})`;
  }
  return sql<number>`(events.user_id = ${viewer} OR (events.status = 'published' AND ${isOfEnabled("events.user_id")} AND CASE events.publish_target_type
    WHEN 'public' THEN 1
    WHEN 'fans' THEN EXISTS (
      SELECT 1 FROM relationships r WHERE r.follower_id = ${viewer} AND r.following_id = events.user_id)
    ELSE EXISTS (
      SELECT 1 FROM subscriptions s WHERE s.user_id = ${viewer}
        AND s.membership_id = events.publish_target_membership_id AND s.paid_until > ${isoTime(now_ms)})
    END))`;
}

/** Whether the caller has reported the post a column names: what one reported is out of one's own sight. Nobody else's. */
export function isReported(column: string, viewer: string | null): RawBuilder<boolean> {
  // Asked once for a whole list, not once for each post in it.
  return sql<boolean>`${sql.ref(column)} IN (
    SELECT subject_id FROM reports WHERE reporter_user_id = ${viewer} AND subject_type = 'event')`;
}

/**
 * How a sentence names the post a column holds the id of, as SQL: by its title while the reader may see that, which is
 * while the post is published or their own. A post that is private, was taken down, or belongs to a disabled account has no name
 * for others, nor has one that its reader reported.
 */
export function eventWords(column: string, viewer: string): RawBuilder<string> {
  return sql<string>`coalesce((SELECT CASE
      WHEN ${isReported("named.event_id", viewer)} THEN '通報した投稿'
      WHEN named.user_id = ${viewer} OR (named.status = 'published' AND owner.disabled_at IS NULL)
        THEN '「' || named.title || '」'
      ELSE '非公開になった投稿' END
    FROM events named JOIN users owner ON owner.user_id = named.user_id
    WHERE named.event_id = ${sql.ref(column)}), '削除された投稿')`;
}

/** That no post was made of this draft yet, by another page of its writer's. */
export function draftIsUnpublished(user_id: string, draft_id: string): Precondition {
  return {
    code: "draft_published",
    holds: sql`NOT EXISTS (SELECT 1 FROM events WHERE user_id = ${user_id} AND draft_id = ${draft_id})`,
  };
}

const inSight = (column: string, viewer: string | null) =>
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
    .where(isOfEnabled("events.user_id"))
    .where(inSight("events.event_id", viewer));
}
type EventRow = Awaited<ReturnType<ReturnType<typeof eventQuery>["executeTakeFirstOrThrow"]>>;

/** Likes, comments and visits; a post that nobody liked, visited or spoke of has no row. */
const countsOf = (row: EventRow): number[] => (row.counts === null ? [0, 0, 0] : JSON.parse(row.counts));

/** A picture or a file of a post for whoever was found to have the right to it. What anybody may see needs no signature. */
const isOpen = (row: EventRow) => row.status === "published" && row.publish_target_type === "public";

async function present(context: RequestContext, row: EventRow): Promise<EventSummary> {
  const { user_id: _, author, picture, is_picture_free, is_readable, lead, lead_is_free, counts: __, ...shown } = row;
  const is_locked = is_readable !== 1;
  const [likes_count = 0, comments_count = 0] = countsOf(row);
  const cover = readImage(picture);
  return {
    ...shown,
    user: readUser(author),
    lead: is_locked && lead_is_free !== 1 ? null : lead,
    image: is_locked && is_picture_free !== 1 ? null : await shownTo(context, row, cover, is_picture_free === 1),
    placeholder: cover?.placeholder ?? null,
    likes_count,
    comments_count,
    is_liked: row.is_liked === 1,
    is_locked,
  };
}

/** What stands before the paywall line of a published post is anybody's, as all of a public one is. */
function shownTo(context: RequestContext, row: EventRow, image: ReturnType<typeof readImage>, is_free: boolean) {
  return isOpen(row) || (is_free && row.status === "published") ? image : signImage(image, context);
}

const presentAll = (context: RequestContext, rows: EventRow[]) => Promise.all(rows.map((row) => present(context, row)));

async function listPage(
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
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { events: await presentAll(context, rows), ...closing };
}

/** Published posts of a person, newest first; those the caller may not read come locked. */
export function listUserEvents(
  context: RequestContext,
  user_id: string,
  { event_category_id, ...page }: Page & { event_category_id?: string },
) {
  return listPage(context, page, (query) => {
    const published = query.where("events.user_id", "=", user_id).where("events.status", "=", sql.lit("published"));
    return event_category_id ? published.where("events.event_category_id", "=", event_category_id) : published;
  });
}

/** Published posts for one plan. */
export function listMembershipEvents(context: RequestContext, membership_id: string, page: Page) {
  return listPage(context, page, (query) =>
    query
      .where("events.publish_target_membership_id", "=", membership_id)
      .where("events.status", "=", sql.lit("published")),
  );
}

type FollowListFilter = "all" | "subscribing";

/** The ids of those a person follows, or of those whose plan they pay for, as SQL; nobody who is disabled. */
export function authorsFollowed({ now_ms }: RequestContext, user_id: string, filter: FollowListFilter) {
  return filter === "all"
    ? sql<string>`SELECT following_id FROM relationships
        WHERE follower_id = ${user_id} AND ${isOfEnabled("relationships.following_id")}`
    : sql<string>`SELECT m.user_id FROM subscriptions s JOIN memberships m ON m.membership_id = s.membership_id
        WHERE s.user_id = ${user_id} AND s.paid_until > ${isoTime(now_ms)} AND ${isOfEnabled("m.user_id")}`;
}

/** Of the newest posts of all, so many for each author followed are looked through before the authors are asked one by one. */
const WALKED_PER_AUTHOR = 2;

/**
 * The ids of rows `offset` to `offset + limit` of the timeline, as SQL, chosen from indexes alone. A test counts the rows read.
 *
 * - Who follows many finds the first pages among the newest posts of all: a walk over neighbours, and what is left when it
 *   has found as many as the page needs cannot be newer. It is as long as the authors are many, so that it never costs much
 *   beside asking them.
 * - Otherwise SQLite keeps the best `offset + limit` ids while it goes through each author's posts from the newest, and
 *   leaves an author at the first post too old to be among them: a thousand authors cost a thousand looks, each at another
 *   place, and not all they ever wrote.
 */
function timelineIds(authors: RawBuilder<string>, user_id: string, limit: number, offset: number): RawBuilder<string> {
  const needed = limit + offset;
  const is_in_sight = inSight("event_id", user_id);
  // Asked inside the list of authors: there it is answered before any post is looked at.
  return sql<string>`(
    WITH recent AS MATERIALIZED (
      SELECT event_id FROM (
        SELECT event_id, user_id FROM events WHERE status = 'published' ORDER BY published_at DESC, event_id DESC
        LIMIT (SELECT ${WALKED_PER_AUTHOR} * COUNT(*) FROM (${authors}))) AS walked
      WHERE user_id IN (${authors}) AND ${is_in_sight} LIMIT ${needed})
    SELECT * FROM (
      SELECT event_id FROM recent WHERE (SELECT COUNT(*) FROM recent) = ${needed} LIMIT ${limit} OFFSET ${offset})
    UNION ALL SELECT * FROM (
      SELECT event_id FROM events
      WHERE user_id IN (SELECT * FROM (${authors}) WHERE (SELECT COUNT(*) FROM recent) < ${needed})
        AND status = 'published' AND ${is_in_sight}
      ORDER BY published_at DESC, event_id DESC LIMIT ${limit} OFFSET ${offset}))`;
}

/** The timeline: published posts of those the caller follows, or only of those whose plan they pay for. */
export async function listFollowedEvents(
  context: RequestContext,
  user_id: string,
  { filter, ...page }: Page & { filter: FollowListFilter },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const chosen = timelineIds(authorsFollowed(context, user_id, filter), user_id, limit, offset);
  const fetched = await eventQuery(context)
    .where("events.event_id", "in", chosen)
    .orderBy("events.published_at", "desc")
    .orderBy("events.event_id", "desc")
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { events: await presentAll(context, rows), ...closing };
}

/** The newest posts that anybody may read, whoever wrote them. */
export async function listNewestEvents(context: RequestContext, limit: number): Promise<EventSummary[]> {
  const rows = await eventQuery(context)
    .where("events.status", "=", sql.lit("published"))
    .where("events.publish_target_type", "=", sql.lit("public"))
    .orderBy("events.published_at", "desc")
    .orderBy("events.event_id", "desc")
    .limit(limit)
    .execute();
  return presentAll(context, rows);
}

/** Posts in a list, by id, as the caller may see them; those that are not published are left out. */
export async function loadEventSummaries(
  context: RequestContext,
  event_ids: readonly string[],
): Promise<Map<string, EventSummary>> {
  if (event_ids.length === 0) return new Map();
  const rows = await eventQuery(context)
    .where("events.event_id", "in", oneOf(event_ids))
    .where("events.status", "=", sql.lit("published"))
    .execute();
  const events = await presentAll(context, rows);
  return new Map(events.map((event) => [event.event_id, event]));
}

export interface OwnEventFilter {
  status?: "is_publish_pending" | "is_published" | "is_private";
  event_category_id?: string;
  publish_target_type?: "public" | "fans" | "memberships";
  publish_target_membership_id?: string;
}

/** The caller's own posts in every state, last made first, and how many there are in each. */
export async function listOwnEvents(
  context: RequestContext,
  user_id: string,
  { page_number, page_size, ...filter }: Page & OwnEventFilter,
) {
  const page = await listPage(
    context,
    { page_number, page_size },
    (query) => {
      let narrowed = query.where("events.user_id", "=", user_id);
      if (filter.status) {
        narrowed = narrowed.where("events.status", "=", filter.status.slice(3) as EventRow["status"]);
      }
      if (filter.event_category_id) narrowed = narrowed.where("event_category_id", "=", filter.event_category_id);
      if (filter.publish_target_type) narrowed = narrowed.where("publish_target_type", "=", filter.publish_target_type);
      if (filter.publish_target_membership_id) {
        narrowed = narrowed.where("publish_target_membership_id", "=", filter.publish_target_membership_id);
      }
      return narrowed;
    },
    "created_at",
  );
  const [counts, visits] = await Promise.all([
    countOwnEvents(context, user_id),
    countVisits(
      context,
      page.events.map(({ event_id }) => event_id),
    ),
  ]);
  const events = page.events.map((event) => ({ ...event, visits_count: visits.get(event.event_id) ?? 0 }));
  return { ...page, events, counts };
}

/** How many saw each of these posts; one that nobody saw has none. */
async function countVisits({ database }: RequestContext, event_ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom("event_counts")
    .select(["event_id", "visits_count"])
    .where("event_id", "in", oneOf(event_ids))
    .execute();
  return new Map(rows.map(({ event_id, visits_count }) => [event_id, visits_count]));
}

/** From the index alone. */
async function countOwnEvents(context: RequestContext, user_id: string) {
  const rows = await context.database
    .selectFrom("events")
    .select(["status", ({ fn }) => fn.countAll<number>().as("counted")])
    .where("user_id", "=", user_id)
    .groupBy("status")
    .execute();
  const of = (status: EventRow["status"]) => rows.find((row) => row.status === status)?.counted ?? 0;
  const counts = {
    is_published: of("published"),
    is_publish_pending: of("publish_pending"),
    is_private: of("private"),
  };
  return { all: counts.is_published + counts.is_publish_pending + counts.is_private, ...counts };
}

/** A post with all that its own page shows. */
function wholeEventQuery(context: RequestContext) {
  return eventQuery(context)
    .select(["events.body", "events.document", "events.video_url", "events.updated_at", "events.removed_at"])
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

/** A locked post goes as far as its paywall line; where it has none, nowhere. */
async function presentWhole(context: RequestContext, row: WholeEventRow): Promise<Event> {
  const { body, document, video_url, updated_at, removed_at, pictures, files, ...listed } = row;
  const summary = await present(context, listed);
  const { is_locked } = summary;
  const whole: Document = document === null ? documentOfText(body) : JSON.parse(document);
  const seen = is_locked ? freePart(whole) : whole;
  const is_own = row.user_id === viewerId(context);
  const isSeen = ({ is_free }: { is_free: number }) => !is_locked || is_free === 1;
  const images = (JSON.parse(pictures) as PictureOf<StoredImage>[]).filter(isSeen);
  const media = (JSON.parse(files) as FileOf<Omit<MediaFile, "url">>[]).filter(isSeen);
  const shownImages = await Promise.all(
    images.map(({ picture, is_free }) => shownTo(context, listed, openImage(picture), is_free === 1)),
  );
  const isOpenTo = (is_free: number) => isOpen(listed) || (is_free === 1 && row.status === "published");
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
    updated_at,
  };
}

/** The post whole, as the caller may see it; null when there is none, or when it is not published and not the caller's own. */
async function findWholeEvent(context: RequestContext, event_id: string): Promise<WholeEventRow | null> {
  const row = await wholeEventQuery(context).where("events.event_id", "=", event_id).executeTakeFirst();
  return row && (row.status === "published" || row.user_id === viewerId(context)) ? row : null;
}

/** One of a person's own posts, as it is stored; null for anybody else's. */
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

/** The writer, and what a post is going to be made of, as JSON of a row of {@link wholeEventQuery}. */
export function findOwnParts(context: RequestContext, user_id: string, { images, media }: Parts) {
  const named = (parts: Parts["images" | "media"]) => sql`(
    SELECT key, value ->> 'id' AS id, value ->> 'is_free' AS is_free FROM json_each(${JSON.stringify(parts)})) named`;
  return context.database
    .selectFrom("users")
    .select([
      userJson("users.user_id").as("author"),
      sql<string>`(
        SELECT json_group_array(
          json_object('is_free', named.is_free, 'picture', json(${imageJson("named.id")})) ORDER BY named.key)
        FROM ${named(images)})`.as("pictures"),
      sql<string>`(
        SELECT json_group_array(
          json_object('is_free', named.is_free, 'file', json(${mediaJson("named.id")})) ORDER BY named.key)
        FROM ${named(media)})`.as("files"),
    ])
    .where("user_id", "=", user_id)
    .executeTakeFirstOrThrow();
}

type StoredColumns = Omit<
  WholeEventRow,
  keyof OwnParts | "is_readable" | "picture" | "is_picture_free" | "images_count" | "counts" | "is_liked"
>;
type OwnParts = Awaited<ReturnType<typeof findOwnParts>>;

/** A post of the caller's as a batch is going to leave it. */
export function presentOwnEvent(
  context: RequestContext,
  columns: StoredColumns & { image_id: string | null },
  before: WholeEventRow | null,
  { author, ...made_of }: OwnParts,
  { alts }: Parts,
): Promise<Event> {
  const { image_id, ...row } = columns;
  const alt = new Map(alts.map((said) => [said.image_id, said.alt]));
  // One that is none of the writer's is missing here; the batch refuses it.
  const pictures = (JSON.parse(made_of.pictures) as PictureOf<StoredImage | null>[]).flatMap(({ is_free, picture }) =>
    picture ? [{ is_free, picture: { ...picture, alt: alt.get(picture.image_id) ?? picture.alt } }] : [],
  );
  const files = (JSON.parse(made_of.files) as FileOf<unknown>[]).filter(({ file }) => file !== null);
  const cover = pictures.find(({ picture }) => picture.image_id === image_id);
  return presentWhole(context, {
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
 * How a browser stands to a post it opened: null where the caller cannot see it. Whoever wrote it or may not read it
 * visits nothing.
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
    .where(isOfEnabled("events.user_id"))
    .where(inSight("event_id", viewer))
    .executeTakeFirst();
  if (!row || (row.status !== "published" && row.user_id !== viewer)) return null;
  return { is_new: row.is_readable === 1 && row.user_id !== viewer && row.is_known === 0 };
}

/**
 * A post with its neighbours by date. Null when there is none, or when it is not published and not the caller's own:
 * what is unseen does not exist, and neither does what the caller reported. A locked one comes as far as its paywall line.
 */
export async function findEvent(
  context: RequestContext,
  event_id: string,
  context_event_category_id: string | undefined,
): Promise<{ event: Event; previous: EventSummary | null; next: EventSummary | null } | null> {
  const row = await findWholeEvent(context, event_id);
  if (!row) return null;
  const neighbours = (older: boolean) => {
    const { published_at } = row;
    if (row.status !== "published" || published_at === null) return [];
    let query = eventQuery(context)
      .where("events.user_id", "=", row.user_id)
      .where("events.status", "=", sql.lit("published"))
      .where(
        older
          ? sql<boolean>`(published_at, event_id) < (${published_at}, ${event_id})`
          : sql<boolean>`(published_at, event_id) > (${published_at}, ${event_id})`,
      )
      .orderBy("published_at", older ? "desc" : "asc")
      .orderBy("event_id", older ? "desc" : "asc")
      .limit(1);
    if (context_event_category_id) query = query.where("event_category_id", "=", context_event_category_id);
    return query.execute();
  };
  const [[older], [newer]] = await Promise.all([neighbours(true), neighbours(false)]);
  return {
    event: await presentWhole(context, row),
    previous: older ? await present(context, older) : null,
    next: newer ? await present(context, newer) : null,
  };
}
