import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Event, EventBody } from "../../contract/events.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { forgetAnswers } from "../storage/kept-answers.ts";
import type { Limit } from "../storage/limits.ts";
import type { OutboxEvent } from "../storage/outbox.ts";
import { findOwnEvent, findOwnParts, findVisit, presentOwnEvent, requireUnpublishedDraft } from "./queries.ts";
import {
  type EventStatus,
  KEPT_COMMENTS,
  KEPT_DRAFTS,
  KEPT_POSTS,
  type Parts,
  partsOf,
  referrerHost,
  statesBefore,
  textsOf,
  toCanonicalDocument,
  videoUrlOf,
} from "./rules.ts";

type EventInput = EventBody & { draft_id?: string; draft_revision?: number };
type EventChangeInput = EventInput & { seen_updated_at?: string | null };

/**
 * Limits how many posts one person creates, changes and publishes. A post may be as large as a book, and publishing it
 * notifies followers.
 */
export const POST_LIMIT: Limit = { act: "post", times: 300, window_ms: 60 * 60 * 1000 };

/**
 * Creates a post of the caller's. Throws `video_url_not_allowed`, `publish_at_passed`, `paywall_needs_audience`; the
 * preconditions of its batch throw `category_not_found`, `membership_not_found`, `image_not_usable`,
 * `media_not_usable`, `draft_conflict`, `draft_published`, `too_many_requests`.
 */
export async function createEvent(context: RequestContext, given: EventInput): Promise<Event> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const event_id = newId(now_ms);
  const { columns, parts } = toColumnsAndParts(given, now_ms);
  const row = {
    event_id,
    user_id,
    ...columns,
    published_at: given.status === "published" ? isoTime(now_ms) : null,
    updated_at: null,
    removed_at: null,
  };
  const change: Change = {
    preconditions: [
      ...requireUsableContent(user_id, event_id, row, parts),
      ...(given.draft_id === undefined ? [] : [requireUnpublishedDraft(user_id, given.draft_id)]),
      ...requireReadDraft(user_id, given, (stored_revision, read) => sql`${stored_revision} <= ${read}`),
    ],
    announcements: given.status === "published" ? [{ event: publicationEvent(event_id, now_ms) }] : [],
    statements: [
      database
        .insertInto("events")
        .values({ ...row, draft_id: given.draft_id ?? null, created_at: isoTime(now_ms) })
        .compile(),
      ...partsStatements(database, user_id, event_id, parts),
      ...draftStatements(database, user_id, given.draft_id),
    ],
  };
  const event = await presentOwnEvent(
    context,
    { ...row, removal_id: null },
    null,
    await findOwnParts(context, user_id, parts),
    parts,
  );
  return (await commitLimited(context, POST_LIMIT, user_id, change, { event })).event;
}

/**
 * Returns the change that adds a post of an import, with the dates that it had elsewhere. Notifies nobody. Throws what
 * {@link createEvent} throws; so does the batch.
 */
export function addImportedEvent(
  context: Pick<RequestContext, "database" | "now_ms">,
  user_id: string,
  given: EventBody,
  { event_id, ...dates }: { event_id: string; created_at: string; published_at: string | null },
): { preconditions: Precondition[]; statements: CompiledQuery[] } {
  const { database, now_ms } = context;
  const { columns, parts } = toColumnsAndParts(given, now_ms);
  const row = { event_id, user_id, ...columns, ...dates, updated_at: null, removed_at: null };
  const plan = row.publish_target_membership_id;
  return {
    preconditions: [
      // The import has made the plan as a draft, which nobody can join yet.
      ...requireUsableContent(user_id, event_id, { ...row, publish_target_membership_id: null }, parts),
      {
        code: "membership_not_found",
        holds: sql`${plan} IS NULL
          OR EXISTS (SELECT 1 FROM memberships WHERE membership_id = ${plan} AND user_id = ${user_id})`,
      },
    ],
    statements: [
      database.insertInto("events").values(row).compile(),
      ...partsStatements(database, user_id, event_id, parts),
    ],
  };
}

/**
 * Replaces the whole content of a post of the caller's. Throws what {@link createEvent} throws, `not_found` when the
 * post is not the caller's, `event_removed`, `event_transition_refused`, and `event_conflict` when the post changed
 * after the caller loaded it.
 */
export async function updateEvent(context: RequestContext, event_id: string, given: EventChangeInput): Promise<Event> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const before = await findOwnEvent(context, user_id, event_id);
  if (!before) throw new Problem("not_found");
  const { columns, parts } = toColumnsAndParts(given, now_ms);
  const changed = { ...columns, updated_at: isoTime(now_ms) };
  const change: Change = {
    preconditions: [
      requireOwnEvents(user_id, [event_id]),
      ...requireTransition(user_id, [event_id], given.status),
      ...requireUsableContent(user_id, event_id, changed, parts),
      // When the draft is missing, its writer has published it in another browser tab, and this tab's text is older
      // than the post.
      ...requireReadDraft(user_id, given, (stored_revision, read) => sql`${stored_revision} = ${read}`),
      ...requireUnchangedEvent(event_id, given),
    ],
    announcements: given.status === "published" ? [announcePublication(event_id, now_ms)] : [],
    statements: [
      database
        .updateTable("events")
        .set({ ...changed, ...(given.status === "published" && { published_at: firstPublishedAt(now_ms) }) })
        .where("event_id", "=", event_id)
        .compile(),
      ...partsStatements(database, user_id, event_id, parts),
      ...draftStatements(database, user_id, given.draft_id),
    ],
  };
  const published_at = before.published_at ?? (given.status === "published" ? isoTime(now_ms) : null);
  const after = { ...before, ...changed, published_at };
  const event = await presentOwnEvent(context, after, before, await findOwnParts(context, user_id, parts), parts);
  return (await commitLimited(context, POST_LIMIT, user_id, change, { event })).event;
}

export type BatchChange =
  | { change: "status"; event_ids: string[]; status: "published" | "private" }
  | ({ change: "publish_target"; event_ids: string[] } & Pick<
      EventBody,
      "publish_target_type" | "publish_target_membership_id"
    >)
  | { change: "event_category"; event_ids: string[]; event_category_id: string | null }
  | { change: "delete"; event_ids: string[] };

/**
 * Changes all of these posts, or none. Throws `not_found` when a post is not the caller's, and otherwise what {@link
 * updateEvent} throws.
 */
export async function updateEvents(context: RequestContext, batch: BatchChange): Promise<{ changed_count: number }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const event_ids = [...new Set(batch.event_ids)];
  const update = database.updateTable("events").where("event_id", "in", oneOf(event_ids));
  const updated_at = isoTime(now_ms);
  const own = requireOwnEvents(user_id, event_ids);
  const changeOf = (): Change => {
    switch (batch.change) {
      case "status": {
        const { status } = batch;
        const published = status === "published";
        return {
          preconditions: [
            own,
            ...requireTransition(user_id, event_ids, status),
            ...(published ? [requireAudience(event_ids, sql`publish_target_type = 'public'`)] : []),
          ],
          announcements: published ? event_ids.map((event_id) => announcePublication(event_id, now_ms)) : [],
          statements: [
            update
              .set({
                status,
                publish_at: null,
                updated_at,
                ...(published && { published_at: firstPublishedAt(now_ms) }),
              })
              .where("status", "<>", status)
              .compile(),
          ],
        };
      }
      case "publish_target": {
        const target = targetOf(batch);
        return {
          preconditions: [
            own,
            ...requireUsableMembership(user_id, null, target.publish_target_membership_id),
            ...(target.publish_target_type === "public" ? [requireAudience(event_ids)] : []),
          ],
          statements: [update.set({ ...target, updated_at }).compile()],
        };
      }
      case "event_category": {
        const { event_category_id } = batch;
        return {
          preconditions: [own, ...requireOwnCategory(user_id, event_category_id)],
          statements: [update.set({ event_category_id, updated_at }).compile()],
        };
      }
      case "delete":
        return {
          preconditions: [own],
          statements: [
            ...forgetWords(database, user_id, event_ids),
            database.deleteFrom("events").where("event_id", "in", oneOf(event_ids)).compile(),
          ],
        };
    }
  };
  return commitLimited(context, POST_LIMIT, user_id, changeOf(), { changed_count: event_ids.length });
}

/** Deletes a post of the caller's, with its comments and likes. Throws `not_found`. */
export function deleteEvent(context: RequestContext, event_id: string): Promise<null> {
  const user_id = memberId(context);
  const change: Change = {
    preconditions: [requireOwnEvents(user_id, [event_id])],
    statements: [
      ...forgetWords(context.database, user_id, [event_id]),
      context.database.deleteFrom("events").where("event_id", "=", event_id).where("user_id", "=", user_id).compile(),
    ],
  };
  return commitAnswer(context, change, null);
}

/** Removes the words of posts, their drafts and their comments from the answers stored for idempotent retries. */
function forgetWords(database: Database, user_id: string, event_ids: readonly string[]): CompiledQuery[] {
  const writers = oneOf([user_id]);
  const selectColumn = (column: "user_id" | "comment_id" | "draft_id", table: "event_comments" | "event_drafts") =>
    sql`(SELECT ${sql.ref(column)} FROM ${sql.table(table)} WHERE event_id IN ${oneOf(event_ids)})`;
  return [
    ...forgetAnswers(database, KEPT_POSTS, { writers, ids: oneOf(event_ids) }),
    ...forgetAnswers(database, KEPT_DRAFTS, { writers, ids: selectColumn("draft_id", "event_drafts") }),
    ...forgetAnswers(database, KEPT_COMMENTS, {
      writers: selectColumn("user_id", "event_comments"),
      ids: selectColumn("comment_id", "event_comments"),
    }),
  ];
}

/**
 * At most 2000 visits from one address in an hour, which is more than people who share an address need. A browser could
 * invent any number of visit ids.
 */
export const VISIT_LIMIT: Limit = { act: "visit", times: 2000, window_ms: 60 * 60 * 1000 };

/**
 * Counts a browser's first visit to a post, and the host that led to it. Visits do not count when the caller wrote the
 * post or may not read it, and a HEAD counts none. Throws `not_found` for a post that the caller cannot see, and
 * `too_many_requests` for an address with too many visits.
 */
export async function visitEvent(
  context: RequestContext,
  event_id: string,
  { visit_id, referrer }: { visit_id: string; referrer: string },
): Promise<{ is_counted: boolean }> {
  const { database, now_ms } = context;
  const visit = await findVisit(context, event_id, visit_id);
  if (!visit) throw new Problem("not_found");
  if (!visit.is_new || context.is_head) return { is_counted: false };
  const statement = database
    .insertInto("first_visits")
    .values({ event_id, visit_id, visited_at: isoTime(now_ms), host: referrerHost(referrer) })
    .compile();
  return commitLimited(context, VISIT_LIMIT, context.address_hash, { statements: [statement] }, { is_counted: true });
}

/**
 * How many due posts one batch publishes, and how many batches one run of the cron job makes. The next run continues.
 */
const DUE_BATCH_SIZE = 50;
const DUE_BATCHES = 20;

/**
 * Publishes scheduled posts. Runs of the cron job may overlap: the batch that publishes a post checks again that it
 * still waits, so each post is published once. A post's date is its scheduled moment, also when the cron job runs late.
 * Posts of disabled accounts wait, and so do posts for everybody that have a paywall line.
 *
 * A post is due only when the worker's clock and the database's clock both say so. A post published early, because one
 * clock had jumped ahead, has been seen and cannot be taken back.
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
      .selectFrom("events")
      .select("event_id")
      .where("status", "=", sql.lit("publish_pending"))
      .where("publish_at", "<=", now)
      .where(sql<boolean>`NOT (lead_is_free = 1 AND publish_target_type = 'public')`)
      .where(isUserEnabled("events.user_id"))
      .orderBy("publish_at")
      .orderBy("event_id")
      .limit(DUE_BATCH_SIZE)
      .execute();
    if (due.length === 0) return;
    const event_ids = due.map(({ event_id }) => event_id);
    await commit(
      { database, d1, now_ms, idempotency: null },
      {
        announcements: event_ids.map((event_id) => ({
          event: publicationEvent(event_id, now_ms),
          only_if: sql`EXISTS (SELECT 1 FROM events
            WHERE event_id = ${event_id} AND status = 'publish_pending' AND publish_at <= ${now}
              AND ${isAnnounced(now_ms)})`,
        })),
        statements: [
          database
            .updateTable("events")
            .set({ status: "published", published_at: sql`COALESCE(published_at, publish_at)`, publish_at: null })
            .where("event_id", "in", oneOf(event_ids))
            .where("status", "=", sql.lit("publish_pending"))
            .where("publish_at", "<=", now)
            .compile(),
        ],
      },
    );
    if (due.length < DUE_BATCH_SIZE) return;
  }
}

/**
 * Converts the input into the post's columns and parts. Throws `video_url_not_allowed`, `publish_at_passed`, and
 * `paywall_needs_audience`: in a post for everybody, the text behind the paywall line would be public.
 */
function toColumnsAndParts(given: EventInput, now_ms: number) {
  const video_url = given.video_url === null ? null : videoUrlOf(given.video_url);
  if (given.video_url !== null && video_url === null) throw new Problem("video_url_not_allowed");
  const planned_ms = given.status === "publish_pending" && given.publish_at ? Date.parse(given.publish_at) : null;
  if (planned_ms !== null && planned_ms < now_ms) throw new Problem("publish_at_passed");
  const document = toCanonicalDocument(given.document);
  const texts = textsOf(document);
  if (texts.lead_is_free === 1 && given.publish_target_type === "public") throw new Problem("paywall_needs_audience");
  const parts = partsOf({ ...given, document });
  const { kind, title, event_category_id, comment_filter, status } = given;
  const columns = {
    kind,
    title,
    ...texts,
    document: JSON.stringify(document),
    image_id: parts.cover_image_id,
    video_url,
    event_category_id,
    comment_filter,
    status,
    publish_at: planned_ms === null ? null : isoTime(planned_ms),
    ...targetOf(given),
  };
  return { columns, parts };
}

function targetOf(given: Pick<EventBody, "publish_target_type" | "publish_target_membership_id">) {
  const { publish_target_type, publish_target_membership_id } = given;
  return {
    publish_target_type,
    publish_target_membership_id: publish_target_type === "memberships" ? publish_target_membership_id : null,
  };
}

const firstPublishedAt = (now_ms: number) => sql<string>`COALESCE(published_at, ${isoTime(now_ms)})`;

/** A post that is published again notifies people only within 90 days of its first publication. */
const ANNOUNCED_AGAIN_MS = 90 * 24 * 60 * 60 * 1000;

/** SQL: whether publishing the post now notifies people. */
const isAnnounced = (now_ms: number) =>
  sql<boolean>`(published_at IS NULL OR published_at > ${isoTime(now_ms - ANNOUNCED_AGAIN_MS)})`;

function publicationEvent(event_id: string, now_ms: number): OutboxEvent {
  return { kind: "event_published", payload: { event_id, fan_out_id: newId(now_ms), after: null } };
}

/**
 * Announces a post that this batch publishes. Each person gets one notification of a post for as long as notifications
 * are kept (decisions, "Notifications and mail"). A post that was first published before that is not announced again.
 */
function announcePublication(event_id: string, now_ms: number): { event: OutboxEvent; only_if: RawBuilder<unknown> } {
  return {
    event: publicationEvent(event_id, now_ms),
    only_if: sql`EXISTS (SELECT 1 FROM events WHERE event_id = ${event_id} AND status <> 'published'
      AND ${isAnnounced(now_ms)})`,
  };
}

/** The precondition that all of these posts belong to the caller. Other people's posts count as missing. */
function requireOwnEvents(user_id: string, event_ids: readonly string[]): Precondition {
  const holds = sql`SELECT COUNT(*) = ${event_ids.length} FROM events
    WHERE event_id IN ${oneOf(event_ids)} AND user_id = ${user_id}`;
  return { code: "not_found", holds };
}

/** The preconditions that all of these posts may change to this status. */
function requireTransition(user_id: string, event_ids: readonly string[], status: EventStatus): Precondition[] {
  const noneHas = (what: RawBuilder<unknown>) => sql`NOT EXISTS (
    SELECT 1 FROM events WHERE event_id IN ${oneOf(event_ids)} AND user_id = ${user_id} AND ${what})`;
  const refused = noneHas(sql`status NOT IN ${oneOf(statesBefore(status))}`);
  return [
    ...(status === "private" ? [] : [{ code: "event_removed", holds: noneHas(sql`removed_at IS NOT NULL`) } as const]),
    { code: "event_transition_refused", holds: refused },
  ];
}

/**
 * The precondition that no post with a paywall line is for everybody. `isPublic` is SQL that selects the posts for
 * everybody.
 */
function requireAudience(event_ids: readonly string[], isPublic: RawBuilder<unknown> = sql`TRUE`): Precondition {
  const holds = sql`NOT EXISTS (
    SELECT 1 FROM events WHERE event_id IN ${oneOf(event_ids)} AND lead_is_free = 1 AND ${isPublic})`;
  return { code: "paywall_needs_audience", holds };
}

function requireOwnCategory(user_id: string, event_category_id: string | null): Precondition[] {
  if (event_category_id === null) return [];
  const holds = sql`EXISTS (SELECT 1 FROM event_categories
    WHERE event_category_id = ${event_category_id} AND user_id = ${user_id})`;
  return [{ code: "category_not_found", holds }];
}

/**
 * The precondition that the plan is the writer's own and can be joined. A post may keep a plan that was closed later.
 */
function requireUsableMembership(
  user_id: string,
  event_id: string | null,
  membership_id: string | null,
): Precondition[] {
  if (membership_id === null) return [];
  const holds = sql`EXISTS (SELECT 1 FROM memberships
    WHERE membership_id = ${membership_id} AND user_id = ${user_id}
      AND (active_state = 'active' OR EXISTS (SELECT 1 FROM events
        WHERE event_id = ${event_id} AND publish_target_membership_id = ${membership_id})))`;
  return [{ code: "membership_not_found", holds }];
}

/**
 * The preconditions that the writer may use everything that the post refers to, and that no other post shows its
 * pictures and files.
 */
function requireUsableContent(
  user_id: string,
  event_id: string,
  columns: { event_category_id: string | null; publish_target_membership_id: string | null },
  { images, media }: Parts,
): Precondition[] {
  const conditions = [
    ...requireOwnCategory(user_id, columns.event_category_id),
    ...requireUsableMembership(user_id, event_id, columns.publish_target_membership_id),
  ];
  if (images.length > 0) {
    const holds = sql`SELECT COUNT(*) = ${images.length} FROM images
      WHERE image_id IN ${oneOf(images.map(({ id }) => id))}
        AND owner_user_id = ${user_id} AND access = 'event' AND processing_status = 'completed'
        AND NOT EXISTS (SELECT 1 FROM event_images
          WHERE event_images.image_id = images.image_id AND event_images.event_id <> ${event_id})`;
    conditions.push({ code: "image_not_usable", holds });
  }
  if (media.length > 0) {
    const holds = sql`SELECT COUNT(*) = ${media.length} FROM json_each(${JSON.stringify(media)}) AS wanted
      JOIN media_files ON media_id = wanted.value ->> 'id' AND kind = wanted.value ->> 'kind'
      WHERE owner_user_id = ${user_id} AND access = 'event' AND processing_status = 'completed'
        AND NOT EXISTS (SELECT 1 FROM event_media
          WHERE event_media.media_id = media_files.media_id AND event_media.event_id <> ${event_id})`;
    conditions.push({ code: "media_not_usable", holds });
  }
  return conditions;
}

/** Statements that replace the rows of a post's pictures and files and save the writer's alt texts. */
function partsStatements(
  database: Database,
  user_id: string,
  event_id: string,
  { images, media, alts }: Parts,
): CompiledQuery[] {
  const rowsOf = (parts: Parts["images" | "media"]) => sql`
    SELECT value ->> 'id', ${event_id}, key, value ->> 'is_free' FROM json_each(${JSON.stringify(parts)})`;
  return [
    sql`DELETE FROM event_images WHERE event_id = ${event_id}`,
    sql`INSERT INTO event_images (image_id, event_id, position, is_free) ${rowsOf(images)}`,
    sql`DELETE FROM event_media WHERE event_id = ${event_id}`,
    sql`INSERT INTO event_media (media_id, event_id, position, is_free) ${rowsOf(media)}`,
    // Skips unchanged alt texts: every update of a picture invalidates the cached pages of its owner.
    sql`UPDATE images SET alt = said.value ->> 'alt' FROM json_each(${JSON.stringify(alts)}) AS said
      WHERE image_id = said.value ->> 'image_id' AND owner_user_id = ${user_id} AND alt <> said.value ->> 'alt'`,
  ].map((statement) => statement.compile(database));
}

/**
 * The precondition that the writer has read the stored revision of the draft. Publishing deletes the draft, together
 * with what another browser tab has saved in it since. `isRead` compares the stored revision, 0 when there is none,
 * with the one that the writer has read.
 */
function requireReadDraft(
  user_id: string,
  { draft_id, draft_revision }: EventInput,
  isRead: (stored_revision: RawBuilder<number>, read: number) => RawBuilder<unknown>,
): Precondition[] {
  if (draft_id === undefined || draft_revision === undefined) return [];
  const stored_revision = sql<number>`COALESCE((SELECT revision FROM event_drafts
    WHERE draft_id = ${draft_id} AND user_id = ${user_id}), 0)`;
  return [{ code: "draft_conflict", holds: isRead(stored_revision, draft_revision) }];
}

/**
 * The precondition that the post has not changed since its writer loaded it. Another browser tab may have changed it
 * without using a draft.
 */
function requireUnchangedEvent(event_id: string, { seen_updated_at }: EventChangeInput): Precondition[] {
  if (seen_updated_at === undefined) return [];
  const holds = sql`EXISTS (SELECT 1 FROM events WHERE event_id = ${event_id} AND updated_at IS ${seen_updated_at})`;
  return [{ code: "event_conflict", holds }];
}

function draftStatements(database: Database, user_id: string, draft_id: string | undefined): CompiledQuery[] {
  if (draft_id === undefined) return [];
  return [
    ...forgetAnswers(database, KEPT_DRAFTS, { writers: oneOf([user_id]), ids: oneOf([draft_id]) }),
    database.deleteFrom("event_drafts").where("draft_id", "=", draft_id).where("user_id", "=", user_id).compile(),
  ];
}
