import { type RawBuilder, type Selectable, sql } from "kysely";
import type { FollowedOnAir } from "../../contract/activities.ts";
import type { Image, UserSummary } from "../../contract/fields.ts";
import type { OwnRadioSummary, Radio, RadioComment, RadioSummary } from "../../contract/radios.ts";
import { Problem } from "../../kernel/problem.ts";
import { isNotByBlockedGuest, isNotReported } from "../blocks/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { memberId, type RequestContext, type Viewing, viewerId } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import type { Tables } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { isMember } from "../storage/members.ts";
import { imageJson, readImage } from "../uploads/queries.ts";
import { mediaKey } from "../uploads/rules.ts";
import { readUser, userJson } from "../users/queries.ts";
import { findSoundLength } from "./sound-length.ts";

/** SQL: who may hear a row of `radios` now: the audience of the broadcast, and from its end on that of the recording. */
export const audience = sql<RadioSummary["recording_publish_target_type"]>`(CASE radios.status
  WHEN 'finished' THEN radios.recording_publish_target_type ELSE radios.publish_target_type END)`;

/**
 * SQL: the moment of a row of `radios` that lists are ordered by: its start, or the announced one, or when it was made.
 * An index has it (0079_newest_broadcasts.sql).
 */
export const moment = sql<string>`coalesce(radios.started_at, radios.starts_at, radios.created_at)`;

/**
 * SQL: whether the caller may hear a row of `radios`. Owners may always hear their own. Everybody hears `public` ones,
 * followers hear `fans`, members of the plan hear `memberships`, and callers who sent the
 * radio's key hear `url`. Source: decisions, "Visibility and permissions".
 */
export function isHearable(context: Viewing): RawBuilder<number> {
  return isHearableBy(viewerId(context), context.url_key_hash ?? null, context.now_ms);
}

/**
 * SQL: like {@link isHearable}, also for many people at once, whose ids and keys are SQL. There null is a visitor, and the
 * result may be null in place of 0.
 *
 * @param by the audience that counts.
 */
export function isHearableBy(
  viewer: string | null | RawBuilder<unknown>,
  url_key_hash: string | null | RawBuilder<unknown>,
  now_ms: number,
  by: RawBuilder<unknown> = audience,
): RawBuilder<number> {
  const has_key = sql`coalesce(radios.url_key_hash = ${url_key_hash}, 0)`;
  if (viewer === null) {
    return sql<number>`(${isUserEnabled("radios.user_id")}
      AND CASE ${by} WHEN 'public' THEN 1 WHEN 'url' THEN ${has_key} ELSE 0 END)`;
  }
  return sql<number>`(radios.user_id = ${viewer} OR (${isUserEnabled("radios.user_id")} AND CASE ${by}
    WHEN 'public' THEN 1
    WHEN 'fans' THEN EXISTS (
      SELECT 1 FROM relationships r WHERE r.follower_id = ${viewer} AND r.following_id = radios.user_id)
    WHEN 'memberships' THEN EXISTS (
      SELECT 1 FROM subscriptions s WHERE s.user_id = ${viewer}
        AND s.membership_id = radios.publish_target_membership_id AND ${isMember(now_ms, "s")})
    WHEN 'url' THEN ${has_key}
    ELSE 0 END))`;
}

/**
 * SQL: whether the caller may know that a row of `radios` exists. Once a radio for followers or members is on air,
 * everybody sees its title, as with a locked post. Before that, and without the key of `url`, it is hidden.
 */
const isShown = (context: RequestContext): RawBuilder<boolean> =>
  sql<boolean>`(${isHearable(context)} OR (radios.status <> 'scheduled' AND ${audience} IN ('fans', 'memberships')
    AND ${isUserEnabled("radios.user_id")}))`;

const columns = [
  "radio_id",
  "title",
  "description",
  "publish_target_type",
  "recording_publish_target_type",
  "publish_target_membership_id",
  "status",
  "starts_at",
  "started_at",
  "finished_at",
  "last_signal_at",
  "is_chat_on",
  "recording_state",
  "updated_at",
] as const;

/** The columns of a radio that its owner sees. Lists leave out the long transcript. */
export type StoredRadio = Pick<Selectable<Tables["radios"]>, (typeof columns)[number] | "transcript">;

function radioQuery(context: RequestContext) {
  const viewer = viewerId(context);
  return context.database
    .selectFrom("radios")
    .select(columns)
    .select("user_id")
    .select([
      isHearable(context).as("is_hearable"),
      userJson("radios.user_id").as("broadcaster"),
      imageJson("radios.image_id").as("picture"),
      sql<string | null>`(SELECT json_array(likes_count, comments_count, listens_count) FROM radio_counts
        WHERE radio_counts.radio_id = radios.radio_id)`.as("counts"),
      (viewer === null
        ? sql<number>`0`
        : sql<number>`EXISTS (SELECT 1 FROM radio_recording_likes liked
            WHERE liked.radio_id = radios.radio_id AND liked.liker = ${viewer})`
      ).as("is_recording_liked"),
      (viewer === null
        ? sql<number>`0`
        : sql<number>`EXISTS (SELECT 1 FROM radio_reminders reminded
            WHERE reminded.radio_id = radios.radio_id AND reminded.user_id = ${viewer})`
      ).as("is_reminded"),
    ]);
}
type RadioRow = Awaited<ReturnType<ReturnType<typeof radioQuery>["executeTakeFirstOrThrow"]>>;

/** What the presentation of a radio needs besides its columns. */
interface Shown {
  user: UserSummary;
  image: Image | null;
  is_locked: boolean;
  is_recording_liked: boolean;
  likes_count: number;
  comments_count: number;
  listens_count: number;
}

function shownOf(row: RadioRow): Shown {
  const [likes_count = 0, comments_count = 0, listens_count = 0]: number[] =
    row.counts === null ? [] : JSON.parse(row.counts);
  return {
    user: readUser(row.broadcaster),
    image: readImage(row.picture),
    is_locked: row.is_hearable !== 1,
    is_recording_liked: row.is_recording_liked === 1,
    likes_count,
    comments_count,
    listens_count,
  };
}

function toSummary(row: Omit<StoredRadio, "transcript">, shown: Shown): RadioSummary {
  const { user, image, is_locked, is_recording_liked, likes_count, comments_count } = shown;
  return {
    radio_id: row.radio_id,
    user,
    title: row.title,
    image: is_locked ? null : image,
    placeholder: image?.placeholder ?? null,
    status: row.status,
    is_locked,
    publish_target_type: row.publish_target_type,
    recording_publish_target_type: row.recording_publish_target_type,
    publish_target_membership_id: row.publish_target_membership_id,
    starts_at: row.starts_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    is_chat_on: row.is_chat_on === 1,
    recording_state: row.recording_state,
    likes_count,
    comments_count,
    is_recording_liked,
  };
}

/** Returns a radio as its owner sees it. */
export function toOwnRadio(row: StoredRadio, shown: Shown): Radio {
  return {
    ...toSummary(row, shown),
    description: row.description,
    transcript: row.transcript,
    is_reminded: false,
    listens_count: shown.listens_count,
    last_signal_at: row.last_signal_at,
    updated_at: row.updated_at,
  };
}

/** Returns a radio as the caller may see it; null when it does not exist or is hidden from the caller. */
export async function findRadio(context: RequestContext, radio_id: string): Promise<Radio | null> {
  const row = await radioQuery(context)
    .select("transcript")
    .where("radios.radio_id", "=", radio_id)
    .where(isShown(context))
    .executeTakeFirst();
  if (!row) return null;
  const shown = shownOf(row);
  if (row.user_id === viewerId(context)) return toOwnRadio(row, shown);
  return {
    ...toSummary(row, shown),
    description: shown.is_locked ? null : row.description,
    transcript: shown.is_locked ? null : row.transcript,
    is_reminded: row.is_reminded === 1,
    listens_count: null,
    last_signal_at: null,
    updated_at: null,
  };
}

/** Returns one of the person's own radios, stored and as its owner sees it; null for other people's. */
export async function findOwnRadio(
  context: RequestContext,
  user_id: string,
  radio_id: string,
): Promise<{ row: StoredRadio; shown: Shown; has_url_key: boolean } | null> {
  const row = await radioQuery(context)
    .select(["transcript", sql<number>`radios.url_key_hash IS NOT NULL`.as("has_url_key")])
    .where("radios.radio_id", "=", radio_id)
    .where("radios.user_id", "=", user_id)
    .executeTakeFirst();
  return row ? { row, shown: shownOf(row), has_url_key: row.has_url_key === 1 } : null;
}

export interface OwnRadioFilter {
  status?: StoredRadio["status"];
  publish_target_type?: StoredRadio["publish_target_type"];
  publish_target_membership_id?: string;
}

/** Lists the caller's own radios in every state, newest first. */
export async function listOwnRadios(
  context: RequestContext,
  user_id: string,
  { page_number, page_size: asked_size, ...filter }: Page & OwnRadioFilter,
) {
  const { limit, offset, page_size } = rowsOf({ page_number, page_size: asked_size }, false);
  let query = radioQuery(context).where("radios.user_id", "=", user_id);
  if (filter.status) query = query.where("radios.status", "=", filter.status);
  if (filter.publish_target_type) query = query.where("publish_target_type", "=", filter.publish_target_type);
  if (filter.publish_target_membership_id) {
    query = query.where("publish_target_membership_id", "=", filter.publish_target_membership_id);
  }
  const fetched = await query
    .orderBy(moment, "desc")
    .orderBy("radios.radio_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page_number, page_size);
  const radios = rows.map((row): OwnRadioSummary => {
    const shown = shownOf(row);
    return { ...toSummary(row, shown), listens_count: shown.listens_count };
  });
  return { radios, ...closing };
}

/**
 * Lists a person's radios, newest first: those that the caller may hear, and locked ones once they have started.
 * Leaves out radios for holders of a key, also for a caller who has the key.
 */
export async function listUserRadios(context: RequestContext, user_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, context.caller === null);
  const fetched = await radioQuery(context)
    .where("radios.user_id", "=", user_id)
    .where(sql<boolean>`${audience} IN ('public', 'fans', 'memberships')`)
    .where(isShown(context))
    .orderBy(moment, "desc")
    .orderBy("radios.radio_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { radios: rows.map((row) => toSummary(row, shownOf(row))), ...closing };
}

/** SQL: whether a radio is on air. */
export const isOnAir = (radio_id: string): RawBuilder<boolean> =>
  sql<boolean>`EXISTS (SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND status = 'on_air')`;

/**
 * Returns the radio that a person has on air; null when there is none. Everybody sees its title, as with a locked post.
 * Leaves out a radio for holders of a key. `user_id` is SQL.
 */
export async function findRadioOnAir(
  { database }: RequestContext,
  user_id: RawBuilder<string | null>,
): Promise<{ radio_id: string; title: string } | null> {
  const row = await database
    .selectFrom("radios")
    .select(["radio_id", "title"])
    .where("radios.user_id", "=", user_id)
    .where("status", "=", sql.lit("on_air"))
    .where("publish_target_type", "<>", "url")
    .where(sql<boolean>`${isUserEnabled("radios.user_id")}`)
    .executeTakeFirst();
  return row ?? null;
}

/** How many radios on air a home page names. */
const ON_AIR = 5;

/**
 * Lists the radios that people whom the caller follows have on air and that the caller may hear, latest first. SQLite asks
 * the index of radios on air once for each followed person.
 */
export async function listFollowedOnAir(context: RequestContext, user_id: string): Promise<FollowedOnAir[]> {
  const rows = await context.database
    .selectFrom("radios")
    .select(["radio_id", "title", userJson("radios.user_id").as("broadcaster")])
    .where("status", "=", sql.lit("on_air"))
    .where("radios.user_id", "in", sql<string>`(SELECT following_id FROM relationships WHERE follower_id = ${user_id})`)
    .where("publish_target_type", "<>", "url")
    .where(sql<boolean>`${isHearable(context)}`)
    .orderBy("started_at", "desc")
    .limit(ON_AIR)
    .execute();
  return rows.map(({ broadcaster, ...row }) => ({ ...row, user: readUser(broadcaster) }));
}

export interface HearableRadio {
  radio_id: string;
  user_id: string;
  status: StoredRadio["status"];
  recording_state: StoredRadio["recording_state"];
  likes_count: number;
  is_liked: boolean;
}

/** Returns a radio's owner and state; null when the caller may not hear the radio. */
export async function findHearableRadio(
  context: RequestContext,
  radio_id: string,
  liker = viewerId(context),
): Promise<HearableRadio | null> {
  const row = await context.database
    .selectFrom("radios")
    .leftJoin("radio_counts", "radio_counts.radio_id", "radios.radio_id")
    .select(["radios.radio_id", "radios.user_id", "radios.status", "radios.recording_state"])
    .select([
      sql<number>`COALESCE(radio_counts.likes_count, 0)`.as("likes_count"),
      sql<number>`EXISTS (SELECT 1 FROM radio_recording_likes l
        WHERE l.radio_id = radios.radio_id AND l.liker = ${liker})`.as("is_liked"),
    ])
    .where("radios.radio_id", "=", radio_id)
    .where(sql<boolean>`${isHearable(context)}`)
    .executeTakeFirst();
  return row ? { ...row, is_liked: row.is_liked === 1 } : null;
}

/** The precondition that the caller may still hear the radio. The batch that writes a comment or like checks it. */
export function requireHearableRadio(context: Viewing, radio_id: string): Precondition {
  return {
    code: "not_found",
    holds: sql`SELECT ${isHearable(context)} FROM radios WHERE radio_id = ${radio_id}`,
  };
}

/** SQL: whether a radio has ended that the caller could hear on air. The audience of its recording may be smaller. */
export const wasHearable = (context: Viewing, radio_id: string): RawBuilder<number> =>
  sql<number>`EXISTS (SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND status = 'finished'
    AND ${isHearableBy(viewerId(context), context.url_key_hash ?? null, context.now_ms, sql.ref("radios.publish_target_type"))})`;

/** Returns whether a browser is new among the listeners of a radio; null when the caller may not hear the radio. */
export async function findListen(
  context: RequestContext,
  radio_id: string,
  visit_id: string,
): Promise<{ is_new: boolean } | null> {
  const row = await context.database
    .selectFrom("radios")
    .select(["user_id", "status"])
    .select(
      sql<number>`EXISTS (SELECT 1 FROM radio_listens
        WHERE radio_listens.radio_id = radios.radio_id AND visit_id = ${visit_id})`.as("is_known"),
    )
    .where("radio_id", "=", radio_id)
    .where(sql<boolean>`${isHearable(context)}`)
    .executeTakeFirst();
  if (!row) return null;
  return { is_new: row.status !== "scheduled" && row.user_id !== viewerId(context) && row.is_known === 0 };
}

/** Selects comments on radios with every column that listeners see. */
function commentQuery(context: RequestContext) {
  const viewer = viewerId(context);
  return context.database
    .selectFrom("radio_comments")
    .select(["comment_id", "radio_comments.user_id", "message", "likes_count", "created_at"])
    .select([
      userJson("radio_comments.user_id").as("writer"),
      sql<string>`(SELECT radios.user_id FROM radios WHERE radios.radio_id = radio_comments.radio_id)`.as(
        "owner_user_id",
      ),
      sql<number>`EXISTS (SELECT 1 FROM radio_comment_likes l
        WHERE l.comment_id = radio_comments.comment_id AND l.liker = ${viewer})`.as("is_liked"),
    ]);
}

/**
 * Lists the visible comments on a radio, newest first. Leaves out comments of disabled accounts, those that the caller
 * reported, and for everybody but the radio's owner those of people whom the caller has blocked. Does not check access to the radio: call {@link
 * findHearableRadio} first.
 */
export async function listRadioComments(context: RequestContext, radio_id: string, page: Page) {
  const viewer = viewerId(context);
  const owner = sql`(SELECT radios.user_id FROM radios WHERE radios.radio_id = ${radio_id})`;
  const { limit, offset, page_size } = rowsOf(page, context.caller === null);
  const fetched = await commentQuery(context)
    .where("radio_id", "=", radio_id)
    .where(isInView)
    .where(isNotByBlockedGuest(context, "radio_comments.user_id", owner))
    .where(isNotReported(context, "radio_comment", "radio_comments.comment_id"))
    .orderBy("comment_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  const comments = rows.map(
    ({ user_id, owner_user_id, writer, is_liked, ...shown }): RadioComment => ({
      ...shown,
      user: readUser(writer),
      is_liked: is_liked === 1,
      can_delete: viewer !== null && (viewer === owner_user_id || viewer === user_id),
    }),
  );
  return { comments, ...closing };
}

/** SQL: whether a row of `radio_comments` is visible. Only visible comments can be liked and reported. */
const isInView: RawBuilder<boolean> = sql<boolean>`(radio_comments.hidden_at IS NULL
  AND ${isUserEnabled("radio_comments.user_id")})`;

/** Returns a visible comment on the radio; null when there is none or when the caller reported it. */
export async function findRadioComment(
  context: RequestContext,
  radio_id: string,
  comment_id: string,
  liker = viewerId(context),
): Promise<{ user_id: string; likes_count: number; is_liked: boolean } | null> {
  const row = await context.database
    .selectFrom("radio_comments")
    .select(["user_id", "likes_count"])
    .select(
      sql<number>`EXISTS (SELECT 1 FROM radio_comment_likes l
        WHERE l.comment_id = radio_comments.comment_id AND l.liker = ${liker})`.as("is_liked"),
    )
    .where("comment_id", "=", comment_id)
    .where("radio_id", "=", radio_id)
    .where(isInView)
    .where(isNotReported(context, "radio_comment", "radio_comments.comment_id"))
    .executeTakeFirst();
  return row ? { ...row, is_liked: row.is_liked === 1 } : null;
}

/** The precondition that the comment is still visible. The batch that writes a like checks it. */
export function requireVisibleRadioComment(comment_id: string): Precondition {
  return {
    code: "not_found",
    holds: sql`EXISTS (SELECT 1 FROM radio_comments WHERE comment_id = ${comment_id} AND ${isInView})`,
  };
}

/**
 * Returns an audio file that the caller has uploaded, with how long it plays. `duration_ms` is null when the file does not
 * say it. Returns null for a file that is missing or other people's.
 */
export async function findUploadedSound(
  context: RequestContext,
  media_id: string,
): Promise<{ content_type: string; bytes: number; duration_ms: number | null } | null> {
  const media = await context.database
    .selectFrom("media_files")
    .select(["content_type", "bytes"])
    .where("media_id", "=", media_id)
    .where("owner_user_id", "=", memberId(context))
    .where("kind", "=", "audio")
    .where("processing_status", "=", "completed")
    .executeTakeFirst();
  if (!media) return null;
  const { content_type, bytes } = media;
  const read = (offset: number, length: number) => readPart(context.media, mediaKey(media_id), offset, length, bytes);
  return { content_type, bytes, duration_ms: await findSoundLength(content_type, { bytes, read }) };
}

/** Reads a part of an object. Returns fewer bytes at its end, and none beyond. */
async function readPart(
  bucket: R2Bucket,
  key: string,
  offset: number,
  length: number,
  bytes: number,
): Promise<Uint8Array> {
  if (offset >= bytes) return new Uint8Array();
  const object = await bucket.get(key, { range: { offset, length: Math.min(length, bytes - offset) } });
  if (!object) throw new Problem("unavailable", { cause: `${key} is not in the bucket` });
  return new Uint8Array(await object.arrayBuffer());
}
