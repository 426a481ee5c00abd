import { sql } from "kysely";
import type { CheckedInputOf } from "../../contract/operation.ts";
import { OVERLAY_SILENCE_MS } from "../../contract/overlay-names.ts";
import type { OverlaySettings, sendTestOfuse as sendTestOfuseOperation } from "../../contract/streaming.ts";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import { runBatch } from "../../storage/commit.ts";
import { commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import { commit } from "../storage/commit.ts";
import { countAct, withBounds } from "../storage/limits.ts";
import { findOverlayByToken, type Overlay } from "./queries.ts";
import { OVERLAY_GUESS_LIMIT, OVERLAY_SETTINGS_LIMIT, OVERLAY_TOKEN_LIMIT, TEST_LETTER_LIMIT } from "./rules.ts";

/** The most overlays of one person that the list shows. */
const MAX_OPEN_OVERLAYS = 20;
/** An overlay's row is written at most this often. */
const HEARTBEAT_MS = 30_000;

/** The context of a caller who has only a token. */
export type Bearer = Pick<RequestContext, "database" | "d1" | "now_ms" | "address_hash">;

/**
 * Returns the overlay of a token's hash. Throws `not_found` for a wrong token, and `too_many_requests` when the address
 * has tried too many: only wrong ones are counted, so a right one always works.
 */
export async function requireOverlay(bearer: Bearer, token_hash: string | undefined): Promise<Overlay> {
  const overlay = await findOverlayByToken(bearer.database, token_hash);
  if (overlay) return overlay;
  const { address_hash, ...committer } = bearer;
  if (address_hash !== null) {
    const guess = countAct(bearer, OVERLAY_GUESS_LIMIT, address_hash);
    await commit({ ...committer, idempotency: null }, withBounds({ statements: [] }, guess));
  }
  throw new Problem("not_found");
}

/** Makes the caller's token, in place of an earlier one, which is dead from then on. Throws `too_many_requests`. */
export async function updateTimelineToken(context: RequestContext) {
  const { database, now_ms, overlays } = context;
  const user_id = memberId(context);
  const token = randomSecret();
  const token_hash = await sha256Hex(token);
  const created_at = isoTime(now_ms);
  const made = { token_hash, token_created_at: created_at };
  const statement = database
    .insertInto("overlays")
    .values({ user_id, ...made })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(made))
    .compile();
  // The kept answer has no token, so that no table has it.
  const kept = { token: null, created_at };
  await commitLimited(context, OVERLAY_TOKEN_LIMIT, user_id, { statements: [statement] }, kept);
  await overlays.endOthers(user_id, token_hash);
  return { token, created_at };
}

/** Replaces the settings of the caller's overlays, which take them over at once. Throws `too_many_requests`. */
export async function updateStreaming(context: RequestContext, given: OverlaySettings) {
  const user_id = memberId(context);
  const settings = { ...given, ng_words: [...new Set(given.ng_words)] };
  const stored = { settings: JSON.stringify(settings) };
  const statement = context.database
    .insertInto("overlays")
    .values({ user_id, token_hash: null, token_created_at: null, ...stored })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(stored))
    .compile();
  const answer = { settings };
  await commitLimited(context, OVERLAY_SETTINGS_LIMIT, user_id, { statements: [statement] }, answer);
  await context.overlays.announceSettings(user_id);
  return answer;
}

/**
 * Shows a letter on the caller's overlays. It is no letter: no box, ledger, export or statistic has it. Throws
 * `not_found` before the caller has made a token, and `too_many_requests`.
 */
export async function sendTestOfuse(
  context: RequestContext,
  { amount, message, stamp_id }: CheckedInputOf<typeof sendTestOfuseOperation>["body"],
): Promise<null> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const test = JSON.stringify({ amount, message, stamp_id });
  const change = {
    preconditions: [
      {
        code: "not_found" as const,
        holds: sql`EXISTS (SELECT 1 FROM overlays WHERE user_id = ${user_id} AND token_hash IS NOT NULL)`,
      },
    ],
    statements: [
      database
        .updateTable("overlays")
        .set({ last_number: sql`last_number + 1` })
        .where("user_id", "=", user_id)
        .compile(),
      sql`INSERT INTO overlay_letters (user_id, number, test, created_at)
        SELECT user_id, last_number, ${test}, ${isoTime(now_ms)} FROM overlays WHERE user_id = ${user_id}`.compile(
        database,
      ),
    ],
  };
  return commitLimited(context, TEST_LETTER_LIMIT, user_id, change, null);
}

/**
 * Notes that an overlay is open. Writes its row at most once in 30 seconds, and deletes those that were closed. Throws as
 * {@link requireOverlay} does.
 */
export async function updateLiveHeartbeat(context: RequestContext, overlay_id: string, token: string): Promise<null> {
  const { database, d1, now_ms } = context;
  const { user_id } = await requireOverlay(context, await sha256Hex(token));
  const now = isoTime(now_ms);
  const beat = sql`INSERT INTO overlay_heartbeats (user_id, overlay_id, opened_at, seen_at)
    SELECT ${user_id}, ${overlay_id}, ${now}, ${now}
    WHERE (SELECT COUNT(*) FROM overlay_heartbeats
        WHERE user_id = ${user_id} AND overlay_id <> ${overlay_id}) < ${MAX_OPEN_OVERLAYS}
    ON CONFLICT (user_id, overlay_id) DO UPDATE SET seen_at = excluded.seen_at
      WHERE overlay_heartbeats.seen_at <= ${isoTime(now_ms - HEARTBEAT_MS)}`;
  const closed = database
    .deleteFrom("overlay_heartbeats")
    .where("user_id", "=", user_id)
    .where("seen_at", "<", isoTime(now_ms - OVERLAY_SILENCE_MS));
  await runBatch(d1, [closed.compile(), beat.compile(database)]);
  return null;
}
