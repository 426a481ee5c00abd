import type { CompiledQuery } from "kysely";
import type { Profile } from "../../contract/users.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { type Caller, commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { getOwnProfile } from "./queries.ts";
import { randomLinkId } from "./rules.ts";

/**
 * Completes a registration: the account of the identity provider becomes a user of the product.
 * Throws `profile_already_exists` when this account has one already, `email_unverified` when its address is not proven:
 * nobody becomes a member under somebody else's address.
 */
export async function createProfile(context: RequestContext, input: { default_name: string }): Promise<Profile> {
  const { caller, database, now_ms } = context;
  if (!caller) throw new Problem("unauthenticated");
  if (caller.user_id) throw new Problem("profile_already_exists");
  assertProvenEmail(caller);
  const profile: Profile = {
    user_id: newId(now_ms),
    link_id: randomLinkId(),
    name: input.default_name,
    default_name: input.default_name,
    email: caller.claims.email ?? null,
    email_invalid: false,
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
    })
    .compile();
  try {
    return { ...(await commitAnswer(context, { statements: [insert] }, { user: profile })).user };
  } catch (error) {
    if (error instanceof Error && error.message.includes("users.identity_id")) {
      throw new Problem("profile_already_exists", { cause: error });
    }
    throw error;
  }
}

export interface ProfileChange {
  name?: string;
  default_name?: string;
  bio?: string;
  accepts_free_ofuses?: boolean;
  email_confirmed?: true;
}

/** An account may have no address (a telephone, say); one that has must have proven it. */
function assertProvenEmail({ claims }: Caller): void {
  if (claims.email !== undefined && claims.email_verified !== true) throw new Problem("email_unverified");
}

/** Changes what is given and leaves the rest. Throws `email_unverified` for `email_confirmed` without a proven address. */
export async function updateProfile(context: RequestContext, change: ProfileChange): Promise<Profile> {
  const user_id = memberId(context);
  const { accepts_free_ofuses, email_confirmed, ...texts } = change;
  const email = email_confirmed ? provenEmail(context) : undefined;
  const columns = {
    ...texts,
    ...(accepts_free_ofuses === undefined ? {} : { accepts_free_ofuses: accepts_free_ofuses ? 1 : 0 }),
    ...(email ? { email, email_invalid: 0 } : {}),
  };
  const statements: CompiledQuery[] =
    Object.keys(columns).length === 0
      ? []
      : [context.database.updateTable("users").set(columns).where("user_id", "=", user_id).compile()];
  const shown = { ...texts, ...(accepts_free_ofuses === undefined ? {} : { accepts_free_ofuses }) };
  const user = {
    ...(await getOwnProfile(context, user_id)),
    ...shown,
    ...(email ? { email, email_invalid: false } : {}),
  };
  return (await commitAnswer(context, { statements }, { user })).user;
}

function provenEmail({ caller }: RequestContext): string {
  if (!caller?.claims.email) throw new Problem("email_unverified");
  assertProvenEmail(caller);
  return caller.claims.email;
}
