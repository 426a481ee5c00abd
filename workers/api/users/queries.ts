import { type Selectable, sql } from "kysely";
import type { UserSummary } from "../../contract/fields.ts";
import type { Profile, User } from "../../contract/users.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { viewerId } from "../http/request-context.ts";
import { oneOf, type Tables } from "../storage/database.ts";
import { loadImages, openImage } from "../uploads/queries.ts";

type UserRow = Selectable<Tables["users"]>;

/** Summaries of the people mentioned, by user id: one query however many they are. */
export async function loadUserSummaries(
  context: RequestContext,
  user_ids: readonly string[],
): Promise<Map<string, UserSummary>> {
  const ids = [...new Set(user_ids)];
  if (ids.length === 0) return new Map();
  const rows = await context.database
    .selectFrom("users")
    .leftJoin("images", "images.image_id", "users.icon_image_id")
    .select(["user_id", "link_id", "name", "is_creator", "image_id", "alt", "width", "height"])
    .where("user_id", "in", oneOf(ids))
    .execute();
  return new Map(
    rows.map(({ user_id, link_id, name, is_creator, image_id, alt, width, height }) => {
      const has_icon = image_id !== null && alt !== null && width !== null && height !== null;
      const icon_image = has_icon ? openImage({ image_id, alt, width, height }) : null;
      return [user_id, { user_id, link_id, name, is_creator: is_creator === 1, icon_image }];
    }),
  );
}

/** The summary out of {@link loadUserSummaries}; a foreign key makes its absence a defect, not a case. */
export function summaryOf(summaries: Map<string, UserSummary>, user_id: string): UserSummary {
  const summary = summaries.get(user_id);
  if (!summary) throw new Error(`user ${user_id} was not loaded`);
  return summary;
}

/** The user with this id or link_id, or null. */
export async function findUser(
  context: RequestContext,
  by: { user_id: string } | { link_id: string },
): Promise<User | null> {
  const query = context.database.selectFrom("users").selectAll();
  const row = await ("user_id" in by
    ? query.where("user_id", "=", by.user_id)
    : query.where("link_id", "=", by.link_id)
  ).executeTakeFirst();
  if (!row) return null;
  return (await present(context, [row]))[0] ?? null;
}

/** The caller's own profile. Throws `registration_required` where there is none. */
export async function getOwnProfile(context: RequestContext, user_id: string): Promise<Profile> {
  const row = await context.database.selectFrom("users").selectAll().where("user_id", "=", user_id).executeTakeFirst();
  const user = row && (await present(context, [row]))[0];
  if (!row || !user) throw new Problem("registration_required");
  return { ...user, default_name: row.default_name, email: row.email, email_invalid: row.email_invalid === 1 };
}

/** Creators with the most followers whom the caller does not follow yet. */
export async function recommendUsers(context: RequestContext, limit: number): Promise<User[]> {
  const viewer = viewerId(context);
  let query = context.database
    .selectFrom("users")
    .selectAll()
    .where("is_creator", "=", sql.lit(1))
    .orderBy("followers_count", "desc")
    .orderBy("user_id")
    .limit(limit);
  if (viewer) {
    query = query
      .where("user_id", "<>", viewer)
      .where(
        sql<boolean>`NOT EXISTS (SELECT 1 FROM relationships r WHERE r.follower_id = ${viewer} AND r.following_id = users.user_id)`,
      );
  }
  return present(context, await query.execute());
}

async function present(context: RequestContext, rows: UserRow[]): Promise<User[]> {
  const { database } = context;
  const ids = rows.map((row) => row.user_id);
  if (ids.length === 0) return [];
  const viewer = viewerId(context);
  const [images, links, genres, followed] = await Promise.all([
    loadImages(
      database,
      rows.flatMap((row) => [row.icon_image_id, row.cover_image_id]).map((image_id) => ({ image_id, is_open: true })),
      context,
    ),
    database.selectFrom("external_links").selectAll().where("user_id", "in", oneOf(ids)).execute(),
    database.selectFrom("user_genres").selectAll().where("user_id", "in", oneOf(ids)).execute(),
    viewer
      ? database
          .selectFrom("relationships")
          .select("following_id")
          .where("follower_id", "=", viewer)
          .where("following_id", "in", oneOf(ids))
          .execute()
      : [],
  ]);
  return rows.map((row) => ({
    user_id: row.user_id,
    link_id: row.link_id,
    name: row.name,
    is_creator: row.is_creator === 1,
    icon_image: images.get(row.icon_image_id ?? "") ?? null,
    bio: row.bio,
    cover_image: images.get(row.cover_image_id ?? "") ?? null,
    followers_count: row.followers_count,
    followings_count: row.followings_count,
    external_links: links
      .filter((link) => link.user_id === row.user_id)
      .sort((one, other) => one.position - other.position)
      .map(({ external_site_id, url }) => ({ external_site_id, url })),
    genre_ids: genres
      .filter((genre) => genre.user_id === row.user_id)
      .map((genre) => genre.genre_id)
      .sort(),
    accepts_free_ofuses: row.accepts_free_ofuses === 1,
    is_followed: followed.some((relation) => relation.following_id === row.user_id),
    created_at: row.created_at,
  }));
}
