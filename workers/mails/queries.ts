import { sql } from "kysely";
import { HASH_PREFIX_LENGTH, MOST_MAILS_COUNTED, type OperatedMails } from "../contract/mails.ts";
import type { Gauge } from "../kernel/request-meter.ts";
import { clockGauges } from "../storage/clock-runs.ts";
import { readWords } from "./newsletters.ts";
import type { MailDatabase, MailState } from "./storage/database.ts";

/** The addresses of one answer. D1 takes 100 parameters in a statement. */
const BOUNCES_AT_ONCE = 50;

/** Lists addresses that do not exist and that the API has not marked yet, the oldest first. */
export async function listBounces(db: MailDatabase): Promise<string[]> {
  const rows = await db
    .selectFrom("suppressions")
    .select("unreported_address")
    .where("unreported_address", "is not", null)
    .orderBy("since")
    .limit(BOUNCES_AT_ONCE)
    .execute();
  return rows.flatMap(({ unreported_address }) => unreported_address ?? []);
}

const SUPPRESSIONS_SHOWN = 50;

/** Lists the newest suppressions with their number for each reason, or those of one address. */
export async function listSuppressions(db: MailDatabase, recipient_hash?: string) {
  let newest = db
    .selectFrom("suppressions")
    .select(["reason", "since", sql<string>`substr(recipient_hash, 1, ${HASH_PREFIX_LENGTH})`.as("hash_prefix")])
    .orderBy("since", "desc")
    .limit(SUPPRESSIONS_SHOWN);
  if (recipient_hash !== undefined) newest = newest.where("recipient_hash", "=", recipient_hash);
  const counts = db
    .selectFrom("suppressions")
    .select(({ fn }) => ["reason" as const, fn.countAll<number>().as("count")])
    .groupBy("reason");
  return {
    counts: recipient_hash === undefined ? await counts.execute() : [],
    suppressions: await newest.execute(),
  };
}

/** No more than the parameters of a D1 statement: `readWords` takes an id from each mail. */
const MAILS_SHOWN = 100;

/** Lists the newest mails with their words, as they were sent, newest first. For a demo's outbox. */
export async function listKeptMails(db: MailDatabase) {
  const kept = await db
    .selectFrom("mails")
    .select(["mail_id", "kind", "recipient", "created_at"])
    .select(["subject", "text", "html", "content_id", "stop_link"])
    .where("recipient", "<>", "")
    .orderBy("created_at", "desc")
    .orderBy("mail_id", "desc")
    .limit(MAILS_SHOWN)
    .execute();
  return (await readWords({ db }, kept)).map(({ mail_id, kind, recipient, created_at, subject, text, html }) => ({
    mail_id,
    kind,
    recipient,
    created_at,
    subject,
    text,
    html,
  }));
}

interface MailFilter {
  state?: MailState;
  recipient_hash?: string;
}

/** Lists mails of a state or to an address, newest first, without their words, and counts them. */
export async function listMails(
  db: MailDatabase,
  { state, recipient_hash, next_page_token, limit }: MailFilter & { next_page_token?: string; limit: number },
): Promise<OperatedMails> {
  let asked = db.selectFrom("mails");
  if (state !== undefined) asked = asked.where("state", "=", state);
  if (recipient_hash !== undefined) asked = asked.where("recipient_hash", "=", recipient_hash);
  const counting = db
    .selectFrom(asked.select("created_at").limit(MOST_MAILS_COUNTED).as("counted"))
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const dating = asked.select("created_at").orderBy("created_at").limit(1).executeTakeFirst();
  let page = asked
    .select(["mail_id", "kind", "recipient", "state", "attempts", "next_attempt_at", "answer", "created_at"])
    .orderBy("created_at", "desc")
    .orderBy("mail_id", "desc")
    .limit(limit + 1);
  if (next_page_token !== undefined) {
    const at = next_page_token.indexOf("_");
    page = page.where(
      sql<boolean>`(created_at, mail_id) < (${next_page_token.slice(0, at)}, ${next_page_token.slice(at + 1)})`,
    );
  }
  const [{ count }, oldest, rows] = await Promise.all([counting, dating, page.execute()]);
  const mails = rows.slice(0, limit);
  const last = rows.length > limit ? mails.at(-1) : undefined;
  return {
    mails,
    next_page_token: last ? `${last.created_at}_${last.mail_id}` : null,
    count,
    oldest_at: oldest?.created_at ?? null,
  };
}

/**
 * Returns how many mails wait, since when the oldest of them waits, how many failed, and when the clock last ran. Reads only
 * the ends of indexes.
 */
export async function readGauges(db: MailDatabase, now_ms: number): Promise<Gauge[]> {
  const countOf = (state: MailState) =>
    sql<number>`(SELECT COUNT(*) FROM (SELECT 1 FROM mails WHERE state = ${state} LIMIT ${sql.lit(MOST_MAILS_COUNTED)}))`;
  const counting = sql<{ waiting: number; failed: number; oldest_at: string | null }>`
    SELECT ${countOf("queued")} AS waiting, ${countOf("failed")} AS failed,
      (SELECT MIN(created_at) FROM mails WHERE state = ${"queued"}) AS oldest_at`.execute(db);
  const [{ rows }, runs] = await Promise.all([counting, db.selectFrom("clock_runs").selectAll().execute()]);
  const { waiting, failed, oldest_at } = rows[0] ?? { waiting: 0, failed: 0, oldest_at: null };
  const oldest_s = oldest_at === null ? 0 : Math.max(0, (now_ms - Date.parse(oldest_at)) / 1000);
  return [
    { name: "ofuse_mails_waiting", labels: {}, value: waiting },
    { name: "ofuse_mails_oldest_seconds", labels: {}, value: oldest_s },
    { name: "ofuse_mails_failed", labels: {}, value: failed },
    ...clockGauges("mails", runs),
  ];
}
