import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Event, EventBody } from "../../contract/events.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { forgetAnswers } from "../storage/kept-answers.ts";
import type { Limit } from "../storage/limits.ts";
import type { OutboxEvent } from "../storage/outbox.ts";
import { draftIsUnpublished, findOwnEvent, findOwnParts, findVisit, presentOwnEvent } from "./queries.ts";
import {
  canonical,
  type EventStatus,
  KEPT_COMMENTS,
  KEPT_DRAFTS,
  KEPT_POSTS,
  type Parts,
  partsOf,
  statesBefore,
  textsOf,
  videoUrlOf,
} from "./rules.ts";

type Given = EventBody & { draft_id?: string; draft_revision?: number };
type GivenChange = Given & { seen_updated_at?: string | null };

/** Posts made, changed and published of one person: each takes as much room as a book, and followers hear of it. */
export const POSTS: Limit = { act: "post", times: 300, window_ms: 60 * 60 * 1000 };

/**
 * Makes a post of the caller's. Throws `video_url_not_allowed`, `publish_at_passed`, `paywall_needs_audience`, and by the batch
 * itself `category_not_found`, `membership_not_found`, `image_not_usable`, `media_not_usable`, `draft_conflict`,
 * `draft_published`, `too_many_requests`.
 */
export async function createEvent(context: RequestContext, given: Given): Promise<Event> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const event_id = newId(now_ms);
  const { columns, parts } = stored(given, now_ms);
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
      ...contentConditions(user_id, event_id, row, parts),
      ...(given.draft_id === undefined ? [] : [draftIsUnpublished(user_id, given.draft_id)]),
      ...draftConditions(user_id, given, (stored_revision, read) => sql`${stored_revision} <= ${read}`),
    ],
    announcements: given.status === "published" ? [{ event: publication(event_id, now_ms) }] : [],
    statements: [
      database
        .insertInto("events")
        .values({ ...row, draft_id: given.draft_id ?? null, created_at: isoTime(now_ms) })
        .compile(),
      ...partsStatements(database, user_id, event_id, parts),
      ...draftStatements(database, user_id, given.draft_id),
    ],
  };
  const event = await presentOwnEvent(context, row, null, await findOwnParts(context, user_id, parts), parts);
  return (await commitLimited(context, POSTS, user_id, change, { event })).event;
}

/**
 * Changes a post of the caller's, whole. Throws what {@link createEvent} does, `not_found` (nobody else's exists),
 * `event_removed`, `event_transition_refused`, and `event_conflict` when it was changed since it was seen.
 */
export async function updateEvent(context: RequestContext, event_id: string, given: GivenChange): Promise<Event> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const before = await findOwnEvent(context, user_id, event_id);
  if (!before) throw new Problem("not_found");
  const { columns, parts } = stored(given, now_ms);
  const changed = { ...columns, updated_at: isoTime(now_ms) };
  const change: Change = {
    preconditions: [
      ownCondition(user_id, [event_id]),
      ...stateConditions(user_id, [event_id], given.status),
      ...contentConditions(user_id, event_id, changed, parts),
      // A draft that is gone was published by another page: what this one has is older than the post.
      ...draftConditions(user_id, given, (stored_revision, read) => sql`${stored_revision} = ${read}`),
      ...unchangedCondition(event_id, given),
    ],
    announcements: given.status === "published" ? [news(event_id, now_ms)] : [],
    statements: [
      database
        .updateTable("events")
        .set({ ...changed, ...(given.status === "published" && { published_at: firstPublished(now_ms) }) })
        .where("event_id", "=", event_id)
        .compile(),
      ...partsStatements(database, user_id, event_id, parts),
      ...draftStatements(database, user_id, given.draft_id),
    ],
  };
  const published_at = before.published_at ?? (given.status === "published" ? isoTime(now_ms) : null);
  const after = { ...before, ...changed, published_at };
  const event = await presentOwnEvent(context, after, before, await findOwnParts(context, user_id, parts), parts);
  return (await commitLimited(context, POSTS, user_id, change, { event })).event;
}

export type BatchChange =
  | { change: "status"; event_ids: string[]; status: "published" | "private" }
  | ({ change: "publish_target"; event_ids: string[] } & Pick<
      EventBody,
      "publish_target_type" | "publish_target_membership_id"
    >)
  | { change: "event_category"; event_ids: string[]; event_category_id: string | null }
  | { change: "delete"; event_ids: string[] };

/** Changes many posts of the caller's at once, or none. Throws `not_found` when one is not the caller's, else as above. */
export async function updateEvents(context: RequestContext, batch: BatchChange): Promise<{ changed_count: number }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const event_ids = [...new Set(batch.event_ids)];
  const update = database.updateTable("events").where("event_id", "in", oneOf(event_ids));
  const updated_at = isoTime(now_ms);
  const own = ownCondition(user_id, event_ids);
  const changeOf = (): Change => {
    switch (batch.change) {
      case "status": {
        const { status } = batch;
        const published = status === "published";
        return {
          preconditions: [
            own,
            ...stateConditions(user_id, event_ids, status),
            ...(published ? [audienceCondition(event_ids, sql`publish_target_type = 'public'`)] : []),
          ],
          announcements: published ? event_ids.map((event_id) => news(event_id, now_ms)) : [],
          statements: [
            update
              .set({ status, publish_at: null, updated_at, ...(published && { published_at: firstPublished(now_ms) }) })
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
            ...targetConditions(user_id, null, target.publish_target_membership_id),
            ...(target.publish_target_type === "public" ? [audienceCondition(event_ids)] : []),
          ],
          statements: [update.set({ ...target, updated_at }).compile()],
        };
      }
      case "event_category": {
        const { event_category_id } = batch;
        return {
          preconditions: [own, ...categoryConditions(user_id, event_category_id)],
          statements: [update.set({ event_category_id, updated_at }).compile()],
        };
      }
      case "delete":
        return {
          preconditions: [own],
          statements: [
            ...wordsForgotten(database, user_id, event_ids),
            database.deleteFrom("events").where("event_id", "in", oneOf(event_ids)).compile(),
          ],
        };
    }
  };
  return commitLimited(context, POSTS, user_id, changeOf(), { changed_count: event_ids.length });
}

/** Deletes a post of the caller's with all that was said about it. Throws `not_found`. */
export function deleteEvent(context: RequestContext, event_id: string): Promise<null> {
  const user_id = memberId(context);
  const change: Change = {
    preconditions: [ownCondition(user_id, [event_id])],
    statements: [
      ...wordsForgotten(context.database, user_id, [event_id]),
      context.database.deleteFrom("events").where("event_id", "=", event_id).where("user_id", "=", user_id).compile(),
    ],
  };
  return commitAnswer(context, change, null);
}

/** What posts said, and what was said about them, taken out of the answers kept for retries. */
function wordsForgotten(database: Database, user_id: string, event_ids: readonly string[]): CompiledQuery[] {
  const writers = oneOf([user_id]);
  const of = (column: "user_id" | "comment_id" | "draft_id", table: "event_comments" | "event_drafts") =>
    sql`(SELECT ${sql.ref(column)} FROM ${sql.table(table)} WHERE event_id IN ${oneOf(event_ids)})`;
  return [
    ...forgetAnswers(database, KEPT_POSTS, { writers, ids: oneOf(event_ids) }),
    ...forgetAnswers(database, KEPT_DRAFTS, { writers, ids: of("draft_id", "event_drafts") }),
    ...forgetAnswers(database, KEPT_COMMENTS, {
      writers: of("user_id", "event_comments"),
      ids: of("comment_id", "event_comments"),
    }),
  ];
}

/** A browser calls itself what it likes: so many at one address are more than those who share it. */
export const VISITS: Limit = { act: "visit", times: 2000, window_ms: 60 * 60 * 1000 };

/**
 * Counts a browser that reads a post, once; its writer and whoever may not read it never. Throws `not_found` for what the
 * caller cannot see, and `too_many_requests` for an address with too many.
 */
export async function visitEvent(
  context: RequestContext,
  event_id: string,
  visit_id: string,
): Promise<{ is_counted: boolean }> {
  const { database, now_ms } = context;
  const visit = await findVisit(context, event_id, visit_id);
  if (!visit) throw new Problem("not_found");
  if (!visit.is_new) return { is_counted: false };
  const statement = database
    .insertInto("event_visits")
    .values({ event_id, visit_id, visited_at: isoTime(now_ms) })
    .onConflict((conflict) => conflict.doNothing())
    .compile();
  return commitLimited(context, VISITS, context.address_hash, { statements: [statement] }, { is_counted: true });
}

/** Posts published in one batch by the clock, and how many batches one run of it makes: the next run goes on. */
const DUE_AT_ONCE = 50;
const DUE_BATCHES = 20;

/**
 * Publishes what is due, each post once however many runs of the clock overlap: the batch that publishes asks again
 * whether the post still waits. A post dates from the moment it was meant for, also when the clock comes late. What
 * belongs to a disabled account waits, and so does a post for everybody with a paywall line. Due is what is so by the worker's clock and by the database's: what was published
 * because one clock had jumped ahead is seen, and does not come back.
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
      .where(
        sql<boolean>`NOT EXISTS (SELECT 1 FROM users WHERE users.user_id = events.user_id AND users.disabled_at IS NOT NULL)`,
      )
      .orderBy("publish_at")
      .orderBy("event_id")
      .limit(DUE_AT_ONCE)
      .execute();
    if (due.length === 0) return;
    const event_ids = due.map(({ event_id }) => event_id);
    await commit(
      { database, d1, now_ms, idempotency: null },
      {
        announcements: event_ids.map((event_id) => ({
          event: publication(event_id, now_ms),
          only_if: sql`EXISTS (SELECT 1 FROM events
            WHERE event_id = ${event_id} AND status = 'publish_pending' AND publish_at <= ${now})`,
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
    if (due.length < DUE_AT_ONCE) return;
  }
}

/**
 * The columns that a writer's words come to, and what the post is made of. Throws `video_url_not_allowed`,
 * `publish_at_passed`, and `paywall_needs_audience`: published for everybody, all behind the line would be public.
 */
function stored(given: Given, now_ms: number) {
  const video_url = given.video_url === null ? null : videoUrlOf(given.video_url);
  if (given.video_url !== null && video_url === null) throw new Problem("video_url_not_allowed");
  const planned_ms = given.status === "publish_pending" && given.publish_at ? Date.parse(given.publish_at) : null;
  if (planned_ms !== null && planned_ms < now_ms) throw new Problem("publish_at_passed");
  const document = canonical(given.document);
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

const firstPublished = (now_ms: number) => sql<string>`COALESCE(published_at, ${isoTime(now_ms)})`;

/** How long after its first publication a post that is published anew may still be news to somebody. */
const NEWS_MS = 90 * 24 * 60 * 60 * 1000;

function publication(event_id: string, now_ms: number): OutboxEvent {
  return { kind: "event_published", payload: { event_id, fan_out_id: newId(now_ms), after: null } };
}

/**
 * Tells of a post that this batch publishes. Who was told before is not told again, for as long as notifications are
 * kept (decisions, "Notifications and mail"): what was first published before that is news to nobody.
 */
function news(event_id: string, now_ms: number): { event: OutboxEvent; only_if: RawBuilder<unknown> } {
  return {
    event: publication(event_id, now_ms),
    only_if: sql`EXISTS (SELECT 1 FROM events WHERE event_id = ${event_id} AND status <> 'published'
      AND (published_at IS NULL OR published_at > ${isoTime(now_ms - NEWS_MS)}))`,
  };
}

/** That all of these posts are the caller's: others' do not exist. */
function ownCondition(user_id: string, event_ids: readonly string[]): Precondition {
  const holds = sql`SELECT COUNT(*) = ${event_ids.length} FROM events
    WHERE event_id IN ${oneOf(event_ids)} AND user_id = ${user_id}`;
  return { code: "not_found", holds };
}

/** That all of these posts may come into this state. */
function stateConditions(user_id: string, event_ids: readonly string[], status: EventStatus): Precondition[] {
  const some = (what: RawBuilder<unknown>) => sql`NOT EXISTS (
    SELECT 1 FROM events WHERE event_id IN ${oneOf(event_ids)} AND user_id = ${user_id} AND ${what})`;
  const refused = some(sql`status NOT IN ${oneOf(statesBefore(status))}`);
  return [
    ...(status === "private" ? [] : [{ code: "event_removed", holds: some(sql`removed_at IS NOT NULL`) } as const]),
    { code: "event_transition_refused", holds: refused },
  ];
}

/** That none of these posts has a paywall line and is for everybody. `isPublic` narrows to those that are. */
function audienceCondition(event_ids: readonly string[], isPublic: RawBuilder<unknown> = sql`TRUE`): Precondition {
  const holds = sql`NOT EXISTS (
    SELECT 1 FROM events WHERE event_id IN ${oneOf(event_ids)} AND lead_is_free = 1 AND ${isPublic})`;
  return { code: "paywall_needs_audience", holds };
}

function categoryConditions(user_id: string, event_category_id: string | null): Precondition[] {
  if (event_category_id === null) return [];
  const holds = sql`EXISTS (SELECT 1 FROM event_categories
    WHERE event_category_id = ${event_category_id} AND user_id = ${user_id})`;
  return [{ code: "category_not_found", holds }];
}

/** One's own plan that can be joined; or the one that the post is for already, which may have been closed since. */
function targetConditions(user_id: string, event_id: string | null, membership_id: string | null): Precondition[] {
  if (membership_id === null) return [];
  const holds = sql`EXISTS (SELECT 1 FROM memberships
    WHERE membership_id = ${membership_id} AND user_id = ${user_id}
      AND (active_state = 'active' OR EXISTS (SELECT 1 FROM events
        WHERE event_id = ${event_id} AND publish_target_membership_id = ${membership_id})))`;
  return [{ code: "membership_not_found", holds }];
}

/** That what a post names is its writer's to use; what it shows, in no other post. */
function contentConditions(
  user_id: string,
  event_id: string,
  columns: { event_category_id: string | null; publish_target_membership_id: string | null },
  { images, media }: Parts,
): Precondition[] {
  const conditions = [
    ...categoryConditions(user_id, columns.event_category_id),
    ...targetConditions(user_id, event_id, columns.publish_target_membership_id),
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

/** Writes anew what a post is made of, and what its writer says of the pictures. */
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
    // A picture described as before is no other picture.
    sql`UPDATE images SET alt = said.value ->> 'alt' FROM json_each(${JSON.stringify(alts)}) AS said
      WHERE image_id = said.value ->> 'image_id' AND owner_user_id = ${user_id} AND alt <> said.value ->> 'alt'`,
  ].map((statement) => statement.compile(database));
}

/**
 * That the draft a post is made of is the one its writer has read: what another page saved since would go with it, unseen.
 * `isRead` compares the revision that is stored, 0 where none is, with that one.
 */
function draftConditions(
  user_id: string,
  { draft_id, draft_revision }: Given,
  isRead: (stored_revision: RawBuilder<number>, read: number) => RawBuilder<unknown>,
): Precondition[] {
  if (draft_id === undefined || draft_revision === undefined) return [];
  const stored_revision = sql<number>`COALESCE((SELECT revision FROM event_drafts
    WHERE draft_id = ${draft_id} AND user_id = ${user_id}), 0)`;
  return [{ code: "draft_conflict", holds: isRead(stored_revision, draft_revision) }];
}

/** That the post is as its writer has seen it: another page may have changed it without a draft. */
function unchangedCondition(event_id: string, { seen_updated_at }: GivenChange): Precondition[] {
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
