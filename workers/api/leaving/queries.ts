import { type RawBuilder, sql } from "kysely";
import { LEFT_NAME } from "../../contract/bounds.ts";
import type { ExportPart } from "../../contract/leaving.ts";
import { eventWords } from "../events/queries.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { isOfEnabled } from "../storage/disabled.ts";
import { mediaPath, signedQuery } from "../uploads/rules.ts";

/** Whether anything is left of somebody who left that one more batch would delete. */
export async function hasTraces(database: Database, user_id: string): Promise<boolean> {
  const there = (table: string, column: string) =>
    sql`EXISTS (SELECT 1 FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${user_id})`;
  const { rows } = await sql<{ found: number }>`SELECT ${sql.join(
    [
      there("notifications", "user_id"),
      there("notifications", "actor_user_id"),
      there("event_likes", "liker"),
      there("event_comment_likes", "liker"),
      there("relationships", "follower_id"),
      there("relationships", "following_id"),
      there("blocks", "blocker_id"),
      there("blocks", "blocking_id"),
      there("events", "user_id"),
      there("newsletters", "user_id"),
      there("memberships", "user_id"),
      there("event_categories", "user_id"),
      there("images", "owner_user_id"),
      there("media_files", "owner_user_id"),
      // What is paid for stays, and so does a place that others' replies hold.
      sql`EXISTS (SELECT 1 FROM event_comments WHERE user_id = ${user_id} AND amount = 0 AND (deleted_at IS NULL
        OR NOT EXISTS (SELECT 1 FROM event_comments reply
          WHERE reply.parent_comment_id = event_comments.comment_id)))`,
    ],
    sql` OR `,
  )} AS found`.execute(database);
  return rows[0]?.found === 1;
}

/** Items in one page of a copy. */
const PAGE = 200;

interface Row {
  key: string;
  /** JSON. */
  item: string;
}
type Page = (user_id: string, after: string | undefined) => RawBuilder<Row>;

const person = (column: string) => sql`(SELECT json_object('link_id', link_id, 'name', name) FROM users
  WHERE users.user_id = ${sql.ref(column)})`;
const limit = sql`LIMIT ${PAGE}`;

/** Two columns as one key; a moment has no blank in it, nor has an id. */
const split = (after: string | undefined): [string, string] => {
  const [first = "", second = ""] = (after ?? "").split(" ");
  return [first, second];
};

/** Pages of what somebody likes, or of who follows them: walked by an index whose first column is fixed, newest first. */
const newestFirst = (moment: string, id: string, after: string | undefined) => {
  if (after === undefined) return sql`TRUE`;
  const [at, last] = split(after);
  return sql`${sql.ref(moment)} <= ${at} AND NOT (${sql.ref(moment)} = ${at} AND ${sql.ref(id)} <= ${last})`;
};

/** What the caller has, by parts. Each is a statement that gives the key to go on from, and the item as JSON. */
const parts: Record<ExportPart, Page> = {
  profile: (me) => sql`SELECT user_id AS key, json_object('user_id', user_id, 'link_id', link_id, 'name', name,
      'default_name', default_name, 'email', email, 'bio', bio, 'is_creator', json(iif(is_creator, 'true', 'false')),
      'birth_year', birth_year, 'guardian_consented_at', guardian_consented_at,
      'accepts_free_ofuses', json(iif(accepts_free_ofuses, 'true', 'false')),
      'icon_image_id', icon_image_id, 'cover_image_id', cover_image_id, 'created_at', created_at,
      'external_links', (SELECT json_group_array(json_object('external_site_id', external_site_id, 'url', url))
        FROM external_links WHERE external_links.user_id = users.user_id),
      'genre_ids', (SELECT json_group_array(genre_id) FROM user_genres WHERE user_genres.user_id = users.user_id),
      'former_link_ids', (SELECT json_group_array(json_object('link_id', link_id_changes.link_id, 'changed_at', changed_at))
        FROM link_id_changes WHERE link_id_changes.user_id = users.user_id),
      'categories', (SELECT json_group_array(json_object('event_category_id', event_category_id, 'title', title))
        FROM event_categories WHERE event_categories.user_id = users.user_id),
      'plans', (SELECT json_group_array(json_object('membership_id', membership_id, 'title', title,
        'description', description, 'amount', amount, 'active_state', active_state, 'created_at', memberships.created_at))
        FROM memberships WHERE memberships.user_id = users.user_id),
      'subscriptions', (SELECT json_group_array(json_object('membership_id', membership_id, 'status', status,
        'paid_until', paid_until, 'created_at', subscriptions.created_at))
        FROM subscriptions WHERE subscriptions.user_id = users.user_id),
      'drafts', (SELECT json_group_array(json_object('draft_id', draft_id, 'event_id', event_id, 'kind', kind,
        'fields', json(fields), 'created_at', event_drafts.created_at, 'updated_at', updated_at))
        FROM event_drafts WHERE event_drafts.user_id = users.user_id),
      'reactions', (SELECT json_object('free_ofuse_message', free_ofuse_message,
        'paid_ofuse_message', paid_ofuse_message, 'subscription_message', subscription_message)
        FROM reaction_settings WHERE reaction_settings.user_id = users.user_id)) AS item
    FROM users WHERE user_id = ${me}`,
  posts: (me, after) => sql`SELECT created_at || ' ' || event_id AS key, json_object('event_id', event_id, 'kind', kind,
      'title', title, 'lead', lead, 'body', body, 'document', json(document), 'video_url', video_url, 'status', status,
      'publish_target_type', publish_target_type, 'publish_target_membership_id', publish_target_membership_id,
      'event_category_id', event_category_id, 'comment_filter', comment_filter, 'publish_at', publish_at,
      'published_at', published_at, 'created_at', created_at, 'updated_at', updated_at) AS item
    FROM events WHERE user_id = ${me} AND (created_at, event_id) > (${split(after)[0]}, ${split(after)[1]})
    ORDER BY created_at, event_id LIMIT 20`,
  post_pictures: (me, after) => sql`SELECT created_at || ' ' || event_id AS key, json_object('event_id', event_id,
      'image_ids', (SELECT json_group_array(image_id ORDER BY position) FROM event_images
        WHERE event_images.event_id = events.event_id),
      'media_ids', (SELECT json_group_array(media_id ORDER BY position) FROM event_media
        WHERE event_media.event_id = events.event_id)) AS item
    FROM events WHERE user_id = ${me} AND (created_at, event_id) > (${split(after)[0]}, ${split(after)[1]})
    ORDER BY created_at, event_id ${limit}`,
  comments: (me, after) => sql`SELECT comment_id AS key, json_object('comment_id', comment_id, 'event_id', event_id,
      'message', message, 'amount', amount, 'parent_comment_id', parent_comment_id, 'created_at', created_at) AS item
    FROM event_comments WHERE user_id = ${me} AND deleted_at IS NULL AND comment_id > ${after ?? ""}
    ORDER BY comment_id ${limit}`,
  letters_sent: (me, after) => letters(me, after, "sender_user_id", "receiver_user_id"),
  letters_received: (me, after) => letters(me, after, "receiver_user_id", "sender_user_id"),
  followings: (me, after) => sql`SELECT following_id AS key, json_object('person', json(${person("following_id")}),
      'receives_notifications', json(iif(receives_notifications, 'true', 'false')), 'created_at', created_at) AS item
    FROM relationships WHERE follower_id = ${me} AND following_id > ${after ?? ""} ORDER BY following_id ${limit}`,
  followers: (me, after) => sql`SELECT created_at || ' ' || follower_id AS key,
      json_object('person', json(${person("follower_id")}), 'created_at', created_at) AS item
    FROM relationships WHERE following_id = ${me} AND ${newestFirst("created_at", "follower_id", after)}
    ORDER BY created_at DESC, follower_id ${limit}`,
  blocks: (me, after) => sql`SELECT blocking_id AS key,
      json_object('person', json(${person("blocking_id")}), 'created_at', created_at) AS item
    FROM blocks WHERE blocker_id = ${me} AND blocking_id > ${after ?? ""} ORDER BY blocking_id ${limit}`,
  liked_posts: (me, after) => sql`SELECT created_at || ' ' || event_id AS key,
      json_object('event_id', event_id, 'created_at', created_at) AS item
    FROM event_likes WHERE liker = ${me} AND ${newestFirst("created_at", "event_id", after)}
    ORDER BY created_at DESC, event_id ${limit}`,
  liked_comments: (me, after) => sql`SELECT created_at || ' ' || comment_id AS key,
      json_object('comment_id', comment_id, 'created_at', created_at) AS item
    FROM event_comment_likes WHERE liker = ${me} AND ${newestFirst("created_at", "comment_id", after)}
    ORDER BY created_at DESC, comment_id ${limit}`,
  newsletters: (me, after) => sql`SELECT newsletter_id AS key, json_object('newsletter_id', newsletter_id,
      'title', title, 'body', body, 'fan_scope', fan_scope, 'status', status, 'publish_at', publish_at,
      'published_at', published_at, 'created_at', created_at) AS item
    FROM newsletters WHERE user_id = ${me} AND newsletter_id > ${after ?? ""} ORDER BY newsletter_id ${limit}`,
  notifications: (me, after) => sql`SELECT notification_id AS key, json_object('notification_id', notification_id,
      'type', type, 'message', ${toldMessage(me)}, 'path', path, 'created_at', created_at) AS item
    FROM notifications WHERE user_id = ${me} AND ${isOfEnabled("notifications.actor_user_id")}
      AND notification_id > ${after ?? ""} ORDER BY notification_id ${limit}`,
  reports: (me, after) => sql`SELECT subject_type || ' ' || subject_id AS key, json_object(
      'subject_type', subject_type, 'subject_id', subject_id, 'reason', reason, 'detail', detail,
      'processing_status', processing_status, 'decision', decision, 'created_at', created_at) AS item
    FROM reports WHERE reporter_user_id = ${me}
      AND (subject_type, subject_id) > (${split(after)[0]}, ${split(after)[1]})
    ORDER BY subject_type, subject_id ${limit}`,
  images: (me, after) => sql`SELECT created_at || ' ' || image_id AS key, json_object('image_id', image_id, 'alt', alt,
      'width', width, 'height', height, 'bytes', bytes, 'created_at', created_at) AS item
    FROM images WHERE owner_user_id = ${me} AND processing_status = 'completed'
      AND (created_at, image_id) > (${split(after)[0]}, ${split(after)[1]})
    ORDER BY created_at, image_id ${limit}`,
  media_files: (me, after) => sql`SELECT created_at || ' ' || media_id AS key, json_object('media_id', media_id,
      'kind', kind, 'content_type', content_type, 'file_name', file_name, 'bytes', bytes, 'created_at', created_at)
      AS item
    FROM media_files WHERE owner_user_id = ${me} AND processing_status = 'completed'
      AND (created_at, media_id) > (${split(after)[0]}, ${split(after)[1]})
    ORDER BY created_at, media_id ${limit}`,
};

/** A notification's sentence with its gaps filled as notifications/queries.ts fills them. */
const toldMessage = (me: string) => sql`replace(
  replace(message, '{actor}', coalesce((SELECT name FROM users WHERE users.user_id = actor_user_id), ${LEFT_NAME})),
  '{event}', ${eventWords("notifications.event_id", me)})`;

/** Letters of one side; what an operator took down is its sender's alone. */
function letters(me: string, after: string | undefined, own: string, other: string): RawBuilder<Row> {
  const seen = own === "sender_user_id" ? sql`TRUE` : sql`removed_at IS NULL`;
  return sql`SELECT created_at || ' ' || ofuse_id AS key, json_object('ofuse_id', ofuse_id,
      'person', json(${person(other)}), 'amount', amount, 'message', message,
      'is_public', json(iif(is_public, 'true', 'false')), 'reply_message', reply_message, 'replied_at', replied_at,
      'created_at', created_at) AS item
    FROM ofuses WHERE ${sql.ref(own)} = ${me} AND ${seen}
      AND (created_at, ofuse_id) > (${split(after)[0]}, ${split(after)[1]})
    ORDER BY created_at, ofuse_id ${limit}`;
}

/** A page of one part of the caller's own data. Pictures and files come with addresses that are good for an hour. */
export async function exportPage(
  context: RequestContext,
  part: ExportPart,
  after: string | undefined,
): Promise<{ items: Record<string, unknown>[]; next: string | null }> {
  const { rows } = await parts[part](memberId(context), after).execute(context.database);
  const read = rows.map(({ item }) => JSON.parse(item) as Record<string, unknown>);
  const items = await Promise.all(read.map((item) => withAddress(context, part, item)));
  const is_whole = part === "profile" || rows.length < (part === "posts" ? 20 : PAGE);
  return { items, next: is_whole ? null : (rows.at(-1)?.key ?? null) };
}

async function withAddress(context: RequestContext, part: ExportPart, item: Record<string, unknown>) {
  if (part !== "images" && part !== "media_files") return item;
  const [id, size] = part === "images" ? [item.image_id, "medium"] : [item.media_id, "file"];
  const path = mediaPath(String(id));
  return { ...item, path: `${path}/${size}${await signedQuery(path, context)}` };
}
