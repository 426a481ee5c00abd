import { type RawBuilder, sql } from "kysely";
import type { UserSummary } from "../../contract/fields.ts";
import type { MailLanguage } from "../../contract/notifications.ts";
import type { Profile, User } from "../../contract/users.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { viewerId } from "../http/request-context.ts";
import { oneOf } from "../storage/database.ts";
import { findWordForms } from "../storage/word-forms.ts";
import { imageJson, openImage, readImage } from "../uploads/queries.ts";

/**
 * SQL for the person in a column as JSON, so that a list and its people are one statement. {@link readUser} reads the
 * JSON.
 */
export function userJson(column: string): RawBuilder<string> {
  return sql<string>`(
    SELECT json_object('user_id', person.user_id, 'link_id', person.link_id, 'name', person.name,
      'is_creator', person.is_creator, 'icon', json(${imageJson("person.icon_image_id")}))
    FROM users person WHERE person.user_id = ${sql.ref(column)})`;
}

/** Reads a person from the JSON of {@link userJson}. Foreign keys guarantee that the person exists. */
export function readUser(json: string): UserSummary {
  const { is_creator, icon, ...person } = JSON.parse(json);
  const icon_image = openImage(icon);
  // Leaves out the placeholders: a page mentions dozens of people, and small icons load too fast to need them.
  return { ...person, is_creator: is_creator === 1, icon_image: icon_image && { ...icon_image, placeholder: null } };
}

/** Loads the summaries of people by user id, with one query for any number of them. */
export async function loadUserSummaries(
  context: RequestContext,
  user_ids: readonly string[],
): Promise<Map<string, UserSummary>> {
  const ids = [...new Set(user_ids)];
  if (ids.length === 0) return new Map();
  const rows = await context.database
    .selectFrom("users")
    .select(["user_id", userJson("users.user_id").as("person")])
    .where("user_id", "in", oneOf(ids))
    .execute();
  return new Map(rows.map(({ user_id, person }) => [user_id, readUser(person)]));
}

/**
 * Returns the summary of a person from {@link loadUserSummaries}. Throws when it is missing, which foreign keys
 * prevent.
 */
export function summaryOf(summaries: Map<string, UserSummary>, user_id: string): UserSummary {
  const summary = summaries.get(user_id);
  if (!summary) throw new Error(`user ${user_id} was not loaded`);
  return summary;
}

/** SQL for a person's links as JSON, in their order. */
export const linksJson = (user_id: RawBuilder<unknown>): RawBuilder<string> => sql<string>`(
  SELECT json_group_array(json_object('external_site_id', external_site_id, 'url', url) ORDER BY position)
  FROM external_links WHERE external_links.user_id = ${user_id})`;

/** The letters of each ending in `name_endings`. */
const ENDING_LETTERS = 8;
/** A word that more people have is common: a list finds a page of them sooner by looking up the name of each person. */
const COMMON_NAME = 10_000;

/** Returns the words of a search for people, each with its forms. An ID may be typed as pages show it: `@natsume`. */
const findNameForms = (keyword: string): string[][] => findWordForms(keyword.replace(/(?<!\S)[@＠](?=\S)/g, ""));

/**
 * SQL: whether the person in a column has each word of a search in the name, or has a link_id that begins with it. For
 * a long list of people of whom few are found, as for a short one: a rare word is first answered by the index of names,
 * and the names of the few people found there are then compared (docs/decisions/0051).
 */
export function isNamed(column: `${string}.${string}`, keyword: string): RawBuilder<boolean> {
  const words = findNameForms(keyword);
  const mayBeNamed = words.map((forms) => {
    const people = selectPossiblyNamed(forms);
    return sql`((SELECT COUNT(*) FROM (SELECT 1 FROM (${people}) AS found LIMIT ${sql.lit(COMMON_NAME + 1)}) AS found)
        > ${sql.lit(COMMON_NAME)} OR ${sql.ref(column)} IN (${people}))`;
  });
  // One parameter for all forms of a word: a list may ask this twice.
  const isNamedSo = words.map(
    (forms) => sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(forms)})
      WHERE instr(lower(named.name), value) OR instr('@' || named.link_id, '@' || value))`,
  );
  return sql<boolean>`(${sql.join(mayBeNamed, sql` AND `)} AND EXISTS (SELECT 1 FROM users AS named
    WHERE named.user_id = ${sql.ref(column)} AND ${sql.join(isNamedSo, sql` AND `)}))`;
}

/** SQL for the ids of the people whose name may hold a word in one of its forms, or whose link_id may begin with one. */
function selectPossiblyNamed(forms: readonly string[]): RawBuilder<unknown> {
  const ranges = forms.flatMap((form) => {
    const ending = Array.from(form).slice(0, ENDING_LETTERS).join("");
    return [ending, `@${ending}`].map((from) => ({ from, to: `${from}\u{10ffff}` }));
  });
  return sql`SELECT user_id FROM json_each(${JSON.stringify(ranges)}) AS asked
    JOIN name_endings ON ending >= asked.value ->> 'from' AND ending < asked.value ->> 'to'`;
}

/**
 * SQL for the ids of some people who have each word of a search in the name, or a link_id that begins with it. Null for a
 * search without words.
 */
export function selectNamed(keyword: string, limit: number): RawBuilder<unknown> | null {
  const [forms] = findNameForms(keyword);
  if (!forms) return null;
  return sql`SELECT DISTINCT found.user_id FROM (${selectPossiblyNamed(forms)}) AS found
    WHERE ${isNamed("found.user_id", keyword)} LIMIT ${limit}`;
}

/** Selects people with everything that their pages show, in one statement. */
function userQuery(context: RequestContext) {
  const viewer = viewerId(context);
  return context.database
    .selectFrom("users")
    .selectAll("users")
    .select([
      imageJson("users.icon_image_id").as("icon"),
      imageJson("users.cover_image_id").as("cover"),
      linksJson(sql`users.user_id`).as("links"),
      sql<string>`(
        SELECT json_group_array(genre_id ORDER BY genre_id)
        FROM user_genres WHERE user_genres.user_id = users.user_id)`.as("genres"),
      sql<number>`EXISTS (
        SELECT 1 FROM relationships WHERE follower_id = ${viewer} AND following_id = users.user_id)`.as("is_followed"),
      sql<number>`EXISTS (
        SELECT 1 FROM blocks WHERE blocker_id = ${viewer} AND blocking_id = users.user_id)`.as("is_blocked"),
    ]);
}
type UserRow = Awaited<ReturnType<ReturnType<typeof userQuery>["executeTakeFirstOrThrow"]>>;

/**
 * Returns the user with this id or link_id, or null. A link_id that was given up recently leads to its former owner.
 * Leaves out people who have left or are disabled.
 */
export async function findUser(context: RequestContext, by: UserKey): Promise<User | null> {
  const row = await userQuery(context)
    .where("left_at", "is", null)
    .where("disabled_at", "is", null)
    .where("user_id", "=", selectUserId(context, by))
    .executeTakeFirst();
  return row ? presentUser(row) : null;
}

/** How an address names a person. */
export type UserKey = { user_id: string } | { link_id: string };

/** SQL for the id of the person with this id or link_id, or who recently gave up the link_id; null if there is none. */
export function selectUserId({ now_ms }: RequestContext, by: UserKey): RawBuilder<string> {
  if ("user_id" in by) return sql<string>`${by.user_id}`;
  return sql<string>`coalesce((SELECT user_id FROM users WHERE link_id = ${by.link_id}),
    (SELECT user_id FROM link_id_changes WHERE link_id = ${by.link_id} AND held_until > ${isoTime(now_ms)}
      ORDER BY changed_at DESC LIMIT 1))`;
}

/** Returns a list that belongs to a person. Throws `not_found` when the person does not exist, has left or is disabled. */
export async function listForUser<List>(context: RequestContext, user_id: string, list: Promise<List>): Promise<List> {
  const person = context.database
    .selectFrom("users")
    .select("user_id")
    .where("user_id", "=", user_id)
    .where("left_at", "is", null)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  const [found, answer] = await Promise.all([person, list]);
  if (!found) throw new Problem("not_found");
  return answer;
}

/** Returns the creators among these people, in the given order. Leaves out disabled accounts. */
export async function findCreators(context: RequestContext, user_ids: readonly string[]): Promise<User[]> {
  if (user_ids.length === 0) return [];
  const rows = await userQuery(context)
    .where("user_id", "in", oneOf(user_ids))
    .where("is_creator", "=", sql.lit(1))
    .where("disabled_at", "is", null)
    .execute();
  const found = new Map(rows.map((row) => [row.user_id, presentUser(row)]));
  return user_ids.flatMap((user_id) => found.get(user_id) ?? []);
}

/** Returns the caller's own profile. Throws `registration_required` when there is none. */
export async function getOwnProfile(context: RequestContext, user_id: string): Promise<Profile> {
  const row = await userQuery(context).where("user_id", "=", user_id).executeTakeFirst();
  if (!row) throw new Problem("registration_required");
  const { default_name, email, email_invalid, birth_year, mail_language } = row;
  return { ...presentUser(row), default_name, email, email_invalid: email_invalid === 1, birth_year, mail_language };
}

/**
 * Recommends creators: those with the most followers whom the caller does not follow yet. Leaves out disabled accounts,
 * and those between whom and the caller there is a block.
 */
export async function recommendUsers(context: RequestContext, limit: number): Promise<User[]> {
  const viewer = viewerId(context);
  let query = userQuery(context)
    .where("is_creator", "=", sql.lit(1))
    .where("disabled_at", "is", null)
    .orderBy("followers_count", "desc")
    .orderBy("user_id")
    .limit(limit);
  if (viewer) {
    query = query
      .where("user_id", "<>", viewer)
      .where(
        sql<boolean>`NOT EXISTS (SELECT 1 FROM relationships r WHERE r.follower_id = ${viewer} AND r.following_id = users.user_id)`,
      )
      .where(
        sql<boolean>`NOT EXISTS (SELECT 1 FROM blocks b
          WHERE (b.blocker_id = ${viewer} AND b.blocking_id = users.user_id) OR (b.blocker_id = users.user_id AND b.blocking_id = ${viewer}))`,
      );
  }
  return (await query.execute()).map(presentUser);
}

function presentUser(row: UserRow): User {
  return {
    user_id: row.user_id,
    link_id: row.link_id,
    name: row.name,
    is_creator: row.is_creator === 1,
    icon_image: readImage(row.icon),
    bio: row.bio,
    cover_image: readImage(row.cover),
    followers_count: row.followers_count,
    followings_count: row.followings_count,
    external_links: JSON.parse(row.links) as User["external_links"],
    genre_ids: JSON.parse(row.genres) as string[],
    accepts_free_ofuses: row.accepts_free_ofuses === 1,
    is_followed: row.is_followed === 1,
    is_blocked: row.is_blocked === 1,
    created_at: row.created_at,
  };
}

/** A member's address for mails, and the language of those whose words are ours. */
export interface MailReceiver {
  recipient: string;
  language: MailLanguage;
}

/** Returns how a member gets mails; null for a member without an address, with one that bounces, or who is gone. */
export async function findMailReceiver(
  { database }: Pick<RequestContext, "database">,
  user_id: string,
): Promise<MailReceiver | null> {
  const row = await database
    .selectFrom("users")
    .select(["email", "mail_language"])
    .where("user_id", "=", user_id)
    .where("email_invalid", "=", 0)
    .where("left_at", "is", null)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  return row?.email ? { recipient: row.email, language: row.mail_language } : null;
}
