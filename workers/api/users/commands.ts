import { type CompiledQuery, sql } from "kysely";
import { LINK_ID_CHANGES, LINK_ID_HELD_DAYS } from "../../contract/bounds.ts";
import { errorCatalogue } from "../../contract/errors.ts";
import { nameRefusal } from "../../contract/names.ts";
import type { Profile, User } from "../../contract/users.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { type Caller, commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { findExternalSite, findGenres } from "../references/queries.ts";
import type { Change, Precondition } from "../storage/commit.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { requireOpen } from "../storage/paused-features.ts";
import { findOwnPictures } from "../uploads/queries.ts";
import { getOwnProfile, linksJson } from "./queries.ts";
import { ageRefusal, isReservedLinkId, linkRefusal, randomLinkId } from "./rules.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The precondition of what only creators may do. */
export const requireCreator = (user_id: string): Precondition => ({
  code: "creator_required",
  holds: sql`SELECT is_creator FROM users WHERE user_id = ${user_id}`,
});

/** A person's statement about their age; see the contract. */
interface Age {
  birth_year?: number;
  guardian_consent?: true;
}

/**
 * Completes a registration: makes an account of the identity provider a user of the product. Throws
 * `profile_already_exists` when the account has a user already; `email_unverified` when its email address is not
 * verified, so that nobody registers with another person's address; `under_age`, `guardian_consent_required`;
 * `registrations_paused`.
 */
export async function createProfile(context: RequestContext, input: { default_name: string } & Age): Promise<Profile> {
  const { caller, database, now_ms } = context;
  if (!caller) throw new Problem("unauthenticated");
  if (caller.user_id) throw new Problem("profile_already_exists");
  assertProvenEmail(caller);
  const age = ageColumns(context, input);
  const profile: Profile = {
    user_id: newId(now_ms),
    link_id: randomLinkId(),
    name: input.default_name,
    default_name: input.default_name,
    email: caller.claims.email ?? null,
    email_invalid: false,
    birth_year: age.birth_year ?? null,
    mail_language: "ja",
    is_creator: false,
    icon_image: null,
    bio: "",
    cover_image: null,
    followers_count: 0,
    followings_count: 0,
    external_links: [],
    genre_ids: [],
    accepts_free_ofuses: true,
    is_followed: false,
    is_blocked: false,
    created_at: isoTime(now_ms),
  };
  const insert = database
    .insertInto("users")
    .values({
      user_id: profile.user_id,
      identity_id: caller.claims.sub,
      link_id: profile.link_id,
      name: profile.name,
      default_name: profile.default_name,
      email: profile.email,
      created_at: profile.created_at,
      ...age,
    })
    .compile();
  try {
    const change: Change = { preconditions: [requireOpen("registrations")], statements: [insert] };
    return { ...(await commitAnswer(context, change, { user: profile })).user };
  } catch (error) {
    if (error instanceof Error && error.message.includes("users.identity_id")) {
      throw new Problem("profile_already_exists", { cause: error });
    }
    throw error;
  }
}

/**
 * Checks what a person states about their age and returns it as columns. Throws `under_age`,
 * `guardian_consent_required`.
 */
function ageColumns({ now_ms }: RequestContext, age: Age): { birth_year?: number; guardian_consented_at?: string } {
  const refusal = ageRefusal(age, now_ms);
  if (refusal) {
    const field = refusal === "under_age" ? "birth_year" : "guardian_consent";
    throw new Problem(refusal, { fields: { [field]: [errorCatalogue[refusal].detail] } });
  }
  const { birth_year, guardian_consent } = age;
  return {
    ...(birth_year === undefined ? {} : { birth_year }),
    ...(guardian_consent ? { guardian_consented_at: isoTime(now_ms) } : {}),
  };
}

export interface ProfileChange extends Age {
  name?: string;
  default_name?: string;
  bio?: string;
  accepts_free_ofuses?: boolean;
  email_confirmed?: true;
  icon_image_id?: string | null;
  cover_image_id?: string | null;
  link_id?: string;
}

/**
 * Throws `email_unverified` for an account whose email address is not verified. An account without any address (signed
 * up by telephone, for example) passes.
 */
function assertProvenEmail({ claims }: Caller): void {
  if (claims.email !== undefined && claims.email_verified !== true) throw new Problem("email_unverified");
}

/**
 * Changes the given fields and keeps the others. Throws `name_not_usable`, `email_unverified` for `email_confirmed`
 * without a verified address, `image_not_usable` for a picture that is not the caller's own or not public,
 * `link_id_reserved`, `link_id_taken`, `link_id_change_limit_reached`, `under_age`, `guardian_consent_required`,
 * `birth_year_already_given`.
 */
export async function updateProfile(context: RequestContext, change: ProfileChange): Promise<Profile> {
  const user_id = memberId(context);
  const { database } = context;
  const { accepts_free_ofuses, email_confirmed, icon_image_id, cover_image_id, link_id, ...rest } = change;
  const { birth_year, guardian_consent, ...texts } = rest;
  const email = email_confirmed ? requireProvenEmail(context) : undefined;
  const before = await getOwnProfile(context, user_id);
  const fields: Record<string, string[]> = {};
  for (const field of ["name", "default_name"] as const) {
    const refusal = texts[field] === undefined || texts[field] === before[field] ? null : nameRefusal(texts[field]);
    if (refusal) fields[field] = [refusal];
  }
  if (Object.keys(fields).length > 0) throw new Problem("name_not_usable", { fields });
  const pictures = await picturesOf(context, user_id, { icon_image_id, cover_image_id });
  const address = link_id === undefined || link_id === before.link_id ? null : linkIdChange(context, before, link_id);
  const columns = {
    ...texts,
    ...(accepts_free_ofuses === undefined ? {} : { accepts_free_ofuses: accepts_free_ofuses ? 1 : 0 }),
    ...(email ? { email, email_invalid: 0 } : {}),
    ...pictures.columns,
    ...(address ? { link_id } : {}),
    ...(birth_year === undefined ? {} : ageColumns(context, { birth_year, guardian_consent })),
  };
  const update = database
    .updateTable("users")
    .set(columns)
    .where("user_id", "=", user_id)
    // A request admitted before its sender left must not give a name to the tombstone (the row of a person who left).
    .where("left_at", "is", null);
  const statements: CompiledQuery[] = [
    ...(Object.keys(columns).length === 0 ? [] : [update.compile()]),
    ...(address?.statements ?? []),
  ];
  const user = {
    ...before,
    ...texts,
    ...(accepts_free_ofuses === undefined ? {} : { accepts_free_ofuses }),
    ...(email ? { email, email_invalid: false } : {}),
    ...pictures.shown,
    ...(link_id === undefined ? {} : { link_id }),
    ...(birth_year === undefined ? {} : { birth_year }),
  };
  const preconditions = [
    ...pictures.preconditions,
    ...(address?.preconditions ?? []),
    ...(birth_year === undefined ? [] : [requireSameBirthYear(user_id, birth_year)]),
  ];
  try {
    return (await commitAnswer(context, { preconditions, statements }, { user })).user;
  } catch (error) {
    // When two people take the same link_id at once, the database accepts one of them.
    if (error instanceof Error && error.message.includes("users.link_id")) {
      throw new Problem("link_id_taken", { fields: linkIdFields("link_id_taken"), cause: error });
    }
    if (error instanceof Problem && error.code === "birth_year_already_given") {
      throw new Problem(error.code, { fields: { birth_year: [errorCatalogue[error.code].detail] }, cause: error });
    }
    if (error instanceof Problem && error.code.startsWith("link_id_")) {
      const { code, retry_after_s } = error;
      const fields = linkIdFields(code as LinkIdRefusal);
      throw new Problem(code, { fields, cause: error, ...(retry_after_s !== undefined && { retry_after_s }) });
    }
    throw error;
  }
}

/** The precondition of a year of birth: it can be given once. */
const requireSameBirthYear = (user_id: string, birth_year: number): Precondition => ({
  code: "birth_year_already_given",
  holds: sql`SELECT birth_year IS NULL OR birth_year = ${birth_year} FROM users WHERE user_id = ${user_id}`,
});

type LinkIdRefusal = "link_id_taken" | "link_id_reserved" | "link_id_change_limit_reached";
const linkIdFields = (code: LinkIdRefusal) => ({ link_id: [errorCatalogue[code].detail] });

/**
 * Returns what the batch needs to change a person's link_id. The old link_id stays reserved for the person for a while.
 */
function linkIdChange(
  context: RequestContext,
  { user_id, link_id: old }: Profile,
  link_id: string,
): { preconditions: Precondition[]; statements: CompiledQuery[] } {
  if (isReservedLinkId(link_id)) {
    throw new Problem("link_id_reserved", { fields: linkIdFields("link_id_reserved") });
  }
  const { database, now_ms } = context;
  const now = isoTime(now_ms);
  const held_until = isoTime(now_ms + LINK_ID_HELD_DAYS * DAY_MS);
  const { times, days } = LINK_ID_CHANGES;
  return {
    preconditions: [
      {
        code: "link_id_change_limit_reached",
        holds: sql`SELECT COUNT(*) < ${times} FROM link_id_changes
          WHERE user_id = ${user_id} AND changed_at > ${isoTime(now_ms - days * DAY_MS)}`,
        retryAfter: () => findLinkIdRetrySeconds(context, user_id),
      },
      {
        code: "link_id_taken",
        holds: sql`NOT EXISTS (SELECT 1 FROM link_id_changes
          WHERE link_id = ${link_id} AND user_id <> ${user_id} AND held_until > ${now})`,
      },
      // The old link_id was read before the batch. When a person changes it twice at once, the second change must not
      // give up a link_id that the person no longer has.
      {
        code: "link_id_taken",
        holds: sql`EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND link_id = ${old} AND left_at IS NULL)`,
      },
    ],
    statements: [
      database.insertInto("link_id_changes").values({ link_id: old, changed_at: now, user_id, held_until }).compile(),
    ],
  };
}

/** Returns in how many seconds a person may change the link_id again: when the oldest counted change stops counting. */
async function findLinkIdRetrySeconds({ database, now_ms }: RequestContext, user_id: string): Promise<number> {
  const window_ms = LINK_ID_CHANGES.days * DAY_MS;
  const oldest = await database
    .selectFrom("link_id_changes")
    .select("changed_at")
    .where("user_id", "=", user_id)
    .where("changed_at", ">", isoTime(now_ms - window_ms))
    .orderBy("changed_at", "desc")
    .offset(LINK_ID_CHANGES.times - 1)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return 1;
  return Math.max(1, Math.ceil((Date.parse(oldest.changed_at) + window_ms - now_ms) / 1000));
}

type Pictures = Pick<ProfileChange, "icon_image_id" | "cover_image_id">;

/**
 * Checks the pictures for a profile. Returns their columns, the profile fields that show them, and the preconditions
 * that they still belong to the caller.
 */
async function picturesOf(
  context: RequestContext,
  user_id: string,
  { icon_image_id, cover_image_id }: Pictures,
): Promise<{ columns: Pictures; shown: Partial<Profile>; preconditions: Precondition[] }> {
  const asked = [icon_image_id, cover_image_id].filter((each) => typeof each === "string");
  const found = await findOwnPictures(context, user_id, asked);
  for (const [name, image_id] of Object.entries({ icon_image_id, cover_image_id })) {
    if (typeof image_id !== "string" || found.has(image_id)) continue;
    throw new Problem("image_not_usable", { fields: { [name]: [errorCatalogue.image_not_usable.detail] } });
  }
  const shownAs = (image_id: string | null) => (image_id === null ? null : (found.get(image_id) ?? null));
  return {
    columns: {
      ...(icon_image_id === undefined ? {} : { icon_image_id }),
      ...(cover_image_id === undefined ? {} : { cover_image_id }),
    },
    shown: {
      ...(icon_image_id === undefined ? {} : { icon_image: shownAs(icon_image_id) }),
      ...(cover_image_id === undefined ? {} : { cover_image: shownAs(cover_image_id) }),
    },
    preconditions: [...new Set(asked)].map((image_id) => ({
      code: "image_not_usable",
      holds: sql`EXISTS (SELECT 1 FROM images WHERE image_id = ${image_id} AND owner_user_id = ${user_id})`,
    })),
  };
}

type Links = User["external_links"];

/**
 * Replaces a person's links. Throws `external_link_not_usable` for a site that is not on the list, or for an address of
 * another site, and `external_links_conflict` when another page changed the links after the caller read them.
 */
export async function updateExternalLinks(
  context: RequestContext,
  { external_links, seen_external_links }: { external_links: Links; seen_external_links?: Links },
): Promise<{ external_links: Links }> {
  const user_id = memberId(context);
  const { database } = context;
  const fields: Record<string, string[]> = {};
  // A link that the person has already stays valid, whatever the list of sites says now.
  const before = (await getOwnProfile(context, user_id)).external_links;
  const isUnchanged = (link: Links[number]) =>
    before.some(({ external_site_id, url }) => external_site_id === link.external_site_id && url === link.url);
  const kept = external_links.map(({ external_site_id, url }, at) => {
    const site = findExternalSite(external_site_id);
    const refusal = site ? linkRefusal(site, url) : "リンク先の種類を選んでください。";
    if (refusal && !isUnchanged({ external_site_id, url }))
      fields[`external_links.${at}.${site ? "url" : "external_site_id"}`] = [refusal];
    return { external_site_id, url: new URL(url).href };
  });
  if (Object.keys(fields).length > 0) throw new Problem("external_link_not_usable", { fields });
  const statements = [
    database.deleteFrom("external_links").where("user_id", "=", user_id).compile(),
    ...kept.map((link, position) =>
      database
        .insertInto("external_links")
        .values({ user_id, position, ...link })
        .compile(),
    ),
  ];
  const preconditions = seen_external_links ? [requireSeenLinks(user_id, seen_external_links)] : [];
  return commitAnswer(context, { preconditions, statements }, { external_links: kept });
}

/** The precondition that a person's links are those which the caller read. */
const requireSeenLinks = (user_id: string, seen: Links): Precondition => ({
  code: "external_links_conflict",
  holds: sql`${linksJson(sql`${user_id}`)} =
    ${JSON.stringify(seen.map(({ external_site_id, url }) => ({ external_site_id, url })))}`,
});

/** Replaces a person's genres. Throws `genre_not_found`. */
export async function updateGenres(
  context: RequestContext,
  chosen: readonly string[],
): Promise<{ genre_ids: string[] }> {
  const user_id = memberId(context);
  const { database } = context;
  const genre_ids = [...new Set(chosen)].sort();
  if (findGenres(genre_ids).length < genre_ids.length) {
    throw new Problem("genre_not_found", { fields: { genre_ids: [errorCatalogue.genre_not_found.detail] } });
  }
  return commitAnswer(context, { statements: replaceGenres(database, user_id, genre_ids) }, { genre_ids });
}

const replaceGenres = (database: Database, user_id: string, genre_ids: readonly string[]): CompiledQuery[] => [
  database
    .deleteFrom("user_genres")
    .where("user_id", "=", user_id)
    .where("genre_id", "not in", oneOf(genre_ids))
    .compile(),
  ...genre_ids.map((genre_id) =>
    database
      .insertInto("user_genres")
      .values({ user_id, genre_id })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
  ),
];

/** One part of a profile, as an import restores it. The caller has checked it as a form is checked. */
export type RestoredPart =
  | { name: string }
  | { bio: string }
  | { icon_image_id: string }
  | { cover_image_id: string }
  | { genre_ids: readonly string[] };

/**
 * Returns the change that writes one part of a person's profile, if the part is empty or may be overwritten. Its batch
 * throws `unavailable` when the person has filled the part in meanwhile: a repetition finds it.
 */
export function restorePart(
  { database }: RequestContext,
  user_id: string,
  part: RestoredPart,
  overwrites: boolean,
): Change {
  const of = sql`FROM users WHERE user_id = ${user_id}`;
  const is_empty =
    "genre_ids" in part
      ? sql`NOT EXISTS (SELECT 1 FROM user_genres WHERE user_id = ${user_id})`
      : "bio" in part
        ? sql`SELECT bio = '' ${of}`
        : "icon_image_id" in part
          ? sql`SELECT icon_image_id IS NULL ${of}`
          : "cover_image_id" in part
            ? sql`SELECT cover_image_id IS NULL ${of}`
            : sql`FALSE`;
  const statements =
    "genre_ids" in part
      ? replaceGenres(database, user_id, part.genre_ids)
      : [database.updateTable("users").set(part).where("user_id", "=", user_id).where("left_at", "is", null).compile()];
  return { preconditions: overwrites ? [] : [{ code: "unavailable", holds: is_empty }], statements };
}

function requireProvenEmail({ caller }: RequestContext): string {
  if (!caller?.claims.email) throw new Problem("email_unverified");
  assertProvenEmail(caller);
  return caller.claims.email;
}
