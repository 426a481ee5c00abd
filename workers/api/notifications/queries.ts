import { type RawBuilder, sql } from "kysely";
import { BLOCKED_NAME, LEFT_NAME } from "../../contract/bounds.ts";
import type { UserSummary } from "../../contract/fields.ts";
import {
  isOnByDefault,
  type Notification,
  type NotificationChannel,
  type NotificationSettings,
  type NotificationTopic,
  notificationTopic,
} from "../../contract/notifications.ts";
import { isVisibleComment } from "../comments/queries.ts";
import type { Domain } from "../domain.ts";
import { eventLabel } from "../events/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { memberId, type RequestContext, signInOf } from "../http/request-context.ts";
import { closedLetterLabel } from "../ofuses/queries.ts";
import { isOnAir } from "../radios/queries.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { firstLineOf } from "../storage/excerpts.ts";
import type { OutboxEvents } from "../storage/outbox.ts";
import { readUser, userJson } from "../users/queries.ts";
import { actorsText, COUNTED_ACTORS, fillGaps, NAMED_ACTORS, PLAN_TYPES, titleOf } from "./rules.ts";

/** SQL for the beginning of the letter or comment that a notification is about, by type of notification. */
export type Excerpts = NonNullable<Domain["excerpts"]>;

/**
 * SQL for the beginning of the letter or comment that a notification is about; null when the reader may no longer see
 * it or when the type has none.
 */
function excerptSql(context: RequestContext, excerpts: Excerpts, user_id: string): RawBuilder<string | null> {
  const typesByExcerpt = Map.groupBy(Object.entries(excerpts), ([, excerpt]) => excerpt);
  const cases = [...typesByExcerpt].map(
    ([excerpt, types]) =>
      sql`WHEN type IN (${sql.join(types.map(([type]) => sql.lit(type)))}) THEN ${excerpt(context, user_id)}`,
  );
  return cases.length === 0 ? sql`NULL` : sql`CASE ${sql.join(cases, sql` `)} END`;
}

/** SQL: whether a notification's reader has blocked the person in a column. */
export const isActorBlocked = (column: string, reader = "notifications.user_id") => sql<number>`EXISTS (SELECT 1
  FROM blocks WHERE blocks.blocker_id = ${sql.ref(reader)} AND blocks.blocking_id = ${sql.ref(column)})`;

/** SQL for FROM and WHERE: the people of a bundle whom its reader may see. */
export const visibleActors = sql`FROM notification_actors acting
  WHERE acting.notification_id = notifications.notification_id
    AND ${isUserEnabled("acting.actor_user_id")} AND NOT ${isActorBlocked("acting.actor_user_id")}`;

/** SQL for the number of people of a bundle, up to {@link COUNTED_ACTORS}. */
export const countedActors = sql<number>`(SELECT COUNT(*) FROM (SELECT 1 ${visibleActors} LIMIT ${sql.lit(COUNTED_ACTORS)}))`;

/**
 * SQL: whether a notification is shown. Notifications about the acts of disabled accounts are not, nor about those of
 * people whom the reader has blocked; but those about the money of a plan always are.
 */
export const isShown = sql<boolean>`CASE WHEN bundle IS NOT NULL THEN EXISTS (SELECT 1 ${visibleActors})
  ELSE ${isUserEnabled("notifications.actor_user_id")}
    AND (type IN (${sql.join(PLAN_TYPES.map((type) => sql.lit(type)))})
      OR NOT ${isActorBlocked("notifications.actor_user_id")}) END`;

/**
 * SQL for the sentence of a notification about a letter that its reader may no longer open; null for other notifications.
 * It replaces the sentence that the row has.
 */
export const closedLetterSentence = (user_id: string) => sql<string | null>`CASE
  WHEN type IN ('get_ofuse', 'get_free_ofuse')
    THEN ${closedLetterLabel(sql.ref("notifications.subject_id"), user_id)} || 'についてのお知らせです。' END`;

/**
 * SQL for the sentence of a notification with its gaps. `event` is SQL for the words of its post. Words in place of a title need
 * another sentence: 「花さんが削除された投稿を投稿しました」 seems to say that 花さん deleted it.
 */
export const sentenceWithGaps = (event: RawBuilder<string>) => sql<string>`CASE WHEN ${event} LIKE '「%' THEN message
  WHEN type = 'event_created' THEN '{actor}さんの投稿がありました（{event}）。'
  ELSE replace(message, 'が{event}', 'が、{event}') END`;

/** Selects a person's notifications, as far as they are shown. */
function ownNotifications({ database }: Pick<RequestContext, "database">, user_id: string) {
  return database.selectFrom("notifications").where("user_id", "=", user_id).where(isShown);
}

/**
 * Selects notifications with their people, the title of the post and the beginning of the letter or comment, as far as
 * the person may see them.
 */
function notificationQuery(context: RequestContext, excerpts: Excerpts, user_id: string) {
  const newest = sql`SELECT acting.acted_at, ${userJson("acting.actor_user_id")} AS person ${visibleActors}
    ORDER BY acting.acted_at DESC LIMIT ${sql.lit(NAMED_ACTORS)}`;
  const event = eventLabel("notifications.event_id", user_id);
  return ownNotifications(context, user_id)
    .selectAll()
    .select([
      sql<string>`CASE WHEN bundle IS NOT NULL
          THEN (SELECT json_group_array(json(person) ORDER BY acted_at DESC) FROM (${newest}))
        WHEN actor_user_id IS NULL OR ${isActorBlocked("notifications.actor_user_id")} THEN '[]'
        ELSE json_array(json(${userJson("notifications.actor_user_id")})) END`.as("people"),
      sql<number>`CASE WHEN bundle IS NULL THEN 0 ELSE ${countedActors} END`.as("counted"),
    ])
    .select([event.as("event_words"), sentenceWithGaps(event).as("sentence")])
    .select(closedLetterSentence(user_id).as("closed_letter"))
    .select(excerptSql(context, excerpts, user_id).as("excerpt"));
}
type NotificationRow = Awaited<ReturnType<ReturnType<typeof notificationQuery>["executeTakeFirstOrThrow"]>>;

function presentNotification(row: NotificationRow): Notification {
  // The sentence about a closed letter does not name its sender.
  const people = row.closed_letter === null ? (JSON.parse(row.people) as object[]) : [];
  const actors = people.map((person): UserSummary => readUser(JSON.stringify(person)));
  const [actor = null] = actors;
  const names = actors.map(({ name }) => name);
  const hidden_name = row.actor_user_id === null ? LEFT_NAME : BLOCKED_NAME;
  return {
    notification_id: row.notification_id,
    type: row.type as Notification["type"],
    is_opened: row.is_opened === 1,
    message:
      row.closed_letter === null
        ? fillGaps(row.sentence, {
            actor: actor?.name ?? hidden_name,
            actors: actorsText(names, row.counted),
            event: row.event_words,
          })
        : row.closed_letter,
    excerpt: row.excerpt === null ? null : firstLineOf(row.excerpt),
    path: row.closed_letter === null ? row.path : "/my/box",
    actor,
    actors,
    created_at: row.created_at,
  };
}

/** Lists a page of a person's notifications, newest first, and whether any is unread, also on other pages. */
export async function listNotifications(context: RequestContext, excerpts: Excerpts, user_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const [fetched, has_unopened] = await Promise.all([
    notificationQuery(context, excerpts, user_id)
      .orderBy("created_at", "desc")
      .orderBy("notification_id", "desc")
      .limit(limit)
      .offset(offset)
      .execute(),
    hasUnopened(context.database, user_id),
  ]);
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { notifications: rows.map(presentNotification), has_unopened, ...closing };
}

export async function hasUnopened(database: Database, user_id: string): Promise<boolean> {
  const row = await ownNotifications({ database }, user_id)
    .select("notification_id")
    .where("is_opened", "=", sql.lit(0))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns those of these members who may have a page open, and whether an unread notification is shown to each. */
export async function findOpenPages(
  database: Database,
  user_ids: readonly string[],
): Promise<{ user_id: string; has_unread: boolean }[]> {
  const rows = await database
    .selectFrom("open_pages")
    .select("user_id")
    .select(
      sql<number>`EXISTS (SELECT 1 FROM notifications
        WHERE notifications.user_id = open_pages.user_id AND is_opened = 0 AND ${isShown})`.as("has_unread"),
    )
    .where("user_id", "in", oneOf(user_ids))
    .execute();
  return rows.map(({ user_id, has_unread }) => ({ user_id, has_unread: has_unread === 1 }));
}

export async function findNotification(
  context: RequestContext,
  excerpts: Excerpts,
  user_id: string,
  notification_id: string,
): Promise<Notification | null> {
  const row = await notificationQuery(context, excerpts, user_id)
    .where("notification_id", "=", notification_id)
    .executeTakeFirst();
  return row ? presentNotification(row) : null;
}

/** Returns the topics that a person gets on the page, by mail and by push notification. */
export async function findSettings(database: Database, user_id: string): Promise<NotificationSettings> {
  const [chosen, refusal, reader] = await Promise.all([
    database
      .selectFrom("notification_settings")
      .select(["topic", "channel", "is_on"])
      .where("user_id", "=", user_id)
      .execute(),
    database.selectFrom("newsletter_refusals").select("user_id").where("user_id", "=", user_id).executeTakeFirst(),
    database.selectFrom("users").select("mail_language").where("user_id", "=", user_id).executeTakeFirst(),
  ]);
  const isOn = (topic: NotificationTopic, channel: NotificationChannel) => {
    const choice = chosen.find((row) => row.topic === topic && row.channel === channel);
    return choice ? choice.is_on === 1 : isOnByDefault(topic, channel);
  };
  return {
    page: notificationTopic.options.filter((topic) => isOn(topic, "page")),
    mail: notificationTopic.options.filter((topic) =>
      topic === "news_letter_received" ? !refusal : isOn(topic, "mail"),
    ),
    push: notificationTopic.options.filter((topic) => isOn(topic, "push")),
    mail_language: reader?.mail_language ?? "ja",
  };
}

/** Returns the caller's choices, and whether the browser of the caller's sign-in gets push notifications. */
export async function readSettings(context: RequestContext) {
  const { database, push } = context;
  const user_id = memberId(context);
  const [settings, subscription] = await Promise.all([
    findSettings(database, user_id),
    database
      .selectFrom("push_subscriptions")
      .select("push_subscription_id")
      .where("user_id", "=", user_id)
      .where("sign_in_id", "=", signInOf(context).signInId)
      .executeTakeFirst(),
  ]);
  return { ...settings, push_public_key: push.public_key, is_push_on: subscription !== undefined };
}

/** Whether a person has an account. */
export async function isReceiver(database: Database, user_id: string): Promise<boolean> {
  const row = await database
    .selectFrom("users")
    .select("user_id")
    .where("user_id", "=", user_id)
    .where("left_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

type Waiting = Omit<OutboxEvents["notification_mailed"], "occasion" | "kind" | "message" | "english" | "path">;

/** SQL: whether the comment is still visible, the letter is not closed, or the radio is on air, that a notification is about. */
function isSubjectThere({ topic, type, subject_id, user_id }: Waiting): RawBuilder<boolean> {
  if (!subject_id) return sql<boolean>`TRUE`;
  switch (topic ?? type) {
    case "new_event_comment":
    case "new_paid_event_comment":
    case "get_reply_comment":
    case "liked":
      return isVisibleComment(subject_id);
    case "get_ofuse":
    case "get_free_ofuse":
      return sql<boolean>`${closedLetterLabel(subject_id, user_id)} IS NULL`;
    case "radio_started":
      return isOnAir(subject_id);
    default:
      return sql<boolean>`TRUE`;
  }
}

/**
 * Returns the words for the gaps of a notification that waited to be mailed or pushed. Returns null when it must not be
 * sent any more: its reader is gone, its actor is disabled, or its post, comment, letter or radio is not there for the reader. A
 * notification that its reader may turn off is also not sent when its actor has left, or when the reader has blocked the
 * actor.
 */
export async function findMailWords(
  database: Database,
  waiting: Waiting,
): Promise<{ actor: string; event: string } | null> {
  const { topic, user_id, actor_user_id, event_id } = waiting;
  const row = await database
    .selectFrom("users as reader")
    .leftJoin("users as actor", (join) => join.on("actor.user_id", "=", actor_user_id))
    .leftJoin("events", (join) => join.on("events.event_id", "=", event_id))
    .select([
      "actor.name as actor",
      "actor.left_at as actor_left_at",
      isActorBlocked("actor.user_id", "reader.user_id").as("is_blocked"),
      eventLabel("events.event_id", user_id).as("event"),
    ])
    .where("reader.user_id", "=", user_id)
    .where(isUserEnabled("actor.user_id"))
    .where(isSubjectThere(waiting))
    .executeTakeFirst();
  if (!row || (event_id !== null && titleOf(row.event) === undefined)) return null;
  const is_blocked = row.is_blocked === 1;
  if (topic !== null && (is_blocked || row.actor_left_at !== null)) return null;
  return { actor: is_blocked ? BLOCKED_NAME : (row.actor ?? LEFT_NAME), event: row.event };
}

/**
 * Returns the browser that gets a push notification, and whether the page has the notification; null when the browser is no
 * longer the reader's, or when the reader is disabled.
 */
export async function findPushReceiver(
  database: Database,
  {
    push_subscription_id,
    user_id,
    notification_id,
  }: Record<"push_subscription_id" | "user_id" | "notification_id", string>,
) {
  const row = await database
    .selectFrom("push_subscriptions as receiver")
    .innerJoin("users as reader", "reader.user_id", "receiver.user_id")
    .leftJoin("notifications as told", (join) => join.on("told.notification_id", "=", notification_id))
    .select(["receiver.endpoint", "receiver.p256dh", "receiver.auth", "receiver.sign_in_id", "receiver.auth_time"])
    .select(["receiver.sign_out_key", "reader.identity_id", "told.is_opened"])
    .where("receiver.push_subscription_id", "=", push_subscription_id)
    .where("receiver.user_id", "=", user_id)
    .where(isUserEnabled("receiver.user_id"))
    .executeTakeFirst();
  return row ? { ...row, is_on_page: row.is_opened !== null } : null;
}
