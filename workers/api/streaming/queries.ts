import { type RawBuilder, sql } from "kysely";
import { OVERLAY_SILENCE_MS, TIMELINE_ID_PREFIX } from "../../contract/overlay-names.ts";
import { type OverlayGoal, type OverlayNews, type OverlaySettings, overlaySettings } from "../../contract/streaming.ts";
import { isoTime, japaneseDayOf, startOfJapaneseDay } from "../../kernel/clock.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isLetterEnabled } from "../ofuses/queries.ts";
import { foldText } from "../radio-chat/rules.ts";
import type { Database } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { readUser, userJson } from "../users/queries.ts";
import { type ArrivedLetter, createFilter, toOverlayLetter } from "./rules.ts";

/** The most letters that are read at once, and the letters of an overlay that has just been opened. */
const MAX_LETTERS = 100;
const FIRST_LETTERS = 50;
/** How many letters of today are looked through for the latest that the settings show, and for the largest. */
const MAX_LATEST = 20;
const MAX_LARGEST = 500;

/** An overlay that is in use: whose it is, and what it shows. */
export interface Overlay {
  user_id: string;
  token_hash: string;
  last_number: number;
  settings: OverlaySettings;
}

/** Reads stored settings. Newer fields have their defaults. */
const readSettings = (stored: string | undefined): OverlaySettings => overlaySettings.parse(JSON.parse(stored ?? "{}"));

function overlayQuery(database: Database) {
  return database
    .selectFrom("overlays")
    .select(["overlays.user_id", "token_hash", "last_number", "settings"])
    .where("token_hash", "is not", null)
    .where(isUserEnabled("overlays.user_id"));
}
type OverlayRow = Awaited<ReturnType<ReturnType<typeof overlayQuery>["executeTakeFirst"]>>;

const readOverlay = (row: OverlayRow): Overlay | null =>
  row ? { ...row, token_hash: row.token_hash ?? "", settings: readSettings(row.settings) } : null;

/**
 * Returns the overlay of a token's hash; null when the token opens none. The database compares hashes, whose order tells
 * nothing of the token.
 */
export async function findOverlayByToken(database: Database, token_hash: string | undefined): Promise<Overlay | null> {
  if (token_hash === undefined) return null;
  return readOverlay(await overlayQuery(database).where("token_hash", "=", token_hash).executeTakeFirst());
}

/** Returns a person's overlay; null before they made a token. */
export async function findOverlayOf(database: Database, user_id: string): Promise<Overlay | null> {
  return readOverlay(await overlayQuery(database).where("overlays.user_id", "=", user_id).executeTakeFirst());
}

/**
 * SQL: whether an overlay may show the letter of its row. Letters that were removed, hidden or reported, and those of
 * disabled, blocked and reported people, never appear. An anonymous letter stays when its sender is disabled, blocked or
 * was reported for another: its absence would tell who sent it (docs/decisions/0045).
 */
const isShowable: RawBuilder<number> = sql<number>`(ofuses.removed_at IS NULL AND ofuses.hidden_at IS NULL
  AND ${isLetterEnabled}
  AND NOT EXISTS (SELECT 1 FROM reports WHERE reporter_user_id = ofuses.receiver_user_id
    AND subject_type = 'ofuse' AND subject_id = ofuses.ofuse_id)
  AND (ofuses.is_anonymous = 1 OR ofuses.sender_user_id IS NULL OR (
    NOT EXISTS (SELECT 1 FROM blocks
      WHERE blocker_id = ofuses.receiver_user_id AND blocking_id = ofuses.sender_user_id)
    AND NOT EXISTS (SELECT 1 FROM reports WHERE reporter_user_id = ofuses.receiver_user_id
      AND subject_user_id = ofuses.sender_user_id
      AND (subject_type <> 'ofuse' OR EXISTS (SELECT 1 FROM ofuses AS reported
        WHERE reported.ofuse_id = reports.subject_id AND reported.is_anonymous = 0))))))`;

/** Selects the letters of a person's overlays. A letter that must not appear has `is_showable` 0, and still its number. */
function letterQuery(database: Database, user_id: string) {
  return database
    .selectFrom("overlay_letters")
    .leftJoin("ofuses", "ofuses.ofuse_id", "overlay_letters.ofuse_id")
    .select([
      "overlay_letters.number",
      "overlay_letters.test",
      "overlay_letters.created_at",
      "ofuses.amount",
      "ofuses.message",
      "ofuses.stamp_id",
      "ofuses.guest_name",
      "ofuses.is_public",
      "ofuses.is_anonymous",
      userJson("ofuses.sender_user_id").as("sender"),
      isShowable.as("is_showable"),
    ])
    .where("overlay_letters.user_id", "=", user_id);
}
type LetterRow = Awaited<ReturnType<ReturnType<typeof letterQuery>["executeTakeFirstOrThrow"]>>;

function readLetter({ number, created_at, test, sender, ...row }: LetterRow): ArrivedLetter {
  const common = { number, created_at, guest_name: row.guest_name, is_anonymous: row.is_anonymous === 1 };
  if (test !== null) {
    const written: Pick<ArrivedLetter, "amount" | "message" | "stamp_id"> = JSON.parse(test);
    return { ...common, ...written, sender: { name: "ファン", icon_url: null }, is_public: true, is_test: true };
  }
  // Null for a guest, though the types of SQL do not say so.
  const person = (sender as string | null) === null ? null : readUser(sender);
  return {
    ...common,
    amount: row.amount ?? 0,
    message: row.message ?? "",
    stamp_id: row.stamp_id as ArrivedLetter["stamp_id"],
    sender: person && { name: person.name, icon_url: person.icon_image?.medium_url ?? null },
    is_public: row.is_public === 1,
    is_test: false,
  };
}

const isSeen = ({ test, is_showable }: LetterRow) => test !== null || is_showable === 1;

/**
 * Returns the letters of an overlay after a number, and what is beside them. Without a number, the newest ones. A letter
 * that is not shown counts for `last_number`, so that nobody asks for it again.
 */
export async function readNews(
  { database, now_ms }: Pick<RequestContext, "database" | "now_ms">,
  { user_id, settings, last_number }: Overlay,
  after?: number,
): Promise<OverlayNews> {
  const of_today = letterQuery(database, user_id)
    .where("overlay_letters.ofuse_id", "is not", null)
    .where("overlay_letters.created_at", ">=", isoTime(startOfJapaneseDay(now_ms)))
    .where(sql<boolean>`${isShowable} = 1`)
    .orderBy("overlay_letters.number", "desc");
  const paid_in_public = of_today.where("ofuses.is_public", "=", 1).where("ofuses.amount", ">", 0);
  const from = after ?? Math.max(0, last_number - FIRST_LETTERS);
  const [arrived, newest, paid, goal] = await Promise.all([
    letterQuery(database, user_id)
      .where("overlay_letters.number", ">", from)
      .orderBy("overlay_letters.number")
      .limit(MAX_LETTERS)
      .execute(),
    settings.shows_latest ? of_today.limit(MAX_LATEST).execute() : [],
    settings.shows_best ? paid_in_public.limit(MAX_LARGEST).execute() : [],
    findGoal(database, user_id, settings),
  ]);
  const isShown = createFilter(settings, foldText);
  const present = (letter: ArrivedLetter) => toOverlayLetter(letter, settings);
  const shownOf = (rows: LetterRow[]) => rows.map(readLetter).filter(isShown);
  const [latest] = shownOf(newest);
  const [best] = shownOf(paid).sort((left, right) => right.amount - left.amount);
  return {
    letters: shownOf(arrived.filter(isSeen)).map(present),
    last_number: arrived.at(-1)?.number ?? Math.max(from, last_number),
    goal,
    latest: latest ? present(latest) : null,
    best: best ? present(best) : null,
  };
}

/** Returns the goal with the sum of the letters since its day; null without one. Reads an index of the paid letters. */
async function findGoal(
  database: Database,
  user_id: string,
  { goal_title: title, goal_amount: amount, goal_from }: OverlaySettings,
): Promise<OverlayGoal | null> {
  if (amount === null) return null;
  const since = isoTime(goal_from === null ? 0 : japaneseDayOf(goal_from));
  const { total } = await database
    .selectFrom("ofuses")
    .select(sql<number>`coalesce(sum(amount), 0)`.as("total"))
    .where("receiver_user_id", "=", user_id)
    .where("amount", ">", sql.lit(0))
    .where("created_at", ">=", since)
    .where("removed_at", "is", null)
    .executeTakeFirstOrThrow();
  return { title, amount, total };
}

/** Returns the settings of a person's overlays, and the overlays that are open now. */
export async function findStreaming({ database, now_ms }: RequestContext, user_id: string) {
  const [row, open] = await Promise.all([
    database
      .selectFrom("overlays")
      .select(["settings", "token_created_at"])
      .where("user_id", "=", user_id)
      .executeTakeFirst(),
    database
      .selectFrom("overlay_heartbeats")
      .select(["overlay_id", "opened_at", "seen_at"])
      .where("user_id", "=", user_id)
      .where("seen_at", ">", isoTime(now_ms - OVERLAY_SILENCE_MS))
      .orderBy("overlay_id")
      .execute(),
  ]);
  const settings = readSettings(row?.settings);
  return {
    settings,
    token_created_at: row?.token_created_at ?? null,
    open_overlays: open
      .toSorted((a, b) => a.opened_at.localeCompare(b.opened_at))
      .map(({ overlay_id, ...times }) => ({
        kind: overlay_id.startsWith(TIMELINE_ID_PREFIX) ? ("timeline" as const) : ("alerts" as const),
        ...times,
      })),
    goal: await findGoal(database, user_id, settings),
  };
}
