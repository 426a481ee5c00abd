import { sql } from "kysely";
import { MAX_PAGE_SIZE } from "../../contract/fields.ts";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex, signText, verifySignature } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { isNotBlocked, requireNotBlocked } from "../blocks/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import {
  commitAnswer,
  commitLimited,
  memberId,
  type RequestContext,
  type Services,
  type Viewing,
} from "../http/request-context.ts";
import type { Change } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import type { Limit } from "../storage/limits.ts";
import { mediaPath } from "../uploads/rules.ts";
import { loadUserSummaries, readUser, userJson } from "../users/queries.ts";
import { findListedRecording, listRecordings } from "./playback.ts";

/** The query parameter that names the feed in the address of a recording. */
const FEED_PARAMETER = "feed";

/** Limits how often one member makes addresses. */
export const PODCAST_FEED_LIMIT: Limit = { act: "podcast_feed", times: 30, window_ms: 60 * 60 * 1000 };

/**
 * Makes the caller's own address of a creator's recordings, in place of an earlier one. Only the answer to the caller has
 * the secret, and no table has it. Throws `not_found`, `blocked`, `too_many_requests`.
 */
export async function createPodcastFeed(context: RequestContext, creator_user_id: string) {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const secret = randomSecret();
  const [users, secret_hash] = await Promise.all([loadUserSummaries(context, [creator_user_id]), sha256Hex(secret)]);
  const user = users.get(creator_user_id);
  if (!user) throw new Problem("not_found");
  const created_at = isoTime(now_ms);
  const change: Change = {
    preconditions: [
      {
        code: "not_found",
        holds: sql`EXISTS (SELECT 1 FROM users
          WHERE user_id = ${creator_user_id} AND left_at IS NULL AND disabled_at IS NULL)`,
      },
      requireNotBlocked(user_id, creator_user_id),
    ],
    statements: [
      deletion(context, user_id, creator_user_id),
      database
        .insertInto("podcast_feeds")
        .values({ feed_id: newId(now_ms), user_id, creator_user_id, secret_hash, created_at })
        .compile(),
    ],
  };
  const feed = { user, created_at };
  await commitLimited(context, PODCAST_FEED_LIMIT, user_id, change, { feed, secret: null });
  return { feed, secret };
}

/** Revokes the caller's address of a creator's recordings. Idempotent. */
export function deletePodcastFeed(context: RequestContext, creator_user_id: string): Promise<null> {
  return commitAnswer(context, { statements: [deletion(context, memberId(context), creator_user_id)] }, null);
}

const deletion = ({ database }: RequestContext, user_id: string, creator_user_id: string) =>
  database
    .deleteFrom("podcast_feeds")
    .where("user_id", "=", user_id)
    .where("creator_user_id", "=", creator_user_id)
    .compile();

/** Lists a member's feeds of creators whose account is not disabled, latest first. `user_id` chooses those of one creator. */
export async function listPodcastFeeds(
  context: RequestContext,
  member_id: string,
  { user_id, ...page }: Page & { user_id?: string },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  let query = context.database
    .selectFrom("podcast_feeds")
    .select(["podcast_feeds.created_at", userJson("podcast_feeds.creator_user_id").as("creator")])
    .where("podcast_feeds.user_id", "=", member_id)
    .where(isUserEnabled("podcast_feeds.creator_user_id"));
  if (user_id !== undefined) query = query.where("creator_user_id", "=", user_id);
  const fetched = await query.orderBy("feed_id", "desc").limit(limit).offset(offset).execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { feeds: rows.map(({ creator, created_at }) => ({ user: readUser(creator), created_at })), ...closing };
}

/**
 * The feeds that have a podcast now. While one of the two has blocked the other, or has a disabled account, there is
 * none.
 */
function usableFeeds(database: Database) {
  return database
    .selectFrom("podcast_feeds")
    .select(["feed_id", "podcast_feeds.user_id", "creator_user_id"])
    .where(isUserEnabled("podcast_feeds.user_id"))
    .where(isUserEnabled("podcast_feeds.creator_user_id"))
    .where(isNotBlocked(sql.ref("podcast_feeds.user_id"), sql.ref("podcast_feeds.creator_user_id")));
}

const viewingOf = (user_id: string, now_ms: number): Viewing => ({ caller: { user_id }, now_ms });

/**
 * Returns the newest recordings that the member of a feed may hear; null for a secret of no feed. The context has the
 * hash of the secret.
 */
export async function findPodcast(context: RequestContext) {
  const { database, media_key, now_ms, url_key_hash } = context;
  if (url_key_hash === undefined) return null;
  const feed = await usableFeeds(database)
    .select(userJson("podcast_feeds.creator_user_id").as("creator"))
    .where("secret_hash", "=", url_key_hash)
    .executeTakeFirst();
  if (!feed) return null;
  const { recordings } = await listRecordings(
    { ...viewingOf(feed.user_id, now_ms), database },
    {
      user_id: feed.creator_user_id,
      page: { page_number: 1, page_size: MAX_PAGE_SIZE },
      pathOf: ({ radio_id }) => enclosurePath(radio_id, feed.feed_id, media_key),
    },
  );
  return { user: readUser(feed.creator), recordings };
}

/**
 * Returns the address of a recording in a feed. Podcast apps store it, so it has no expiry: it works as long as the
 * feed. It does not contain the feed's secret.
 */
async function enclosurePath(radio_id: string, feed_id: string, media_key: string): Promise<string> {
  const signature = await signText(signedText(radio_id, feed_id), media_key);
  return `${mediaPath(radio_id)}/recording?${new URLSearchParams({ [FEED_PARAMETER]: feed_id, signature })}`;
}

const signedText = (radio_id: string, feed_id: string) => `${mediaPath(radio_id)} podcast ${feed_id}`;

/** Whether an address of a recording is one of a feed. */
export const isOfPodcast = (search: URLSearchParams): boolean => search.has(FEED_PARAMETER);

/**
 * Returns the file of a recording for an address in a feed, as `serveMedia` serves it; null when the feed was revoked or
 * its member may not hear the recording any more.
 */
export async function findPodcastRecording(
  radio_id: string,
  search: URLSearchParams,
  { database, media_key, clock }: Pick<Services, "database" | "media_key" | "clock">,
) {
  const feed_id = search.get(FEED_PARAMETER) ?? "";
  const signature = search.get("signature") ?? "";
  if (!(await verifySignature(signedText(radio_id, feed_id), signature, media_key))) return null;
  const feed = await usableFeeds(database).where("feed_id", "=", feed_id).executeTakeFirst();
  if (!feed) return null;
  const hearer = viewingOf(feed.user_id, clock.now());
  return findListedRecording(database, radio_id, { user_id: feed.creator_user_id, hearer });
}
