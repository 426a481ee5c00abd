import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { errorCatalogue } from "../../contract/errors.ts";
import type { Image } from "../../contract/fields.ts";
import type { Radio, RadioBody, RadioComment } from "../../contract/radios.ts";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change, Precondition } from "../storage/commit.ts";
import { oneOf } from "../storage/database.ts";
import { forgetAnswers } from "../storage/kept-answers.ts";
import { countDailyAct, type Limit, withBounds } from "../storage/limits.ts";
import { requireOpen } from "../storage/paused-features.ts";
import { findOwnPictures } from "../uploads/queries.ts";
import { loadUserSummaries, summaryOf } from "../users/queries.ts";
import { findHearableRadio, findListen, findOwnRadio, requireHearableRadio, toOwnRadio } from "./queries.ts";
import { hasSound, KEPT_RADIO_COMMENTS, KEPT_RADIOS } from "./rules.ts";

/** Limits how often one person creates and changes radios. */
export const RADIO_LIMIT: Limit = { act: "radio", times: 100, window_ms: 60 * 60 * 1000 };
/** At most 30 comments on radios by one person in ten minutes. A lively conversation needs fewer. */
export const RADIO_COMMENT_LIMIT: Limit = { act: "radio_comment", times: 30, window_ms: 10 * 60 * 1000 };
/** As the limit on visits to posts: a browser could invent any number of visit ids. */
export const LISTEN_LIMIT: Limit = { act: "listen", times: 2000, window_ms: 60 * 60 * 1000 };

/** A radio as its owner sees it, with its new key: only the answer to the caller has the key, and no table has it. */
interface KeyedRadio {
  radio: Radio;
  url_key: string | null;
  is_url_key_new: boolean;
}

/**
 * Creates a radio of the caller's. Throws `starts_at_passed`, `image_not_usable`; the preconditions of its batch throw
 * `membership_not_found`, `too_many_requests`.
 */
export async function createRadio(context: RequestContext, given: RadioBody): Promise<KeyedRadio> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const radio_id = newId(now_ms);
  const now = isoTime(now_ms);
  const columns = toColumns(given);
  requireFuture(context, columns.starts_at, null);
  const [users, image, key] = await Promise.all([
    loadUserSummaries(context, [user_id]),
    findPicture(context, user_id, given.image_id),
    isForKeyHolders(given) ? createKey() : NO_KEY,
  ]);
  const row = {
    radio_id,
    ...columns,
    status: "scheduled" as const,
    started_at: null,
    finished_at: null,
    last_signal_at: null,
    recording_state: "none" as const,
    updated_at: now,
  };
  const change: Change = {
    preconditions: requireUsableContent(user_id, radio_id, given),
    statements: [
      database
        .insertInto("radios")
        .values({ ...row, user_id, image_id: given.image_id, url_key_hash: key.url_key_hash, created_at: now })
        .compile(),
    ],
  };
  const user = summaryOf(users, user_id);
  return commitRadio(context, change, toOwnRadio(row, { ...NEW, user, image }), key.url_key);
}

const NEW = { is_locked: false, is_recording_liked: false, likes_count: 0, comments_count: 0, listens_count: 0 };

/**
 * Replaces the content of a radio of the caller's. The announced moment stays as it is once the radio was started.
 * Throws what {@link createRadio} throws, `not_found` when the radio is not the caller's, `radio_transition_refused` when
 * another call starts, finishes or opens it at the same moment, and `radio_conflict` when another page changed the content
 * after the caller read it.
 */
export async function updateRadio(
  context: RequestContext,
  radio_id: string,
  { rotates_url_key, seen_updated_at, ...given }: RadioBody & { rotates_url_key: boolean; seen_updated_at?: string },
): Promise<KeyedRadio> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const before = await findOwnRadio(context, user_id, radio_id);
  if (!before) throw new Problem("not_found");
  const { status } = before.row;
  const columns = toColumns(given);
  if (status === "scheduled") requireFuture(context, columns.starts_at, before.row.starts_at);
  else columns.starts_at = before.row.starts_at;
  const is_for_key_holders = isForKeyHolders(given);
  const [image, key] = await Promise.all([
    findPicture(context, user_id, given.image_id),
    is_for_key_holders && (rotates_url_key || !before.has_url_key) ? createKey() : NO_KEY,
  ]);
  const changed = { ...columns, updated_at: isoTime(now_ms) };
  const seen = sql`EXISTS (SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND updated_at = ${seen_updated_at})`;
  const change: Change = {
    preconditions: [
      ...requireOwn(
        user_id,
        radio_id,
        sql`status = ${status} AND (url_key_hash IS NOT NULL) = ${before.has_url_key ? 1 : 0}`,
      ),
      ...(seen_updated_at === undefined ? [] : [{ code: "radio_conflict", holds: seen } as const]),
      ...requireUsableContent(user_id, radio_id, given),
    ],
    statements: [
      database
        .updateTable("radios")
        .set({ ...changed, image_id: given.image_id })
        .set(key.url_key || !is_for_key_holders ? { url_key_hash: key.url_key_hash } : {})
        .where("radio_id", "=", radio_id)
        .compile(),
    ],
  };
  const radio = toOwnRadio({ ...before.row, ...changed }, { ...before.shown, image });
  return commitRadio(context, change, radio, key.url_key);
}

/** What an imported radio has besides its content. */
interface ImportedRadioFacts {
  radio_id: string;
  created_at: string;
  /** Null for a radio that was never on air. */
  started_at: string | null;
  finished_at: string | null;
  /** The uploaded file that is its recording; null without one. */
  recording: { media_id: string; bytes: number; duration_ms: number } | null;
}

/**
 * Returns the change that adds a radio of an import. It sends no notifications. A radio with the visibility `url` gets a
 * random key that is not shown, until its owner makes another. The preconditions throw what {@link createRadio} throws, and
 * `media_not_usable`.
 */
export async function addImportedRadio(
  context: RequestContext,
  given: RadioBody,
  { radio_id, created_at, started_at, finished_at, recording }: ImportedRadioFacts,
): Promise<Change> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const columns = toColumns(given);
  const { url_key_hash } = isForKeyHolders(given) ? await createKey() : NO_KEY;
  const plan = columns.publish_target_membership_id;
  return {
    preconditions: [
      // The import has made the plan as a draft, which nobody can join yet.
      ...requireUsableContent(user_id, radio_id, { ...given, publish_target_membership_id: null }),
      {
        code: "membership_not_found",
        holds: sql`${plan} IS NULL
          OR EXISTS (SELECT 1 FROM memberships WHERE membership_id = ${plan} AND user_id = ${user_id})`,
      },
      {
        code: "media_not_usable",
        holds: sql`${recording?.media_id ?? null} IS NULL OR EXISTS (SELECT 1 FROM media_files
          WHERE media_id = ${recording?.media_id ?? null} AND owner_user_id = ${user_id})`,
      },
    ],
    statements: [
      database
        .insertInto("radios")
        .values({
          ...columns,
          ...{ radio_id, user_id, image_id: given.image_id, url_key_hash, created_at, updated_at: isoTime(now_ms) },
          ...{ started_at, finished_at, last_signal_at: started_at },
          status: started_at === null ? "scheduled" : "finished",
          recording_state: recording ? "completed" : "none",
          recording_media_id: recording?.media_id ?? null,
          duration_ms: recording?.duration_ms ?? null,
          bytes: recording?.bytes ?? null,
        })
        .compile(),
    ],
  };
}

/** Commits a radio. The answer stored for retries has no key: the database knows keys only by their hash. */
async function commitRadio(
  context: RequestContext,
  change: Change,
  radio: Radio,
  url_key: string | null,
): Promise<KeyedRadio> {
  const kept = { radio, url_key: null, is_url_key_new: url_key !== null };
  await commitLimited(context, RADIO_LIMIT, memberId(context), change, kept);
  return { ...kept, url_key };
}

const NO_KEY = { url_key: null, url_key_hash: null };
async function createKey() {
  const url_key = randomSecret();
  return { url_key, url_key_hash: await sha256Hex(url_key) };
}

const isForKeyHolders = ({ publish_target_type, recording_publish_target_type }: RadioBody) =>
  publish_target_type === "url" || recording_publish_target_type === "url";

function toColumns(given: RadioBody) {
  const { title, description, publish_target_type, recording_publish_target_type, starts_at, is_chat_on, transcript } =
    given;
  const is_of_plan = publish_target_type === "memberships" || recording_publish_target_type === "memberships";
  return {
    title,
    description,
    publish_target_type,
    recording_publish_target_type,
    publish_target_membership_id: is_of_plan ? given.publish_target_membership_id : null,
    starts_at: starts_at === null ? null : isoTime(Date.parse(starts_at)),
    is_chat_on: is_chat_on ? 1 : 0,
    transcript,
  };
}

/** Throws `starts_at_passed` when an announced moment that was not announced before has passed. */
function requireFuture({ now_ms }: RequestContext, starts_at: string | null, before: string | null): void {
  if (starts_at !== null && starts_at !== before && starts_at < isoTime(now_ms)) throw new Problem("starts_at_passed");
}

/** Returns a picture of the person's that everybody may see. Throws `image_not_usable`. */
async function findPicture(context: RequestContext, user_id: string, image_id: string | null): Promise<Image | null> {
  if (image_id === null) return null;
  const image = (await findOwnPictures(context, user_id, [image_id])).get(image_id);
  if (image) return image;
  throw new Problem("image_not_usable", { fields: { image_id: [errorCatalogue.image_not_usable.detail] } });
}

/**
 * The preconditions that the picture and the plan are the writer's own, and that the plan can be joined. A radio may keep
 * a plan that was closed later.
 */
function requireUsableContent(user_id: string, radio_id: string, given: RadioBody): Precondition[] {
  const { image_id } = given;
  const { publish_target_membership_id } = toColumns(given);
  const conditions: Precondition[] = [];
  if (publish_target_membership_id !== null) {
    const holds = sql`EXISTS (SELECT 1 FROM memberships
      WHERE membership_id = ${publish_target_membership_id} AND user_id = ${user_id}
        AND (active_state = 'active' OR EXISTS (SELECT 1 FROM radios
          WHERE radio_id = ${radio_id} AND publish_target_membership_id = ${publish_target_membership_id})))`;
    conditions.push({ code: "membership_not_found", holds });
  }
  if (image_id !== null) {
    const holds = sql`EXISTS (SELECT 1 FROM images WHERE image_id = ${image_id}
      AND owner_user_id = ${user_id} AND access = 'public' AND processing_status = 'completed')`;
    conditions.push({ code: "image_not_usable", holds });
  }
  return conditions;
}

/** The preconditions that a radio is the caller's, and that it allows the change. `isAllowed` is SQL. */
export function requireOwn(user_id: string, radio_id: string, isAllowed: RawBuilder<unknown>): Precondition[] {
  const ownHas = (what: RawBuilder<unknown>) => sql`EXISTS (SELECT 1 FROM radios
    WHERE radio_id = ${radio_id} AND user_id = ${user_id} AND ${what})`;
  return [
    { code: "not_found", holds: ownHas(sql`TRUE`) },
    { code: "radio_transition_refused", holds: ownHas(isAllowed) },
  ];
}

/**
 * Deletes a radio of the caller's, with its comments, likes and recording. Throws `not_found`, and `radio_transition_refused` for a
 * radio on air.
 */
export function deleteRadio(context: RequestContext, radio_id: string): Promise<null> {
  const { database } = context;
  const user_id = memberId(context);
  const selectOfComments = (column: "user_id" | "comment_id") =>
    sql`(SELECT ${sql.ref(column)} FROM radio_comments WHERE radio_id = ${radio_id})`;
  const change: Change = {
    preconditions: requireOwn(user_id, radio_id, sql`status <> 'on_air'`),
    statements: [
      ...forgetAnswers(database, KEPT_RADIOS, { writers: oneOf([user_id]), ids: oneOf([radio_id]) }),
      ...forgetAnswers(database, KEPT_RADIO_COMMENTS, {
        writers: selectOfComments("user_id"),
        ids: selectOfComments("comment_id"),
      }),
      database.deleteFrom("radios").where("radio_id", "=", radio_id).where("user_id", "=", user_id).compile(),
    ],
  };
  return commitAnswer(context, change, null);
}

/**
 * Puts a radio of the caller's on air, and announces it. Throws `not_found`, `radio_transition_refused` unless the radio
 * is scheduled, `radio_already_on_air` while another radio of the caller's is on air, and `broadcasts_paused`.
 */
export async function startRadio(context: RequestContext, radio_id: string): Promise<{ radio: Radio }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const before = await findOwnRadio(context, user_id, radio_id);
  if (!before) throw new Problem("not_found");
  const now = isoTime(now_ms);
  const changed = { status: "on_air" as const, started_at: now, last_signal_at: now };
  const change: Change = {
    preconditions: [
      ...requireOwn(user_id, radio_id, sql`status = 'scheduled'`),
      requireOpen("broadcasts"),
      {
        code: "radio_already_on_air",
        holds: sql`NOT EXISTS (SELECT 1 FROM radios WHERE user_id = ${user_id} AND status = 'on_air')`,
      },
    ],
    announcements: [
      { event: { kind: "radio_started", payload: { radio_id, fan_out_id: newId(now_ms), after: null } } },
    ],
    statements: [database.updateTable("radios").set(changed).where("radio_id", "=", radio_id).compile()],
  };
  return commitAnswer(context, change, { radio: toOwnRadio({ ...before.row, ...changed }, before.shown) });
}

/**
 * Ends a radio of the caller's. A trigger lets the outbox end the sound. Throws `not_found`, and
 * `radio_transition_refused` unless the radio is on air.
 */
export async function finishRadio(context: RequestContext, radio_id: string): Promise<{ radio: Radio }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const before = await findOwnRadio(context, user_id, radio_id);
  if (!before) throw new Problem("not_found");
  const now = isoTime(now_ms);
  const { started_at, last_signal_at } = before.row;
  // The clock may have been ahead when the radio was started.
  const finished_at = started_at !== null && started_at > now ? started_at : now;
  const changed = { status: "finished" as const, finished_at };
  // The trigger of the end writes the same.
  const recording_state = hasSound({ started_at, last_signal_at }) ? "processing" : "none";
  const change: Change = {
    preconditions: requireOwn(user_id, radio_id, sql`status = 'on_air'`),
    statements: [database.updateTable("radios").set(changed).where("radio_id", "=", radio_id).compile()],
  };
  const radio = toOwnRadio({ ...before.row, ...changed, recording_state }, before.shown);
  return commitAnswer(context, change, { radio });
}

/**
 * Counts a browser's first listening to a radio. It does not count before the radio is on air, and not for its owner.
 * Throws `not_found` for a radio that the caller may not hear, and `too_many_requests` for an address with too many.
 */
export async function listenToRadio(
  context: RequestContext,
  radio_id: string,
  visit_id: string,
): Promise<{ is_counted: boolean }> {
  const { database, now_ms } = context;
  const listen = await findListen(context, radio_id, visit_id);
  if (!listen) throw new Problem("not_found");
  if (!listen.is_new) return { is_counted: false };
  const statement = database
    .insertInto("radio_listens")
    .values({ radio_id, visit_id, listened_at: isoTime(now_ms) })
    .onConflict((conflict) => conflict.doNothing())
    .compile();
  const change: Change = { preconditions: [requireHearableRadio(context, radio_id)], statements: [statement] };
  return commitLimited(context, LISTEN_LIMIT, context.address_hash, change, { is_counted: true });
}

/**
 * Creates a comment on a radio. Throws `not_found` for a radio that the caller may not hear, `blocked`,
 * `too_many_requests`, `daily_comment_limit_reached`.
 */
export async function createRadioComment(
  context: RequestContext,
  radio_id: string,
  message: string,
): Promise<{ comment: RadioComment }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const [radio, writers] = await Promise.all([
    findHearableRadio(context, radio_id),
    loadUserSummaries(context, [user_id]),
  ]);
  if (!radio) throw new Problem("not_found");
  const row = { comment_id: newId(now_ms), message, created_at: isoTime(now_ms) };
  const change: Change = {
    preconditions: [requireHearableRadio(context, radio_id), requireNotBlocked(user_id, radio.user_id)],
    statements: [
      database
        .insertInto("radio_comments")
        .values({ ...row, radio_id, user_id, hidden_at: null })
        .compile(),
    ],
  };
  const user = summaryOf(writers, user_id);
  const comment: RadioComment = { ...row, user, likes_count: 0, is_liked: false, can_delete: true };
  const bounded = withBounds(change, countDailyAct(context, "comment", user_id));
  return commitLimited(context, RADIO_COMMENT_LIMIT, user_id, bounded, { comment });
}

/**
 * Deletes the caller's comment, or any comment on the caller's radio, with its likes and also from the answer stored for
 * idempotent retries. The writer may delete it even without access to the radio. Throws `not_found` for everybody else.
 */
export async function deleteRadioComment(context: RequestContext, radio_id: string, comment_id: string): Promise<null> {
  const { database } = context;
  const user_id = memberId(context);
  const comment = await database
    .selectFrom("radio_comments")
    .innerJoin("radios", "radios.radio_id", "radio_comments.radio_id")
    .select(["radio_comments.user_id", "radios.user_id as owner_user_id"])
    .where("comment_id", "=", comment_id)
    .where("radio_comments.radio_id", "=", radio_id)
    .where("hidden_at", "is", null)
    .executeTakeFirst();
  if (!comment || ![comment.user_id, comment.owner_user_id].includes(user_id)) throw new Problem("not_found");
  const statements: CompiledQuery[] = [
    ...forgetAnswers(database, KEPT_RADIO_COMMENTS, { writers: oneOf([comment.user_id]), ids: oneOf([comment_id]) }),
    database.deleteFrom("radio_comments").where("comment_id", "=", comment_id).compile(),
  ];
  return commitAnswer(context, { statements }, null);
}
