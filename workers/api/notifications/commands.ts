import { type CompiledQuery, sql } from "kysely";
import {
  type MailSettings,
  type Notification,
  type NotificationChannel,
  type NotificationSettings,
  type NotificationTopic,
  notificationTopic,
} from "../../contract/notifications.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext, signInOf } from "../http/request-context.ts";
import { isPublicKey, type PushAddress } from "../push/client.ts";
import { type Excerpts, findNotification, findSettings, isReceiver } from "./queries.ts";
import { MAX_PUSH_SUBSCRIPTIONS, type MailLink, readMailToken } from "./rules.ts";

export async function openAllNotifications(context: RequestContext): Promise<{ is_opened: true }> {
  const user_id = memberId(context);
  const statement = context.database
    .updateTable("notifications")
    .set({ is_opened: 1 })
    .where("user_id", "=", user_id)
    .where("is_opened", "=", sql.lit(0))
    .compile();
  const answer = await commitAnswer(context, { statements: [statement] }, { is_opened: true as const });
  context.tellPages?.([user_id]);
  return answer;
}

/** Marks one of the caller's notifications as opened. Throws `not_found` for other people's notifications. */
export async function openNotification(
  context: RequestContext,
  excerpts: Excerpts,
  notification_id: string,
): Promise<Notification> {
  const user_id = memberId(context);
  const notification = await findNotification(context, excerpts, user_id, notification_id);
  if (!notification) throw new Problem("not_found");
  const statement = context.database
    .updateTable("notifications")
    .set({ is_opened: 1 })
    .where("notification_id", "=", notification_id)
    .where("user_id", "=", user_id)
    .compile();
  // Stores no answer for retries: opening is idempotent anyway, and a stored answer would keep the title of a post.
  await commitAnswer({ ...context, idempotency: null }, { statements: [statement] }, null);
  context.tellPages?.([user_id]);
  return { ...notification, is_opened: true };
}

type Kept = "push" | "mail_language";

/** Replaces the caller's choices. A topic that is not named is off. Absent fields of {@link Kept} stay. */
export async function updateSettings(
  context: RequestContext,
  { page, mail, push, mail_language }: Omit<NotificationSettings, Kept> & Partial<Pick<NotificationSettings, Kept>>,
): Promise<NotificationSettings> {
  const user_id = memberId(context);
  const statements = [
    ...chooseStatements(context, user_id, "page", page),
    ...chooseStatements(context, user_id, "mail", mail),
    ...(push ? chooseStatements(context, user_id, "push", push) : []),
    ...(mail_language
      ? [context.database.updateTable("users").set({ mail_language }).where("user_id", "=", user_id).compile()]
      : []),
  ];
  const inOrder = (chosen: NotificationTopic[]) => notificationTopic.options.filter((topic) => chosen.includes(topic));
  const before = await findSettings(context.database, user_id);
  const answer = {
    page: inOrder(page),
    mail: inOrder(mail),
    push: push ? inOrder(push) : before.push,
    mail_language: mail_language ?? before.mail_language,
  };
  return commitAnswer(context, { statements }, answer);
}

/**
 * Sends push notifications to the browser of the caller's sign-in from now on. A browser has one address, so an older one
 * of the sign-in is dropped; and an address that another member gave is the caller's now, because the browser is.
 */
export async function putPushSubscription(
  context: RequestContext,
  { endpoint, p256dh, auth, replaces }: PushAddress & { replaces?: string },
): Promise<{ is_push_on: boolean }> {
  const { database, push, now_ms } = context;
  const user_id = memberId(context);
  if (!push.public_key) throw new Problem("not_found");
  if (!(await isPublicKey(p256dh))) {
    throw new Problem("validation_failed", { fields: { p256dh: ["ブラウザーの公開鍵ではありません。"] } });
  }
  const isOwn = (address: string) =>
    database
      .selectFrom("push_subscriptions")
      .select("endpoint")
      .where("endpoint", "=", address)
      .where("user_id", "=", user_id)
      .where("sign_in_id", "=", signInOf(context).signInId)
      .executeTakeFirst();
  if (replaces !== undefined && !(await isOwn(replaces))) throw new Problem("not_found");
  const statements = [
    database.deleteFrom("push_subscriptions").where("endpoint", "=", endpoint).compile(),
    ownSubscriptions(context).compile(),
    database
      .insertInto("push_subscriptions")
      .values({
        push_subscription_id: newId(now_ms),
        user_id,
        endpoint,
        p256dh,
        auth,
        ...signInColumns(context),
        created_at: isoTime(now_ms),
      })
      .compile(),
    sql`DELETE FROM push_subscriptions WHERE push_subscription_id IN (
      SELECT push_subscription_id FROM push_subscriptions WHERE user_id = ${user_id}
      ORDER BY created_at DESC, push_subscription_id DESC LIMIT -1 OFFSET ${sql.lit(MAX_PUSH_SUBSCRIPTIONS)})`.compile(
      database,
    ),
  ];
  return commitAnswer(context, { statements }, { is_push_on: true });
}

const signInColumns = (context: RequestContext) => {
  const { signInId, auth_time, keyForGlobalSignOut = null } = signInOf(context);
  return { sign_in_id: signInId, auth_time, sign_out_key: keyForGlobalSignOut };
};

/** Gives the push subscription of the caller's former sign-in to the present one. Throws `not_found`. */
export function movePushSubscription(context: RequestContext, former_sign_in_id: string): Promise<null> {
  const holds = sql`EXISTS (SELECT 1 FROM push_subscriptions
    WHERE user_id = ${memberId(context)} AND sign_in_id = ${former_sign_in_id})`;
  const moved = context.database
    .updateTable("push_subscriptions")
    .set(signInColumns(context))
    .where("user_id", "=", memberId(context))
    .where("sign_in_id", "=", former_sign_in_id);
  return commitAnswer(context, { preconditions: [{ code: "not_found", holds }], statements: [moved.compile()] }, null);
}

export function deletePushSubscription(context: RequestContext): Promise<null> {
  return commitAnswer(context, { statements: [ownSubscriptions(context).compile()] }, null);
}

/** Deletes the push subscription of the caller's sign-in. */
const ownSubscriptions = (context: RequestContext) =>
  context.database
    .deleteFrom("push_subscriptions")
    .where("user_id", "=", memberId(context))
    .where("sign_in_id", "=", signInOf(context).signInId);

/** Returns the statements that write which topics a person wants by a channel. */
function chooseStatements(
  context: RequestContext,
  user_id: string,
  channel: NotificationChannel,
  chosen: readonly NotificationTopic[],
): CompiledQuery[] {
  const isOn = (topic: NotificationTopic) => chosen.includes(topic);
  // The mail of this topic is the newsletter, which has a table of its own (docs/decisions/0036).
  const topics = notificationTopic.options.filter((topic) => channel !== "mail" || topic !== "news_letter_received");
  const choices = topics.map((topic) => ({ topic, is_on: isOn(topic) }));
  const statements = [choiceStatement(context, user_id, channel, choices)];
  if (channel !== "mail") return statements;
  const newsletters = isOn("news_letter_received")
    ? context.database.deleteFrom("newsletter_refusals").where("user_id", "=", user_id).compile()
    : refuseNewsletters(context, user_id);
  return [...statements, newsletters];
}

/** Returns the statement that writes a person's choices about these topics, and keeps those about others. */
const choiceStatement = (
  { database }: RequestContext,
  user_id: string,
  channel: NotificationChannel,
  choices: readonly { topic: NotificationTopic; is_on: boolean }[],
): CompiledQuery =>
  database
    .insertInto("notification_settings")
    .values(choices.map(({ topic, is_on }) => ({ user_id, topic, channel, is_on: is_on ? 1 : 0 })))
    .onConflict((conflict) => conflict.doUpdateSet({ is_on: sql<number>`excluded.is_on` }))
    .compile();

const refuseNewsletters = ({ database, now_ms }: RequestContext, user_id: string): CompiledQuery =>
  sql`INSERT INTO newsletter_refusals (user_id, refused_at) VALUES (${user_id}, ${isoTime(now_ms)})
    ON CONFLICT DO NOTHING`.compile(database);

async function requireMailLink(context: RequestContext, token: string): Promise<MailLink> {
  const link = await readMailToken(token, context.media_key);
  if (!link || !(await isReceiver(context.database, link.user_id))) throw new Problem("not_found");
  return link;
}

/** Returns what the receiver of a mail's link gets by mail. Throws `not_found` for a link that we did not sign. */
export async function readMailSettings(context: RequestContext, token: string): Promise<MailSettings> {
  const { topic, user_id } = await requireMailLink(context, token);
  return { topic, mail: (await findSettings(context.database, user_id)).mail };
}

/**
 * Replaces what the receiver of a mail's link gets by mail; without `mail`, stops the link's topic alone. Repeating it
 * changes nothing. Throws `not_found` for a link that we did not sign.
 */
export async function updateMailSettings(
  context: RequestContext,
  { token, mail }: { token: string; mail?: NotificationTopic[] },
): Promise<MailSettings> {
  const { topic, user_id } = await requireMailLink(context, token);
  const stop = () =>
    topic === "news_letter_received"
      ? refuseNewsletters(context, user_id)
      : choiceStatement(context, user_id, "mail", [{ topic, is_on: false }]);
  // Writes no other topic: a mailbox sends the links of several mails at the same moment.
  const statements = mail ? chooseStatements(context, user_id, "mail", mail) : [stop()];
  await commitAnswer({ ...context, idempotency: null }, { statements }, null);
  return { topic, mail: mail ?? (await findSettings(context.database, user_id)).mail };
}
